//! needs: erf_series_f64 erfc_parts_f64 exact_f64 scale_f64 tests_f64
//! provides: nx_erfc(double)
/* From -1 to 1/2 1 - erf by its polynomial; above by erfc_parts, below 2 less that. */
double nx_erfc(double x)
{
    double a = abs(x);
    double p = nx_erf_series(x * x);
    dvec2 s = nx_two_sum(1.0lf, -x);
    precise double near = s.x + (s.y - x * p);
    int k;
    dvec2 e = nx_erfc_parts(a >= 0.5 ? (a <= 27.3lf ? a : 27.3lf) : 27.3lf, k);
    double far = nx_scale(e.x, k);
    if (nx_is_nan(x) != 0u)
        return x;
    if (x > -1.0 && x < 0.5)
        return near;
    if (x < 0.0)
        return 2.0lf - far;
    return a > 27.3lf ? 0.0lf : far;
}
