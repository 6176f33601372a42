//! needs: exp_parts_f64 exact_f64 scale_f64 tests_f64
//! provides: nx_expm1(double)
/* As expm1_f32. */
double nx_expm1(double x)
{
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
    precise double near = x + x * x * p;
    double c = x >= -50.0lf ? (x <= 710.0lf ? x : 710.0lf) : -50.0lf;
    int k;
    dvec2 e = nx_exp_parts(c, 0.0lf, k);
    double unit = nx_power_of_two_f64(k - 1);
    dvec2 s = nx_two_sum(e.x * unit, -0.5lf);
    precise double far = 2.0lf * (s.x + (s.y + e.y * unit));
    double y = abs(x) < 0.34lf ? near : far;
    return nx_is_nan(x) != 0u || x == 0.0lf ? x : y;
}
