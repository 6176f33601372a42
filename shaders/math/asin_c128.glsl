//! needs: arc_parts_c128 atan_pair_f64 asinh_pair_f64 log_modulus_c128 atan2_f64 pair_f64 signed_f64 tests_c128 tests_f64
//! provides: nx_asin(dvec2)
/* Kahan's formulas in pairs, for |x| + i |y|; near 0 z itself, far out by the logarithm. Annex G of C, by way of asinh. */
dvec2 nx_asin(dvec2 z)
{
    dvec2 a = dvec2(nx_signed(z.x, 1.0lf, 1.0lf), nx_signed(z.y, 1.0lf, 1.0lf));
    double r, i, most = max(a.x, a.y);
    if (nx_is_nan(z) != 0u) {
        if (nx_is_infinity(z.y) != 0u)
            return dvec2(double(NX_NAN), z.y);
        if (nx_is_infinity(z.x) != 0u)
            return dvec2(double(NX_NAN), z.x);
        return dvec2(nx_nz(z.x) ? double(NX_NAN) : z.x, double(NX_NAN));
    }
    if (most < 1e-9lf)
        return z;
    if (most > 1e18lf) {
        r = nx_atan2(a.x, a.y);
        i = nx_is_finite(z) ? nx_log_modulus(dvec2(a.x, 0.0lf), a.y, 1).x : double(NX_INF);
    } else {
        dvec2 m, mi, pi_, p = nx_arc_parts(a, pi_, m, mi);
        dvec2 c = nx_pair_sum(nx_pair_product(m, p), -nx_pair_product(mi, pi_));
        dvec2 s = nx_pair_sum(nx_pair_product(m, pi_), -nx_pair_product(mi, p));
        r = nx_atan_pair(dvec2(a.x, 0.0lf), c).x;
        i = nx_asinh_pair(s);
    }
    return dvec2(nx_signed(r, 1.0lf, z.x), nx_signed(nx_nz(z.y) || a.x > 1.0lf ? i : 0.0lf, 1.0lf, z.y));
}
