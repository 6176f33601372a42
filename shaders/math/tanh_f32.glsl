//! needs: exp_f32 residual_f32
//! provides: nx_tanh(float)
/* Below 0.6 an odd minimax polynomial, above 1 - 2 / (e^2|x| + 1). */
float nx_tanh(float x)
{
    float a = abs(x), z = x * x;
    float p = -5.89796668e-3;
    p = 2.07986254e-2 + z * p;
    p = -5.37847169e-2 + z * p;
    p = 0.133319363 + z * p;
    p = -0.333332986 + z * p;
    precise float near = x + x * (z * p);
    float b = a <= 10.0 ? a : 10.0;
    precise float d = nx_exp(2.0 * b) + 1.0, c = 1.0 / d, q = 2.0 * c;
    precise float far = 1.0 - fma(nx_residual(2.0, q, d), c, q);
    float y = a < 0.6 ? near : x < 0.0 ? -far : far;
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u || (floatBitsToUint(x) << 1) == 0u ? x : y;
}
