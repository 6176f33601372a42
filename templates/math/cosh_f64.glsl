//! needs: exp_parts_f64 exact_f64 scale_f64 inverse_f64 tests_f64
//! provides: nx_cosh(double)
/* e^|x| = 2^k (h + l) and its reciprocal, halved. */
double nx_cosh(double x)
{
    double a = abs(x);
    int k;
    dvec2 e = nx_exp_parts(a <= 711.0lf ? a : 711.0lf, 0.0lf, k);
    double w = packDouble2x32(uvec2(0u, uint(1023 - 2 * min(k, 60)) << 20));
    precise double c = nx_inverse(e.x);
    dvec2 q = nx_two_prod(c, e.x);
    precise double cl = c * (((1.0 - q.x) - q.y) - c * e.y);
    dvec2 s = nx_two_sum(e.x, c * w);
    double y = nx_scale(s.x + (s.y + (e.y + cl * w)), k - 1);
    return nx_is_nan(x) != 0u ? x : y;
}
