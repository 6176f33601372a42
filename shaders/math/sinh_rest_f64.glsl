//! needs:
//! provides: nx_sinh_rest(double)
/* sinh(x) - x for |x| <= 1: an odd minimax polynomial. */
double nx_sinh_rest(double x)
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
    return rest;
}
