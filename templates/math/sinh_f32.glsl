//! needs: exp_parts_f32 exact_f32 scale_f32
//! provides: nx_sinh(float)
/* Below 1 an odd minimax polynomial; above, e^|x| = 2^k (h + l) less its reciprocal, halved. */
float nx_sinh(float x)
{
    float a = abs(x), z = x * x;
    float p = 2.790056e-06;
    p = 0.0001984166 + z * p;
    p = 0.008333315 + z * p;
    p = 0.16666667 + z * p;
    precise float near = x + x * (z * p);
    int k;
    vec2 e = nx_exp_parts(a <= 90.0 ? a : 90.0, 0.0, k);
    float w = uintBitsToFloat(uint(127 - 2 * min(k, 30)) << 23);
    precise float c = 1.0 / e.x;
    vec2 q = nx_two_prod(c, e.x);
    precise float cl = c * (((1.0 - q.x) - q.y) - c * e.y);
    vec2 s = nx_quick_sum(e.x, -c * w);
    float far = nx_scale(s.x + (s.y + (e.y - cl * w)), k - 1);
    if (!(a >= 1.0))
        return a < 0.0001 ? x : near;
    return x < 0.0 ? -far : far;
}
