//! needs: sinh_rest_f32 exp_both_f32 exact_f32
//! provides: nx_sinh_parts(float)
/* sinh(x) and cosh(x) over 2^k as pairs, for |x| <= 350: e^|x| and its reciprocal; sinh below 1 by its polynomial. */
vec2 nx_sinh_parts(float x, out vec2 c, out int k)
{
    vec2 r, e = nx_exp_both(x < 0.0 ? -x : x, r, k);
    c = nx_two_sum(e.x, r.x);
    c = nx_quick_sum(c.x, c.y + (e.y + r.y));
    vec2 s = nx_two_sum(e.x, -r.x);
    s = nx_quick_sum(s.x, s.y + (e.y - r.y));
    s = x < 0.0 ? -s : s;
    if (x * x < 1.0) {
        vec2 near = nx_quick_sum(x, nx_sinh_rest(x));
        s = near * uintBitsToFloat(uint(128 - k) << 23);
    }
    k = k - 1;
    return s;
}
