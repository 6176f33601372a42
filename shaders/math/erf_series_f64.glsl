//! needs:
//! provides: nx_erf_series(double)
/* erf(x) / x - 1 of z = x^2, up to 1: a minimax polynomial. */
double nx_erf_series(double z)
{
    double p = 6.743943213675881e-11lf;
    p = -1.1865942127609906e-09lf + z * p;
    p = 1.4795759600649745e-08lf + z * p;
    p = -1.6372009406459654e-07lf + z * p;
    p = 1.646321554009632e-06lf + z * p;
    p = -1.492574636535486e-05lf + z * p;
    p = 0.00012055338093514177lf + z * p;
    p = -0.0008548327197733799lf + z * p;
    p = 0.005223977629222179lf + z * p;
    p = -0.026866170645630082lf + z * p;
    p = 0.11283791670958777lf + z * p;
    p = -0.37612638903183876lf + z * p;
    precise double series = 0.1283791670955126lf + z * p;
    return series;
}
