//! needs: sinh_rest_f64 exp_both_f64 exact_f64 scale_f64
//! provides: nx_sinh(double)
/* Below 1 a polynomial; above, e^|x| less its reciprocal, halved. */
double nx_sinh(double x)
{
    double a = abs(x);
    precise double near = x + nx_sinh_rest(x);
    int k;
    dvec2 r, e = nx_exp_both(a <= 711.0lf ? a : 711.0lf, r, k), s = nx_quick_sum(e.x, -r.x);
    double far = nx_scale(s.x + (s.y + (e.y - r.y)), k - 1);
    if (!(a >= 1.0lf))
        return a < 1e-8lf ? x : near;
    return x < 0.0lf ? -far : far;
}
