//! needs: exp_parts_f32 exact_f32 scale_f32
//! provides: nx_cosh(float)
/* e^|x| = 2^k (h + l) and its reciprocal, halved. */
float nx_cosh(float x)
{
    float a = abs(x);
    int k;
    vec2 e = nx_exp_parts(a <= 90.0 ? a : 90.0, 0.0, k);
    float w = uintBitsToFloat(uint(127 - 2 * min(k, 30)) << 23);
    precise float c = 1.0 / e.x;
    vec2 q = nx_two_prod(c, e.x);
    precise float cl = c * (((1.0 - q.x) - q.y) - c * e.y);
    vec2 s = nx_two_sum(e.x, c * w);
    float y = nx_scale(s.x + (s.y + (e.y + cl * w)), k - 1);
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : y;
}
