//! needs: level_c64 div_f32 pair_f32 exact_f32 scale_f32 tests_c64 tests_f32
//! provides: nx_div(vec2)
/* a conj(b) / |b|^2 with both brought near 1, in pairs; by plain arithmetic where that is not finite, and
   zeros, whose sign pairs do not keep. */
vec2 nx_div(vec2 a, vec2 b)
{
    int i, k;
    if (!nx_is_finite(a) || !nx_is_finite(b) || !nx_nz(b)) {
        precise float m = b.x * b.x + b.y * b.y, x = a.x * b.x + a.y * b.y, y = a.y * b.x - a.x * b.y;
        return vec2(nx_div(x, m), nx_div(y, m));
    }
    vec2 n = nx_level(a, i), d = nx_level(b, k);
    vec2 m = nx_pair_sum(nx_two_prod(d.x, d.x), nx_two_prod(d.y, d.y));
    vec2 re = nx_pair_quotient(nx_pair_sum(nx_two_prod(n.x, d.x), nx_two_prod(n.y, d.y)), m);
    vec2 im = nx_pair_quotient(nx_pair_sum(nx_two_prod(n.y, d.x), nx_two_prod(n.x, -d.y)), m);
    k = clamp(i - k, -200, 200);
    precise float x = n.x * d.x + n.y * d.y, y = n.y * d.x - n.x * d.y;
    return vec2(nx_nz(re.x) ? nx_scale(re.x, k) : x, nx_nz(im.x) ? nx_scale(im.x, k) : y);
}
