//! needs: reduce_f64 sin_parts_f64 exact_f64
//! provides: nx_cis(double)
/* Sine (the result) and cosine of a finite angle, as pairs. */
dvec2 nx_cis(double y, out dvec2 c)
{
    int q;
    dvec2 r = nx_reduce(y, q);
    dvec2 s = nx_sin_parts(r);
    c = nx_cos_parts(r);
    s = nx_quick_sum(s.x, s.y);
    c = nx_quick_sum(c.x, c.y);
    dvec2 t = (q & 1) != 0 ? c : s;
    c = (q & 1) != 0 ? s : c;
    c = ((q + 1) & 2) != 0 ? -c : c;
    return abs(y) < 1e-8lf ? dvec2(y, 0.0lf) : (q & 2) != 0 ? -t : t;
}
