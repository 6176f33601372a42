//! needs: exp_parts_f64 exact_f64 scale_f64 inverse_f64 tests_f64
//! provides: nx_sigmoid(double)
/* As sigmoid_f32. */
double nx_sigmoid(double x)
{
    double a = abs(x) <= 746.0lf ? abs(x) : 746.0lf;
    int k;
    dvec2 t = nx_exp_parts(-a, 0.0lf, k);
    double unit = nx_power_of_two_f64(max(k, -120));
    dvec2 d = nx_quick_sum(1.0lf, t.x * unit);
    precise double dl = d.y + t.y * unit;
    bool up = x >= 0.0lf;
    double n = up ? 1.0lf : t.x, nl = up ? 0.0lf : t.y;
    precise double c = nx_inverse(d.x);
    precise double q = n * c;
    dvec2 p = nx_two_prod(q, d.x);
    precise double r = (((n - p.x) - p.y) - q * dl) + nl;
    precise double y = q + r * c;
    return nx_is_nan(x) != 0u ? x : up ? y : nx_scale(y, k);
}
