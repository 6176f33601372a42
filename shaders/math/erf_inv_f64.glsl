//! needs: erf_inv_ratio_f32 log_f64 erfc_parts_f64 exact_f64 scale_f64 exp_f64
//! provides: nx_erf_inv(double)
/* The float's approximation, then one step of Halley on erf (below 1/2, by its polynomial) or erfc. */
double nx_erf_inv(double x)
{
    double a = abs(x);
    bool ok = a < 1.0lf;
    double b = ok ? a : 0.0lf;
    dvec2 p = dvec2(nx_erf_inv_ratio_f32(float(-nx_log((1.0lf - b) * (1.0lf + b)) - 2.5lf)));
    precise double y = b * (p.x + p.y);
    double z = y * y;
    double s = 6.743943213675881e-11lf;
    s = -1.1865942127609906e-09lf + z * s;
    s = 1.4795759600649745e-08lf + z * s;
    s = -1.6372009406459654e-07lf + z * s;
    s = 1.646321554009632e-06lf + z * s;
    s = -1.492574636535486e-05lf + z * s;
    s = 0.00012055338093514177lf + z * s;
    s = -0.0008548327197733799lf + z * s;
    s = 0.005223977629222179lf + z * s;
    s = -0.026866170645630082lf + z * s;
    s = 0.11283791670958777lf + z * s;
    s = -0.37612638903183876lf + z * s;
    s = 0.1283791670955126lf + z * s;
    dvec2 d = nx_two_sum(y, -b);
    precise double near = d.x + (d.y + y * s);
    int k;
    dvec2 e = nx_erfc_parts(max(y, 0.5lf), k);
    double u = nx_power_of_two_f64(max(k, -1000));
    precise double far = ((1.0lf - b) - e.x * u) - e.y * u;
    precise double t = (y < 0.5lf ? near : far) * (0.886226925452758lf * nx_exp(z));
    precise double r = y - t / (1.0lf + y * t);
    if (b < 1e-9lf)
        r = b * 0.886226925452758lf + b * -3.8332932499128993e-17lf;
    if (!ok)
        r = a == 1.0lf ? double(NX_INF) : double(NX_NAN);
    return x == 0.0lf ? x : x < 0.0lf ? -r : r;
}
