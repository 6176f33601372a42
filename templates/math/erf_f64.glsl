//! needs: erfc_parts_f64 scale_f64 tests_f64
//! provides: nx_erf(double)
/* Below 1 an odd minimax polynomial, above 1 - erfc. */
double nx_erf(double x)
{
    double a = abs(x), z = x * x;
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
    p = 0.1283791670955126lf + z * p;
    precise double near = x + x * p;
    bool plain = a >= 1.0 && a <= 7.0lf;
    int k;
    dvec2 e = nx_erfc_parts(plain ? a : 7.0lf, k);
    precise double far = 1.0 - nx_scale(e.x, k);
    if (nx_is_nan(x) != 0u)
        return x;
    if (a < 1.0)
        return near;
    return x < 0.0 ? -far : far;
}
