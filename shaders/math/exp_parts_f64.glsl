//! needs: exact_f64
//! provides: nx_exp_parts(double)
/* e^(h + l) = 2^k (x + y) of the result, relative error under 2^-57. Needs |h| < 1500, |l| <= ulp(h). */
dvec2 nx_exp_parts(double h, double l, out int k)
{
    precise double n = floor(h * 1.4426950408889634lf + 0.5lf);
    precise double t = h - n * 6.93147180369123816490e-01lf;
    dvec2 r = nx_two_sum(t, n * -1.90821492927058770002e-10lf);
    double p = 2.087497882118416e-09lf;
    p = 2.5112650487254825e-08lf + r.x * p;
    p = 2.755740477400155e-07lf + r.x * p;
    p = 2.7557232901459346e-06lf + r.x * p;
    p = 2.4801587170658736e-05lf + r.x * p;
    p = 0.00019841269898620886lf + r.x * p;
    p = 0.0013888888888960221lf + r.x * p;
    p = 0.008333333333315969lf + r.x * p;
    p = 0.04166666666666654lf + r.x * p;
    p = 0.16666666666666685lf + r.x * p;
    p = 0.5lf + r.x * p;
    precise double rest = r.y + l;
    precise double q = r.x * r.x * p;
    q = q + rest * (1.0lf + (r.x + q));
    dvec2 s = nx_quick_sum(1.0lf, r.x);
    k = int(n);
    return nx_quick_sum(s.x, s.y + q);
}
