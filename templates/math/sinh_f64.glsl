//! needs: exp_parts_f64 exact_f64 scale_f64 inverse_f64
//! provides: nx_sinh(double)
/* Below 1 an odd minimax polynomial; above, e^|x| = 2^k (h + l) less its reciprocal, halved. */
double nx_sinh(double x)
{
    double a = abs(x), z = x * x;
    double p = 7.765963316065979e-13lf;
    p = 1.6056998690736106e-10lf + z * p;
    p = 2.505212687456869e-08lf + z * p;
    p = 2.7557319130299737e-06lf + z * p;
    p = 0.00019841269841531324lf + z * p;
    p = 0.00833333333333297lf + z * p;
    p = 0.16666666666666669lf + z * p;
    precise double near = x + x * (z * p);
    int k;
    dvec2 e = nx_exp_parts(a <= 711.0lf ? a : 711.0lf, 0.0lf, k);
    double w = packDouble2x32(uvec2(0u, uint(1023 - 2 * min(k, 60)) << 20));
    precise double c = nx_inverse(e.x);
    dvec2 q = nx_two_prod(c, e.x);
    precise double cl = c * (((1.0 - q.x) - q.y) - c * e.y);
    dvec2 s = nx_quick_sum(e.x, -c * w);
    double far = nx_scale(s.x + (s.y + (e.y - cl * w)), k - 1);
    if (!(a >= 1.0))
        return a < 1e-8lf ? x : near;
    return x < 0.0 ? -far : far;
}
