//! needs: arc_parts_c64 atan_pair_f32 asinh_pair_f32 log_modulus_c64 atan2_f32 pair_f32 signed_f32 tests_c64 tests_f32
//! provides: nx_acos(vec2)
/* Kahan's formulas in pairs, for x + i |y|; far out by the logarithm. Annex G of C. */
vec2 nx_acos(vec2 z)
{
    float y = nx_signed(z.y, 1.0, 1.0), r, i, most = max(abs(z.x), y);
    if (nx_is_nan(z) != 0u) {
        if (nx_is_infinity(z) != 0u)
            return vec2(NX_NAN, nx_is_infinity(z.y) != 0u ? -z.y : NX_INF);
        return vec2(nx_nz(z.x) ? NX_NAN : 1.5707964, NX_NAN);
    }
    if (most > 1e9) {
        r = nx_atan2(y, z.x);
        i = nx_is_finite(z) ? nx_log_modulus(vec2(z.x, 0.0), y, 1).x : NX_INF;
    } else {
        vec2 m, mi, pi_, p = nx_arc_parts(vec2(z.x, y), pi_, m, mi);
        vec2 s = nx_pair_sum(nx_pair_product(m, pi_), -nx_pair_product(mi, p));
        r = 2.0 * nx_atan_pair(m, p).x;
        i = !nx_nz(y) && abs(z.x) <= 1.0 ? 0.0 : most < 0.0001 ? y : nx_asinh_pair(s);
    }
    return vec2(r, nx_signed(i, -1.0, z.y));
}
