//! needs: scale_f64 tests_f64
//! provides: nx_exp(double)
/* As exp_f32, with the power of two in two steps. */
double nx_exp(double x)
{
    double c = min(max(x, -746.0lf), 710.0lf);
    precise double t = fma(c, 1.4426950408889634lf, 6755399441055744.0lf);
    precise double k = t - 6755399441055744.0lf;
    precise double high = fma(-k, 6.93147180369123816490e-01lf, c), r = fma(-k, 1.90821492927058770002e-10lf, high);
    double p = 2.5003225322679648e-08lf;
    p = 2.7630537163848767e-07lf + r * p;
    p = 2.755757700396035e-06lf + r * p;
    p = 2.4801492265489312e-05lf + r * p;
    p = 0.00019841269516385736lf + r * p;
    p = 0.0013888888944473428lf + r * p;
    p = 0.008333333333490232lf + r * p;
    p = 0.041666666666526686lf + r * p;
    p = 0.1666666666666642lf + r * p;
    p = 0.5000000000000011lf + r * p;
    precise double h = 1.0lf + high;
    precise double y = h + fma(r * r, p, fma(-k, 1.90821492927058770002e-10lf, high - (h - 1.0lf)));
    return nx_is_nan(x) != 0u ? x : nx_scale(y, int(unpackDouble2x32(t).x));
}
