//! needs: sqrt_parts_c128 scale_f64 signed_f64 tests_c128 tests_f64
//! provides: nx_sqrt(dvec2)
/* In pairs. Annex G of C. */
dvec2 nx_sqrt(dvec2 z)
{
    if (!nx_nz(z))
        return dvec2(0.0lf, z.y);
    if (nx_is_infinity(z.y) != 0u)
        return dvec2(double(NX_INF), z.y);
    if (nx_is_infinity(z.x) != 0u) {
        double n = nx_is_nan(z.y) != 0u ? z.y : 0.0lf;
        return z.x > 0.0lf ? dvec2(z.x, nx_signed(n, 1.0lf, z.y)) : dvec2(n, nx_signed(double(NX_INF), 1.0lf, z.y));
    }
    if (nx_is_nan(z) != 0u)
        return dvec2(double(NX_NAN), double(NX_NAN));
    int k;
    dvec2 im, re = nx_sqrt_parts(dvec2(z.x, 0.0lf), z.y, im, k);
    return dvec2(nx_signed(nx_scale(re.x, k), 1.0lf, 1.0lf), nx_signed(nx_scale(im.x, k), 1.0lf, z.y));
}
