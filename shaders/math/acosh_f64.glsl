//! needs: log_parts_f64 root_parts_f64 exact_f64
//! provides: nx_acosh(double)
/* log(x + sqrt(x^2 - 1)) in pairs; far out log(2 x). */
double nx_acosh(double x)
{
    bool finite = x <= 1.7976931348623157e308lf, ok = x >= 1.0 && finite;
    bool big = x > 1e18lf;
    double b = big || !ok ? 2.0lf : x;
    dvec2 s = nx_two_prod(b, b), t = nx_two_sum(s.x, -1.0lf);
    t = nx_two_sum(t.x, t.y + s.y);
    dvec2 r = nx_root_parts(t.x, t.y);
    dvec2 v = nx_two_sum(b, r.x);
    v = nx_quick_sum(v.x, v.y + r.y);
    double y = nx_log_parts(big && ok ? x : v.x, big ? 0.0lf : v.y, big ? 1 : 0).x;
    if (ok)
        return y;
    return x > 1.0 ? x : double(NX_NAN);
}
