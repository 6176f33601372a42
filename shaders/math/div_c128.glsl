//! needs: level_c128 div_f64 pair_f64 exact_f64 scale_f64 tests_c128 tests_f64
//! provides: nx_div(dvec2)
/* a conj(b) / |b|^2 with both brought near 1, in pairs; by plain arithmetic where that is not finite, and
   zeros, whose sign pairs do not keep. */
dvec2 nx_div(dvec2 a, dvec2 b)
{
    int i, k;
    if (!nx_is_finite(a) || !nx_is_finite(b) || !nx_nz(b)) {
        precise double m = b.x * b.x + b.y * b.y, x = a.x * b.x + a.y * b.y, y = a.y * b.x - a.x * b.y;
        return dvec2(nx_div(x, m), nx_div(y, m));
    }
    dvec2 n = nx_level(a, i), d = nx_level(b, k);
    dvec2 m = nx_pair_sum(nx_two_prod(d.x, d.x), nx_two_prod(d.y, d.y));
    dvec2 re = nx_pair_quotient(nx_pair_sum(nx_two_prod(n.x, d.x), nx_two_prod(n.y, d.y)), m);
    dvec2 im = nx_pair_quotient(nx_pair_sum(nx_two_prod(n.y, d.x), nx_two_prod(n.x, -d.y)), m);
    k = clamp(i - k, -2040, 2040);
    precise double x = n.x * d.x + n.y * d.y, y = n.y * d.x - n.x * d.y;
    return dvec2(nx_nz(re.x) ? nx_scale(re.x, k) : x, nx_nz(im.x) ? nx_scale(im.x, k) : y);
}
