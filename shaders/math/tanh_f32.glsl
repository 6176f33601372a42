//! needs: exp_raised_f32 residual_f32
//! provides: nx_tanh(float)
/* Below 0.6 an odd minimax polynomial, above 1 - 2 / (e^2|x| + 1). NaN takes the polynomial. */
float nx_tanh(float x)
{
    uint u = floatBitsToUint(x) & 0x7fffffffu;
    float a = uintBitsToFloat(u), z = x * x;
    float p = -5.89796668e-3;
    p = 2.07986254e-2 + z * p;
    p = -5.37847169e-2 + z * p;
    p = 0.133319363 + z * p;
    p = -0.333332986 + z * p;
    precise float near = x + x * (z * p);
    float b = min(a, 10.0);
    precise float d = nx_exp_raised(b + b, 0u) + 1.0, c = 1.0 / d;
    precise float far = fma(-2.0, fma(nx_residual(1.0, c, d), c, c), 1.0);
    float y = u - 0x3f19999au <= 0x40666666u ? far : near;
    return uintBitsToFloat((floatBitsToUint(y) & 0x7fffffffu) | (floatBitsToUint(x) & 0x80000000u));
}
