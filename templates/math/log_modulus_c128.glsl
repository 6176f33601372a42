//! needs: level_c128 log_parts_f64 pair_f64 exact_f64 scale_f64
//! provides: nx_log_modulus(dvec2)
/* log(|x + i y| 2^n) as a pair: half the logarithm of the square, which near the unit circle is 1 + m with m exact.
   x + i y is finite and not 0. */
dvec2 nx_log_modulus(dvec2 x, double y, int n)
{
    int k;
    dvec2 w = nx_level(dvec2(x.x, y), k);
    dvec2 re = dvec2(w.x, nx_scale(x.y, -k)), p = nx_pair_product(re, re), q = nx_two_prod(w.y, w.y);
    bool unit = k == -1 || (k == 0 && p.x + q.x < 2.0lf);
    p = k == -1 ? p * 0.25lf : p;
    q = k == -1 ? q * 0.25lf : q;
    if (p.x < q.x) {
        dvec2 t = p;
        p = q;
        q = t;
    }
    dvec2 s = nx_pair_sum(p, q);
    dvec2 m = nx_pair_sum(nx_pair_sum(dvec2(-1.0lf, 0.0lf), p), q);
    dvec2 v = nx_two_sum(1.0lf, m.x);
    bool close = unit && n == 0 && m.x < 0.5lf && m.x > -0.25lf;
    if (close)
        s = nx_quick_sum(v.x, v.y + m.y);
    return nx_log_parts(s.x, s.y, close ? 0 : 2 * (n + (k == -1 ? 0 : k))) * 0.5lf;
}
