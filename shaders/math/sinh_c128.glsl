//! needs: sinh_parts_f64 cis_f64 pair_f64 scale_f64 signed_f64 tests_f64
//! provides: nx_sinh(dvec2)
/* sinh x cos y + i cosh x sin y with every factor a pair. Annex G of C. */
dvec2 nx_sinh(dvec2 z)
{
    bool still = !nx_nz(z.x), real = !nx_nz(z.y);
    if (nx_is_nan(z.x) != 0u)
        return dvec2(double(NX_NAN), real ? z.y : double(NX_NAN));
    if (!nx_is_finite(z.y))
        return dvec2(still || !nx_is_finite(z.x) ? z.x : double(NX_NAN), double(NX_NAN));
    int k;
    dvec2 c, d, s = nx_cis(z.y, c), h = nx_sinh_parts(abs(z.x) < 1500.0lf ? z.x : nx_signed(1500.0lf, 1.0lf, z.x), d, k);
    int up = clamp(k >> 1, 0, 1000); // first, for sines that are nearly 0
    h = h * nx_power_of_two_f64(up);
    d = d * nx_power_of_two_f64(up);
    k -= up;
    dvec2 re = nx_pair_product(h, c), im = nx_pair_product(d, s);
    return dvec2(still ? nx_signed(0.0lf, z.x, c.x) : nx_signed(nx_scale(re.x, k), z.x, c.x), real ? z.y : nx_signed(nx_scale(im.x, k), 1.0lf, s.x));
}
