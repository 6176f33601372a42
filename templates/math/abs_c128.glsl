//! needs: level_c128 root_parts_f64 exact_f64 scale_f64 tests_f64
//! provides: nx_abs(dvec2)
double nx_abs(dvec2 z)
{
    int k;
    dvec2 w = nx_level(z, k);
    if ((nx_is_infinity(z.x) | nx_is_infinity(z.y)) != 0u)
        return double(NX_INF);
    dvec2 p = nx_two_prod(w.x, w.x), q = nx_two_prod(w.y, w.y), s = nx_two_sum(p.x, q.x);
    dvec2 r = nx_root_parts(s.x, s.y + (p.y + q.y));
    return nx_is_nan(s.x) != 0u ? s.x : nx_scale(r.x + r.y, k);
}
