//! needs: asin_series_f64 exact_f64 root_parts_f64
//! provides: nx_acos(double)
/* Up to 1/2, pi/2 - asin(x); above, 2 asin(sqrt((1 - |x|) / 2)), or pi less that. */
double nx_acos(double x)
{
    double a = abs(x);
    bool far = a > 0.5;
    precise double z = far ? 0.5 - 0.5 * min(a, 1.0lf) : x * x;
    double p = nx_asin_series(z);
    dvec2 s = nx_root_parts(far ? z : 1.0lf, 0.0lf);
    precise double rest = far ? 2.0 * (s.x * p + s.y) : x * p;
    dvec2 t = far ? dvec2(2.0 * s.x, rest) : dvec2(x, rest);
    bool turn = far && x < 0.0;
    dvec2 b = nx_quick_sum(turn ? 3.141592653589793lf : 1.5707963267948966lf, -t.x);
    precise double y = b.x + (b.y + ((turn ? 1.2246467991473532e-16lf : 6.123233995736766e-17lf) - t.y));
    if (!(a <= 1.0))
        return double(NX_NAN);
    return far && !turn ? t.x + t.y : y;
}
