//! needs: sqrt_parts_c128 pair_f64 scale_f64 signed_f64 tests_c128 tests_f64
//! provides: nx_rsqrt(dvec2)
/* The conjugate of the root over its square, in pairs. 0 gives infinity, infinity 0. */
dvec2 nx_rsqrt(dvec2 z)
{
    if (!nx_nz(z))
        return dvec2(double(NX_INF), double(NX_NAN));
    if (nx_is_infinity(z) != 0u)
        return dvec2(0.0lf, nx_signed(0.0lf, -1.0lf, z.y));
    if (nx_is_nan(z) != 0u)
        return dvec2(double(NX_NAN), double(NX_NAN));
    int k;
    dvec2 im, re = nx_sqrt_parts(dvec2(z.x, 0.0lf), z.y, im, k);
    dvec2 m = nx_pair_sum(nx_pair_product(re, re), nx_pair_product(im, im));
    re = nx_pair_quotient(re, m);
    im = nx_pair_quotient(im, m);
    return dvec2(nx_signed(nx_scale(re.x, -k), 1.0lf, 1.0lf), nx_signed(nx_scale(im.x, -k), -1.0lf, z.y));
}
