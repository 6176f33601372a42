//! needs: reduce_f64 sin_parts_f64 exact_f64 inverse_f64
//! provides: nx_tan(double)
/* Sine over cosine, both as pairs; the quotient is corrected by its residual. */
double nx_tan(double x)
{
    bool finite = abs(x) <= 1.7976931348623157e308lf;
    int q;
    dvec2 r = nx_reduce(finite ? x : 0.0lf, q);
    dvec2 s = nx_sin_parts(r), c = nx_cos_parts(r);
    bool turned = (q & 1) != 0;
    dvec2 n = turned ? c : s, d = turned ? s : c;
    n = nx_quick_sum(n.x, n.y);
    d = nx_quick_sum(d.x, d.y);
    precise double i = nx_inverse(d.x);
    precise double t = n.x * i;
    dvec2 p = nx_two_prod(t, d.x);
    precise double y = t + (((n.x - p.x) - p.y) + (n.y - t * d.y)) * i;
    if (!finite)
        return double(NX_NAN);
    return abs(x) < 1e-8lf ? x : turned ? -y : y;
}
