//! needs: level_c128 div_f64 exact_f64 scale_f64
//! provides: nx_div(dvec2)
/* a conj(b) / |b|^2 with both brought near 1, and sums of exact products. */
dvec2 nx_div(dvec2 a, dvec2 b)
{
    int i, k;
    dvec2 n = nx_level(a, i), d = nx_level(b, k);
    dvec2 p = nx_two_prod(n.x, d.x), q = nx_two_prod(n.y, d.y), r = nx_two_prod(n.y, d.x), s = nx_two_prod(n.x, d.y);
    dvec2 re = nx_two_sum(p.x, q.x), im = nx_two_sum(r.x, -s.x);
    precise double m = d.x * d.x + d.y * d.y;
    k = clamp(i - k, -2000, 2000);
    return dvec2(nx_scale(nx_div(re.x + (re.y + (p.y + q.y)), m), k), nx_scale(nx_div(im.x + (im.y + (r.y - s.y)), m), k));
}
