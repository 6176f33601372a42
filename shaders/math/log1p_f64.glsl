//! needs: log_parts_f64 exact_f64 tests_f64
//! provides: nx_log1p(double)
double nx_log1p(double x)
{
    bool ok = x > -1.0lf && x <= 1.7976931348623157e308lf;
    dvec2 v = nx_two_sum(1.0lf, ok ? x : 0.0lf);
    dvec2 y = nx_log_parts(v.x, v.x < 1e100lf ? v.y : 0.0lf, 0);
    if (abs(x) < 1e-16lf || nx_is_nan(x) != 0u)
        return x;
    return ok ? y.x : x == -1.0lf ? double(-NX_INF) : x > 0.0lf ? x : double(NX_NAN);
}
