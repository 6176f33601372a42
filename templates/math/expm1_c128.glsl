//! needs: exp_c128 expm1_f64 expm1_cis_f64 reduce_f64 tests_f64
//! provides: nx_expm1(dvec2)
/* Far to the right e^z - 1 itself, elsewhere in pairs. What is not finite is as in exp. */
dvec2 nx_expm1(dvec2 z)
{
    if (!nx_nz(z.y))
        return dvec2(nx_expm1(z.x), z.y);
    if (!nx_is_finite(z.x) || !nx_is_finite(z.y) || z.x > 40.0lf) {
        dvec2 w = nx_exp(z);
        return dvec2(w.x - 1.0lf, w.y);
    }
    int q;
    dvec2 r = nx_reduce(z.y, q), im, plus, re = nx_expm1_cis(z.x < -80.0lf ? -80.0lf : z.x, r, q, im, plus);
    return dvec2(re.x, z.x < -80.0lf ? nx_exp(z).y : im.x);
}
