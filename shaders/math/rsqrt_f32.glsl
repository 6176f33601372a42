//! needs: exact_f32
//! provides: nx_rsqrt(float)
/* x = 4^k m with m in [1, 4): the driver's 1 / sqrt(m) and one Newton step on an exact residual. */
float nx_rsqrt(float x)
{
    uint u = floatBitsToUint(x);
    bool small = u < 0x00800000u;
    if (small)
        u = floatBitsToUint(float(u << 1));
    int k = (int(u >> 23) - 127) >> 1;
    float m = uintBitsToFloat(u - (uint(k) << 24));
    precise float s = inversesqrt(m);
    vec2 p = nx_two_prod(s, s);
    vec2 q = nx_two_prod(m, p.x);
    precise float r = ((1.0 - q.x) - q.y) - m * p.y;
    precise float y = s + 0.5 * (s * r);
    y = y * uintBitsToFloat(uint(127 - (small ? k - 75 : k)) << 23);
    u = floatBitsToUint(x);
    if ((u & 0x7fffffffu) == 0u)
        return uintBitsToFloat(u | 0x7f800000u);
    if (u > 0x7f800000u)
        return NX_NAN;
    return u == 0x7f800000u ? 0.0 : y;
}
