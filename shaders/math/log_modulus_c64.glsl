//! needs: level_c64 log_parts_f32 pair_f32 exact_f32 scale_f32
//! provides: nx_log_modulus(vec2)
/* log(|x + i y| 2^n) as a pair: half the logarithm of the square, which near the unit circle is 1 + m with m exact.
   x + i y is finite and not 0. */
vec2 nx_log_modulus(vec2 x, float y, int n)
{
    int k;
    vec2 w = nx_level(vec2(x.x, y), k);
    vec2 re = vec2(w.x, nx_scale(x.y, -k)), p = nx_pair_product(re, re), q = nx_two_prod(w.y, w.y);
    bool unit = k == -1 || (k == 0 && p.x + q.x < 2.0);
    p = k == -1 ? p * 0.25 : p;
    q = k == -1 ? q * 0.25 : q;
    if (p.x < q.x) {
        vec2 t = p;
        p = q;
        q = t;
    }
    vec2 s = nx_pair_sum(p, q);
    vec2 m = nx_pair_sum(nx_pair_sum(vec2(-1.0, 0.0), p), q);
    vec2 v = nx_two_sum(1.0, m.x);
    bool close = unit && n == 0 && m.x < 0.5 && m.x > -0.25;
    if (close)
        s = nx_quick_sum(v.x, v.y + m.y);
    return nx_log_parts(s.x, s.y, close ? 0 : 2 * (n + (k == -1 ? 0 : k))) * 0.5;
}
