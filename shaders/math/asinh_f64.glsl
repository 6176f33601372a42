//! needs: log_parts_f64 root_parts_f64 exact_f64
//! provides: nx_asinh(double)
/* A series near 0; else log(|x| + sqrt(x^2 + 1)) in pairs; far out log(2 |x|). */
double nx_asinh(double x)
{
    double a = abs(x), z = x * x;
    precise double near = x - x * z * (0.16666666666666666lf - z * (0.075lf - z * (0.044642857142857144lf - z * 0.030381944444444444lf)));
    bool big = a > 1e18lf;
    double b = big ? 1.0lf : a;
    dvec2 s = nx_two_prod(b, b), t = nx_two_sum(s.x, 1.0lf);
    dvec2 r = nx_root_parts(t.x, t.y + s.y);
    dvec2 v = nx_two_sum(b, r.x);
    v = nx_quick_sum(v.x, v.y + r.y);
    bool finite = a <= 1.7976931348623157e308lf;
    double y = nx_log_parts(big ? (finite ? a : 1.0lf) : v.x, big ? 0.0lf : v.y, big ? 1 : 0).x;
    if (!finite)
        return x;
    if (a < 0.00390625lf)
        return a < 1e-8lf ? x : near;
    return x < 0.0 ? -y : y;
}
