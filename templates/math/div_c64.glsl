//! needs: level_c64 div_f32 exact_f32 scale_f32
//! provides: nx_div(vec2)
/* a conj(b) / |b|^2 with both brought near 1, and sums of exact products. */
vec2 nx_div(vec2 a, vec2 b)
{
    int i, k;
    vec2 n = nx_level(a, i), d = nx_level(b, k);
    vec2 p = nx_two_prod(n.x, d.x), q = nx_two_prod(n.y, d.y), r = nx_two_prod(n.y, d.x), s = nx_two_prod(n.x, d.y);
    vec2 re = nx_two_sum(p.x, q.x), im = nx_two_sum(r.x, -s.x);
    precise float m = d.x * d.x + d.y * d.y;
    k = clamp(i - k, -200, 200);
    return vec2(nx_scale(nx_div(re.x + (re.y + (p.y + q.y)), m), k), nx_scale(nx_div(im.x + (im.y + (r.y - s.y)), m), k));
}
