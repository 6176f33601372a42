//! needs: exp_f64 inverse_f64 tests_f64
//! provides: nx_tanh(double)
/* As tanh_f32. */
double nx_tanh(double x)
{
    double a = abs(x), z = x * x;
    double p = -1.7179916412944637e-05lf;
    p = 7.931639684505108e-05lf + z * p;
    p = -0.0002303989901753928lf + z * p;
    p = 0.0005871895085639948lf + z * p;
    p = -0.0014552157119431237lf + z * p;
    p = 0.0035920374508124774lf + z * p;
    p = -0.008863226786976866lf + z * p;
    p = 0.02186948800336549lf + z * p;
    p = -0.05396825394933594lf + z * p;
    p = 0.13333333333299768lf + z * p;
    p = -0.33333333333333126lf + z * p;
    precise double near = x + x * (z * p);
    double b = a <= 20.0lf ? a : 20.0lf;
    precise double far = 1.0lf - 2.0lf * nx_inverse(nx_exp(2.0lf * b) + 1.0lf);
    double y = a < 0.6lf ? near : x < 0.0lf ? -far : far;
    return nx_is_nan(x) != 0u || x == 0.0lf ? x : y;
}
