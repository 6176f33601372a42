//! needs: asin_series_f64 exact_f64 root_parts_f64
//! provides: nx_asin(double)
/* Up to 1/2 an odd minimax polynomial; above, pi/2 - 2 asin(sqrt((1 - x) / 2)). */
double nx_asin(double x)
{
    double a = abs(x);
    bool far = a > 0.5;
    precise double z = far ? 0.5 - 0.5 * min(a, 1.0lf) : x * x;
    double p = nx_asin_series(z);
    precise double near = x + x * p;
    dvec2 s = nx_root_parts(far ? z : 1.0lf, 0.0lf);
    dvec2 t = nx_quick_sum(1.5707963267948966lf, -2.0 * s.x);
    precise double y = t.x + (t.y + (6.123233995736766e-17lf - 2.0 * (s.x * p + s.y)));
    if (!(a <= 1.0))
        return double(NX_NAN);
    if (far)
        return x < 0.0 ? -y : y;
    return a < 1e-8lf ? x : near;
}
