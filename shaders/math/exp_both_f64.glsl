//! needs: exp_parts_f64 exact_f64 inverse_f64 scale_f64
//! provides: nx_exp_both(double)
/* e^x and its reciprocal over 2^k as pairs, for 0 <= x < 1500. */
dvec2 nx_exp_both(double x, out dvec2 r, out int k)
{
    dvec2 e = nx_exp_parts(x, 0.0lf, k);
    double w = nx_power_of_two_f64(-2 * min(k, 60));
    precise double i = nx_inverse(e.x);
    dvec2 q = nx_two_prod(i, e.x);
    precise double il = i * (((1.0lf - q.x) - q.y) - i * e.y);
    r = dvec2(i * w, il * w);
    return e;
}
