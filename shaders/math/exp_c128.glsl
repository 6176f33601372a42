//! needs: exp_f64 exp_parts_f64 cis_f64 pair_f64 scale_f64 signed_f64 tests_f64
//! provides: nx_exp(dvec2)
/* e^x (cos y + i sin y) with every factor a pair, scaled last so that a small cosine saves an overflow. Annex G of C. */
dvec2 nx_exp(dvec2 z)
{
    if (!nx_nz(z.y))
        return dvec2(nx_exp(z.x), z.y);
    if (nx_is_nan(z.x) != 0u)
        return dvec2(double(NX_NAN), double(NX_NAN));
    if (!nx_is_finite(z.y))
        return nx_is_finite(z.x) ? dvec2(double(NX_NAN), double(NX_NAN)) : z.x < 0.0lf ? dvec2(0.0lf, nx_signed(0.0lf, 1.0lf, z.y)) : dvec2(z.x, double(NX_NAN));
    int k;
    dvec2 e = nx_exp_parts(clamp(z.x, -800.0lf, 1500.0lf), 0.0lf, k), c, s = nx_cis(z.y, c);
    int up = clamp(k >> 1, 0, 1000); // first, for sines that are nearly 0
    e = e * nx_power_of_two_f64(up);
    k -= up;
    dvec2 re = nx_pair_product(e, c), im = nx_pair_product(e, s);
    return dvec2(nx_signed(nx_scale(re.x, k), 1.0lf, c.x), nx_signed(nx_scale(im.x, k), 1.0lf, s.x));
}
