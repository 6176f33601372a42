//! needs: sinh_rest_f64 exp_both_f64 exact_f64 scale_f64
//! provides: nx_sinh_parts(double)
/* sinh(x) and cosh(x) over 2^k as pairs, for |x| <= 1500: e^|x| and its reciprocal; sinh below 1 by its polynomial. */
dvec2 nx_sinh_parts(double x, out dvec2 c, out int k)
{
    dvec2 r, e = nx_exp_both(x < 0.0lf ? -x : x, r, k);
    c = nx_two_sum(e.x, r.x);
    c = nx_quick_sum(c.x, c.y + (e.y + r.y));
    dvec2 s = nx_two_sum(e.x, -r.x);
    s = nx_quick_sum(s.x, s.y + (e.y - r.y));
    s = x < 0.0lf ? -s : s;
    if (x * x < 1.0lf) {
        dvec2 near = nx_quick_sum(x, nx_sinh_rest(x));
        s = near * nx_power_of_two_f64(1 - k);
    }
    k = k - 1;
    return s;
}
