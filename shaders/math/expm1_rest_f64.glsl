//! needs:
//! provides: nx_expm1_rest(double)
/* e^x - 1 - x for |x| < 0.35, by a polynomial of its own. */
double nx_expm1_rest(double x)
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
    precise double rest = x * x * p;
    return rest;
}
