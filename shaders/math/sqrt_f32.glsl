//! needs: residual_f32
//! provides: nx_sqrt(float)
/* x = 4^k m with m in [1, 4): the driver's root of m, corrected by its exact residual. */
float nx_sqrt(float x)
{
    uint u = floatBitsToUint(x);
    bool small = u < 0x00800000u;
    if (small)
        u = floatBitsToUint(float(u << 1));
    int k = (int(u >> 23) - 127) >> 1;
    float m = uintBitsToFloat(u - (uint(k) << 24));
    precise float s = sqrt(m);
    precise float y = s + 0.5 * nx_residual(m, s, s) / s;
    y = y * uintBitsToFloat(uint((small ? k - 75 : k) + 127) << 23);
    u = floatBitsToUint(x);
    if ((u & 0x7fffffffu) == 0u || u == 0x7f800000u)
        return x;
    return u > 0x7f800000u ? NX_NAN : y;
}
