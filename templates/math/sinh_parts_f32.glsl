//! needs: exp_parts_f32 exact_f32
//! provides: nx_sinh_parts(float)
/* sinh(x) and cosh(x) over 2^k as pairs, for |x| <= 350: e^|x| and its reciprocal; sinh below 1 by its polynomial. */
vec2 nx_sinh_parts(float x, out vec2 c, out int k)
{
    float z = x * x;
    float p = 2.790056e-06;
    p = 0.0001984166 + z * p;
    p = 0.008333315 + z * p;
    p = 0.16666667 + z * p;
    precise float rest = x * (z * p);
    vec2 e = nx_exp_parts(x < 0.0 ? -x : x, 0.0, k);
    float w = uintBitsToFloat(uint(127 - 2 * min(k, 60)) << 23);
    precise float i = 1.0 / e.x;
    vec2 q = nx_two_prod(i, e.x);
    precise float il = i * (((1.0 - q.x) - q.y) - i * e.y);
    c = nx_two_sum(e.x, i * w);
    c = nx_quick_sum(c.x, c.y + (e.y + il * w));
    vec2 s = nx_two_sum(e.x, -i * w);
    s = nx_quick_sum(s.x, s.y + (e.y - il * w));
    s = x < 0.0 ? -s : s;
    if (z < 1.0) {
        vec2 near = nx_quick_sum(x, rest);
        s = near * uintBitsToFloat(uint(128 - k) << 23);
    }
    k = k - 1;
    return s;
}
