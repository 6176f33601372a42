//! needs: sinh_f64 tan_f64 sin_f64 cos_f64 exp_f64 sqrt_f64 div_f64
//! provides: nx_tanh(dvec2)
/* Kahan: with t = tan y and s = sinh x, over 1 + (1 + t^2) s^2; far out 1 and what is left of the angle. */
dvec2 nx_tanh(dvec2 z)
{
    if (abs(z.x) > 22.0lf) {
        double e = nx_exp(-abs(z.x));
        return dvec2(z.x < 0.0 ? -1.0lf : 1.0lf, 4.0 * nx_sin(z.y) * nx_cos(z.y) * e * e);
    }
    double t = nx_tan(z.y), s = nx_sinh(z.x);
    if (abs(t) > 1e100lf)
        return dvec2(nx_div(nx_sqrt(1.0 + s * s), s), 0.0lf);
    double b = 1.0 + t * t, d = 1.0 + b * s * s;
    return dvec2(nx_div(b * nx_sqrt(1.0 + s * s) * s, d), nx_div(t, d));
}
