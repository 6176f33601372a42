//! needs: arc_parts_c128 atan_pair_f64 asinh_pair_f64 log_modulus_c128 atan2_f64 pair_f64 signed_f64 tests_c128 tests_f64
//! provides: nx_acos(dvec2)
/* Kahan's formulas in pairs, for x + i |y|; far out by the logarithm. Annex G of C. */
dvec2 nx_acos(dvec2 z)
{
    double y = nx_signed(z.y, 1.0lf, 1.0lf), r, i, most = max(abs(z.x), y);
    if (nx_is_nan(z) != 0u) {
        if (nx_is_infinity(z) != 0u)
            return dvec2(double(NX_NAN), nx_is_infinity(z.y) != 0u ? -z.y : double(NX_INF));
        return dvec2(nx_nz(z.x) ? double(NX_NAN) : 1.5707963267948966lf, double(NX_NAN));
    }
    if (most > 1e18lf) {
        r = nx_atan2(y, z.x);
        i = nx_is_finite(z) ? nx_log_modulus(dvec2(z.x, 0.0lf), y, 1).x : double(NX_INF);
    } else {
        dvec2 m, mi, pi_, p = nx_arc_parts(dvec2(z.x, y), pi_, m, mi);
        dvec2 s = nx_pair_sum(nx_pair_product(m, pi_), -nx_pair_product(mi, p));
        r = 2.0lf * nx_atan_pair(m, p).x;
        i = !nx_nz(y) && abs(z.x) <= 1.0lf ? 0.0lf : most < 1e-9lf ? y : nx_asinh_pair(s);
    }
    return dvec2(r, nx_signed(i, -1.0lf, z.y));
}
