//! needs: expm1_rest_f32 exp_parts_f32 exact_f32
//! provides: nx_expm1(float)
/* Near 0 a polynomial; else 2^k (h + l) - 1 with the parts of exp, halved against overflow. */
float nx_expm1(float x)
{
    precise float near = x + nx_expm1_rest(x);
    float c = x >= -20.0 ? (x <= 89.0 ? x : 89.0) : -20.0;
    int k;
    vec2 e = nx_exp_parts(c, 0.0, k);
    float unit = uintBitsToFloat(uint(k + 126) << 23);
    vec2 s = nx_two_sum(e.x * unit, -0.5);
    precise float far = 2.0 * (s.x + (s.y + e.y * unit));
    float y = abs(x) < 0.34 ? near : far;
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u || (floatBitsToUint(x) << 1) == 0u ? x : y;
}
