//! needs: reduce_f64 sin_parts_f64
//! provides: nx_cos(double)
/* Reduced modulo pi/2 exactly enough for every double, then one of two minimax polynomials. */
double nx_cos(double x)
{
    bool finite = abs(x) <= 1.7976931348623157e308lf;
    int q;
    dvec2 r = nx_reduce(finite ? x : 0.0lf, q);
    dvec2 s = nx_sin_parts(r), c = nx_cos_parts(r);
    dvec2 v = (q & 1) != 0 ? s : c;
    double y = ((q + 1) & 2) != 0 ? -(v.x + v.y) : v.x + v.y;
    return finite ? y : double(NX_NAN);
}
