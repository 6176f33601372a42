//! needs: level_c64 root_parts_f32 pair_f32 exact_f32 scale_f32 signed_f32
//! provides: nx_sqrt_parts(vec2)
/* The square root of x + i y, finite, over 2^k: its real part and, as `im`, the other. Of |x| and |z| the half sum's
   root, and y over twice it. Signs of zeros are the caller's. */
vec2 nx_sqrt_parts(vec2 x, float y, out vec2 im, out int k)
{
    vec2 w = nx_level(vec2(x.x, y), k);
    float low = nx_scale(x.y, -k);
    if ((k & 1) != 0) {
        w = w * 2.0;
        low = low * 2.0;
        k -= 1;
    }
    k = k >> 1;
    vec2 re = w.x < 0.0 ? vec2(-w.x, -low) : vec2(w.x, low);
    vec2 m = nx_pair_sum(nx_pair_product(re, re), nx_two_prod(w.y, w.y));
    m = nx_pair_sum(nx_root_parts(m.x, m.y), re) * 0.5;
    vec2 t = nx_root_parts(m.x, m.y), u = nx_pair_quotient(vec2(w.y, 0.0), t * 2.0);
    if (!(t.x > 0.0))
        u = vec2(0.0, 0.0);
    bool down = nx_signed(1.0, 1.0, y) < 0.0; // w.y may have become 0
    im = w.x < 0.0 ? (down ? -t : t) : u;
    return w.x < 0.0 ? (w.y < 0.0 ? -u : u) : t;
}
