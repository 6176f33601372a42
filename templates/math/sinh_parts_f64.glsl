//! needs: exp_parts_f64 exact_f64 inverse_f64 scale_f64
//! provides: nx_sinh_parts(double)
/* As sinh_parts_f32, for |x| <= 1500. */
dvec2 nx_sinh_parts(double x, out dvec2 c, out int k)
{
    double z = x * x;
    double p = 7.765963316065979e-13lf;
    p = 1.6056998690736106e-10lf + z * p;
    p = 2.505212687456869e-08lf + z * p;
    p = 2.7557319130299737e-06lf + z * p;
    p = 0.00019841269841531324lf + z * p;
    p = 0.00833333333333297lf + z * p;
    p = 0.16666666666666669lf + z * p;
    precise double rest = x * (z * p);
    dvec2 e = nx_exp_parts(x < 0.0lf ? -x : x, 0.0lf, k);
    double w = nx_power_of_two_f64(-2 * min(k, 60));
    precise double i = nx_inverse(e.x);
    dvec2 q = nx_two_prod(i, e.x);
    precise double il = i * (((1.0lf - q.x) - q.y) - i * e.y);
    c = nx_two_sum(e.x, i * w);
    c = nx_quick_sum(c.x, c.y + (e.y + il * w));
    dvec2 s = nx_two_sum(e.x, -i * w);
    s = nx_quick_sum(s.x, s.y + (e.y - il * w));
    s = x < 0.0lf ? -s : s;
    if (z < 1.0lf) {
        dvec2 near = nx_quick_sum(x, rest);
        s = near * nx_power_of_two_f64(1 - k);
    }
    k = k - 1;
    return s;
}
