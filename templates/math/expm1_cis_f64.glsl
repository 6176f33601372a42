//! needs: exp_parts_f64 sin_parts_f64 pair_f64 exact_f64 scale_f64
//! provides: nx_expm1_cis(double)
/* As expm1_cis_f32. */
dvec2 nx_expm1_cis(double x, dvec2 r, int q, out dvec2 im, out dvec2 plus)
{
    dvec2 s = nx_sin_parts(r), c = nx_cos_parts(r);
    s = nx_quick_sum(s.x, s.y);
    dvec2 away = nx_two_sum(c.x, -1.0lf);
    away = nx_quick_sum(away.x, away.y + c.y);
    c = nx_quick_sum(c.x, c.y);
    int k;
    dvec2 e = nx_exp_parts(x, 0.0lf, k);
    e = e * nx_power_of_two_f64(k);
    double p = 2.087497882118416e-09lf;
    p = 2.5112650487254825e-08lf + x * p;
    p = 2.755740477400155e-07lf + x * p;
    p = 2.7557232901459346e-06lf + x * p;
    p = 2.4801587170658736e-05lf + x * p;
    p = 0.00019841269898620886lf + x * p;
    p = 0.0013888888888960221lf + x * p;
    p = 0.008333333333315969lf + x * p;
    p = 0.04166666666666654lf + x * p;
    p = 0.16666666666666685lf + x * p;
    p = 0.5lf + x * p;
    precise double rest = x * x * p;
    dvec2 m = nx_two_sum(e.x, -1.0lf);
    m = abs(x) < 0.34lf ? nx_quick_sum(x, rest) : nx_quick_sum(m.x, m.y + e.y);
    dvec2 re = nx_pair_sum(nx_pair_product(m, c), away);
    dvec2 t = (q & 1) != 0 ? c : s, u = (q & 1) != 0 ? s : c;
    im = nx_pair_product(e, (q & 2) != 0 ? -t : t);
    plus = nx_pair_product(e, ((q + 1) & 2) != 0 ? -u : u);
    dvec2 apart = nx_pair_sum(plus, dvec2(-1.0lf, 0.0lf));
    return (q & 3) == 0 ? re : apart;
}
