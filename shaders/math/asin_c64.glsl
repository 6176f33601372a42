//! needs: arc_parts_c64 atan_pair_f32 asinh_pair_f32 log_modulus_c64 atan2_f32 pair_f32 signed_f32 tests_c64 tests_f32
//! provides: nx_asin(vec2)
/* Kahan's formulas in pairs, for |x| + i |y|; near 0 z itself, far out by the logarithm. Annex G of C, by way of asinh. */
vec2 nx_asin(vec2 z)
{
    vec2 a = vec2(nx_signed(z.x, 1.0, 1.0), nx_signed(z.y, 1.0, 1.0));
    float r, i, most = max(a.x, a.y);
    if (nx_is_nan(z) != 0u) {
        if (nx_is_infinity(z.y) != 0u)
            return vec2(NX_NAN, z.y);
        if (nx_is_infinity(z.x) != 0u)
            return vec2(NX_NAN, z.x);
        return vec2(nx_nz(z.x) ? NX_NAN : z.x, NX_NAN);
    }
    if (most < 0.0001)
        return z;
    if (most > 1e9) {
        r = nx_atan2(a.x, a.y);
        i = nx_is_finite(z) ? nx_log_modulus(vec2(a.x, 0.0), a.y, 1).x : NX_INF;
    } else {
        vec2 m, mi, pi_, p = nx_arc_parts(a, pi_, m, mi);
        vec2 c = nx_pair_sum(nx_pair_product(m, p), -nx_pair_product(mi, pi_));
        vec2 s = nx_pair_sum(nx_pair_product(m, pi_), -nx_pair_product(mi, p));
        r = nx_atan_pair(vec2(a.x, 0.0), c).x;
        i = nx_asinh_pair(s);
    }
    return vec2(nx_signed(r, 1.0, z.x), nx_signed(nx_nz(z.y) || a.x > 1.0 ? i : 0.0, 1.0, z.y));
}
