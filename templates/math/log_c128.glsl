//! needs: level_c128 log_parts_f64 atan2_f64 exact_f64 tests_f64 tests_c128
//! provides: nx_log(dvec2)
/* Half the logarithm of |z|^2 as a pair, so that it is good where |z| is near 1, and the angle. */
dvec2 nx_log(dvec2 z)
{
    double angle = nx_atan2(z.y, z.x);
    if (!nx_nz(z))
        return dvec2(double(-NX_INF), angle);
    if (nx_is_infinity(z) != 0u)
        return dvec2(double(NX_INF), angle);
    if (nx_is_nan(z) != 0u)
        return dvec2(angle, angle);
    int k;
    dvec2 w = nx_level(z, k);
    dvec2 p = nx_two_prod(w.x, w.x), q = nx_two_prod(w.y, w.y);
    if (abs(w.x) < abs(w.y)) {
        dvec2 t = p;
        p = q;
        q = t;
    }
    /* against 1 first: near the unit circle all but the small parts cancel */
    bool unit = k == 0 && p.x + q.x < 2.0lf || k == -1;
    precise double f = k == -1 ? 0.25lf : 1.0lf;
    p = p * f;
    q = q * f;
    dvec2 a = nx_two_sum(p.x, q.x), b = nx_two_sum(a.y, p.y + q.y);
    dvec2 h = nx_quick_sum(a.x, b.x);
    dvec2 d = nx_two_sum(p.x - 1.0lf, q.x);
    precise double small = d.x + (d.y + (p.y + q.y));
    dvec2 l = nx_log_parts(h.x, h.y, k == -1 ? 0 : 2 * k);
    double re = 0.5 * l.x;
    if (unit && abs(small) < 1e-5lf)
        re = 0.5 * (small - small * small * (0.5 - small * 0.3333333333333333lf));
    return dvec2(re, angle);
}
