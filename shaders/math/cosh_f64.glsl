//! needs: exp_both_f64 exact_f64 scale_f64 tests_f64
//! provides: nx_cosh(double)
/* e^|x| and its reciprocal, halved. */
double nx_cosh(double x)
{
    double a = abs(x);
    int k;
    dvec2 r, e = nx_exp_both(a <= 711.0lf ? a : 711.0lf, r, k), s = nx_two_sum(e.x, r.x);
    double y = nx_scale(s.x + (s.y + (e.y + r.y)), k - 1);
    return nx_is_nan(x) != 0u ? x : y;
}
