//! needs: level_c64 log_parts_f32 atan2_f32 exact_f32 tests_f32 tests_c64
//! provides: nx_log(vec2)
/* Half the logarithm of |z|^2 as a pair, so that it is good where |z| is near 1, and the angle. */
vec2 nx_log(vec2 z)
{
    float angle = nx_atan2(z.y, z.x);
    if (!nx_nz(z))
        return vec2(-NX_INF, angle);
    if (nx_is_infinity(z) != 0u)
        return vec2(NX_INF, angle);
    if (nx_is_nan(z) != 0u)
        return vec2(angle, angle);
    int k;
    vec2 w = nx_level(z, k);
    vec2 p = nx_two_prod(w.x, w.x), q = nx_two_prod(w.y, w.y);
    if (abs(w.x) < abs(w.y)) {
        vec2 t = p;
        p = q;
        q = t;
    }
    /* against 1 first: near the unit circle all but the small parts cancel */
    bool unit = k == 0 && p.x + q.x < 2.0 || k == -1;
    precise float f = k == -1 ? 0.25 : 1.0;
    p = p * f;
    q = q * f;
    vec2 a = nx_two_sum(p.x, q.x), b = nx_two_sum(a.y, p.y + q.y);
    vec2 h = nx_quick_sum(a.x, b.x);
    vec2 d = nx_two_sum(p.x - 1.0, q.x);
    precise float small = d.x + (d.y + (p.y + q.y));
    vec2 l = nx_log_parts(h.x, h.y, k == -1 ? 0 : 2 * k);
    float re = 0.5 * l.x;
    if (unit && abs(small) < 0.001)
        re = 0.5 * (small - small * small * (0.5 - small * 0.333333343));
    return vec2(re, angle);
}
