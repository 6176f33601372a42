//! needs: level_c64 root_parts_f32 exact_f32 scale_f32 tests_f32
//! provides: nx_abs(vec2)
float nx_abs(vec2 z)
{
    int k;
    vec2 w = nx_level(z, k);
    if ((nx_is_infinity(z.x) | nx_is_infinity(z.y)) != 0u)
        return NX_INF;
    vec2 p = nx_two_prod(w.x, w.x), q = nx_two_prod(w.y, w.y), s = nx_two_sum(p.x, q.x);
    vec2 r = nx_root_parts(s.x, s.y + (p.y + q.y));
    return nx_is_nan(s.x) != 0u ? s.x : nx_scale(r.x + r.y, k);
}
