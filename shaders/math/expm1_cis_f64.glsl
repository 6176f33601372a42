//! needs: expm1_rest_f64 exp_parts_f64 sin_parts_f64 pair_f64 exact_f64 scale_f64
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
    dvec2 e = nx_exp_parts(max(x, -80.0lf), 0.0lf, k);
    e = e * nx_power_of_two_f64(k);
    dvec2 m = nx_two_sum(e.x, -1.0lf);
    m = abs(x) < 0.34lf ? nx_quick_sum(x, nx_expm1_rest(x)) : nx_quick_sum(m.x, m.y + e.y);
    dvec2 re = nx_pair_sum(nx_pair_product(m, c), away);
    dvec2 t = (q & 1) != 0 ? c : s, u = (q & 1) != 0 ? s : c;
    im = nx_pair_product(e, (q & 2) != 0 ? -t : t);
    plus = nx_pair_product(e, ((q + 1) & 2) != 0 ? -u : u);
    dvec2 apart = nx_pair_sum(plus, dvec2(-1.0lf, 0.0lf));
    return (q & 3) == 0 ? re : apart;
}
