//! needs: expm1_rest_f64 exp_parts_f64 exact_f64 scale_f64 tests_f64
//! provides: nx_expm1(double)
/* As expm1_f32. */
double nx_expm1(double x)
{
    precise double near = x + nx_expm1_rest(x);
    double c = x >= -50.0lf ? (x <= 710.0lf ? x : 710.0lf) : -50.0lf;
    int k;
    dvec2 e = nx_exp_parts(c, 0.0lf, k);
    double unit = nx_power_of_two_f64(k - 1);
    dvec2 s = nx_two_sum(e.x * unit, -0.5lf);
    precise double far = 2.0lf * (s.x + (s.y + e.y * unit));
    double y = abs(x) < 0.34lf ? near : far;
    return nx_is_nan(x) != 0u || x == 0.0lf ? x : y;
}
