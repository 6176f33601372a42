//! needs: atan_parts_f64 tests_f64
//! provides: nx_atan(double)
double nx_atan(double x)
{
    double a = abs(x), y = nx_atan_parts(a <= 1e20lf ? a : 1e20lf, 1.0lf).x;
    if (nx_is_nan(x) != 0u || a < 1e-8lf)
        return x;
    return x < 0.0 ? -y : y;
}
