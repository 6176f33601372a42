//! needs: erf_series_f64 erfc_parts_f64 scale_f64 tests_f64
//! provides: nx_erf(double)
/* Below 1 an odd minimax polynomial, above 1 - erfc. */
double nx_erf(double x)
{
    double a = abs(x);
    double p = nx_erf_series(x * x);
    precise double near = x + x * p;
    bool plain = a >= 1.0 && a <= 7.0lf;
    int k;
    dvec2 e = nx_erfc_parts(plain ? a : 7.0lf, k);
    precise double far = 1.0 - nx_scale(e.x, k);
    if (nx_is_nan(x) != 0u)
        return x;
    if (a < 1.0)
        return near;
    return x < 0.0 ? -far : far;
}
