//! needs: exact_f64 sqrt_f64
//! provides: nx_root_parts(double)
/* The square root of h + l as a pair, for h far from the ends of the range, or 0. */
dvec2 nx_root_parts(double h, double l)
{
    precise double s = nx_sqrt(h);
    dvec2 p = nx_two_prod(s, s);
    precise double r = (((h - p.x) - p.y) + l) / (2.0 * s);
    return nx_quick_sum(s, s > 0.0 ? r : 0.0lf);
}
