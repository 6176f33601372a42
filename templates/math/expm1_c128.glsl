//! needs: expm1_f64 exp_f64 sin_f64 cos_f64
//! provides: nx_expm1(dvec2)
/* expm1(x) cos y - 2 sin(y/2)^2 and e^x sin y */
dvec2 nx_expm1(dvec2 z)
{
    double s = nx_sin(0.5 * z.y);
    precise double re = nx_expm1(z.x) * nx_cos(z.y) - 2.0 * s * s;
    return dvec2(re, nx_exp(z.x) * nx_sin(z.y));
}
