//! needs: log_parts_f64 exact_f64
//! provides: nx_atanh(double)
/* A series near 0; else (log(1 + |x|) - log(1 - |x|)) / 2 in pairs. */
double nx_atanh(double x)
{
    double a = abs(x), z = x * x;
    precise double near = x + x * z * (0.3333333333333333lf + z * (0.2lf + z * (0.14285714285714285lf + z * 0.1111111111111111lf)));
    bool ok = a < 1.0;
    dvec2 p = nx_two_sum(1.0lf, ok ? a : 0.0lf), m = nx_two_sum(1.0lf, ok ? -a : 0.0lf);
    p = nx_log_parts(p.x, p.y, 0);
    m = nx_log_parts(m.x, m.y, 0);
    dvec2 s = nx_two_sum(p.x, -m.x);
    precise double y = 0.5 * (s.x + (s.y + (p.y - m.y)));
    if (!ok)
        y = a == 1.0 ? double(NX_INF) : double(NX_NAN);
    if (a < 0.00390625lf)
        return a < 1e-8lf ? x : near;
    return x < 0.0 ? -y : y;
}
