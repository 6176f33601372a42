//! needs: sinh_parts_f64 exp_parts_f64 cis_f64 pair_f64 scale_f64 signed_f64 tests_f64
//! provides: nx_tanh(dvec2)
/* (sinh x cosh x + i sin y cos y) / (cos^2 y + sinh^2 x) in pairs, where nothing cancels; far out 1 and what is left of
   the angle. Annex G of C. */
dvec2 nx_tanh(dvec2 z)
{
    if (nx_is_nan(z.x) != 0u)
        return dvec2(double(NX_NAN), nx_nz(z.y) ? double(NX_NAN) : z.y);
    if (!nx_is_finite(z.y))
        return nx_is_finite(z.x) ? dvec2(nx_nz(z.x) ? double(NX_NAN) : z.x, double(NX_NAN)) : dvec2(nx_signed(1.0lf, 1.0lf, z.x), nx_signed(0.0lf, 1.0lf, z.y));
    int k;
    dvec2 c, s = nx_cis(z.y, c), n = nx_pair_product(s, c);
    double far = min(abs(z.x), 400.0lf);
    if (far > 20.0lf) {
        dvec2 e = nx_pair_product(nx_exp_parts(-2.0lf * far, 0.0lf, k), n);
        return dvec2(nx_signed(1.0lf, 1.0lf, z.x), nx_nz(z.y) ? nx_signed(nx_scale(e.x, k + 2), s.x, c.x) : z.y);
    }
    dvec2 d, h = nx_sinh_parts(z.x, d, k);
    h = dvec2(nx_scale(h.x, k), nx_scale(h.y, k));
    d = dvec2(nx_scale(d.x, k), nx_scale(d.y, k));
    dvec2 m = nx_pair_sum(nx_pair_product(c, c), nx_pair_product(h, h));
    dvec2 re = nx_pair_quotient(nx_pair_product(h, d), m), im = nx_pair_quotient(n, m);
    return dvec2(nx_nz(z.x) ? nx_signed(re.x, 1.0lf, z.x) : z.x, nx_nz(z.y) ? nx_signed(im.x, s.x, c.x) : z.y);
}
