//! needs: exp_f64 expm1_f64 sin_f64 cos_f64 div_c128
//! provides: nx_sigmoid(dvec2)
/* With w = z or -z to the left of the imaginary axis, 1 or e^w over 1 + e^w; near the poles that sum is
   2 cos(v/2)^2 + expm1(u) cos(v) + i e^u sin(v). */
dvec2 nx_sigmoid(dvec2 z)
{
    dvec2 w = z.x >= 0.0 ? -z : z;
    double e = nx_exp(w.x), c = nx_cos(w.y), s = nx_sin(w.y), h = nx_cos(0.5 * w.y);
    precise double re = 2.0 * h * h + nx_expm1(w.x) * c, im = e * s;
    return nx_div(z.x >= 0.0 ? dvec2(1.0lf, 0.0lf) : dvec2(e * c, im), dvec2(re, im));
}
