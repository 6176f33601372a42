//! needs: div_f32 residual_f32
//! provides: nx_inverse(float) nx_div_by(float)
/* For many quotients by one b: what nx_div makes of b, and a / b with that, to the same bits. */
float nx_inverse(float b)
{
    uint ub = floatBitsToUint(b) & 0x7fffffffu;
    precise float c = 1.0 / b;
    return ub - 0x20000000u < 0x3f000000u ? c : 0.0;
}

float nx_div_by(float a, float b, float c)
{
    uint ua = floatBitsToUint(a) & 0x7fffffffu;
    if (floatBitsToUint(c) == 0u || (ua != 0u && ua - 0x20000000u >= 0x3f000000u))
        return nx_div(a, b);
    precise float q = a * c;
    precise float y = fma(nx_residual(a, q, b), c, q);
    return ua == 0u ? q : y; // with its sign
}
