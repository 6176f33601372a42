//! needs: erfc_parts_f64 exact_f64 scale_f64 tests_f64
//! provides: nx_erfc(double)
/* From -1 to 1/2 1 - erf by its polynomial; above by erfc_parts, below 2 less that. */
double nx_erfc(double x)
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
    dvec2 s = nx_two_sum(1.0lf, -x);
    precise double near = s.x + (s.y - x * p);
    int k;
    dvec2 e = nx_erfc_parts(a >= 0.5 ? (a <= 27.3lf ? a : 27.3lf) : 27.3lf, k);
    double far = nx_scale(e.x, k);
    if (nx_is_nan(x) != 0u)
        return x;
    if (x > -1.0 && x < 0.5)
        return near;
    if (x < 0.0)
        return 2.0lf - far;
    return a > 27.3lf ? 0.0lf : far;
}
