//! needs:
//! provides: nx_log(float)
/* x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); log(1 + f) = f - f^2/2 + f^3 P(f), P minimax. */
float nx_log(float x)
{
    uint u = floatBitsToUint(x);
    bool small = u < 0x00800000u;
    if (small)
        u = floatBitsToUint(float(u));
    int k = int(u - 0x3f3504f3u) >> 23;
    precise float f = uintBitsToFloat(u - (uint(k) << 23)) - 1.0;
    float n = float(small ? k - 149 : k);
    float p = -7.54609331e-2;
    p = 0.127226517 + f * p;
    p = -0.131791592 + f * p;
    p = 0.142104521 + f * p;
    p = -0.166221499 + f * p;
    p = 0.200006425 + f * p;
    p = -0.250008434 + f * p;
    p = 0.333333433 + f * p;
    precise float ff = f * f;
    precise float y = n * 0.693145751953125 + (f - (0.5 * ff - (f * ff * p + n * 1.42860682e-06)));
    u = floatBitsToUint(x);
    if ((u & 0x7fffffffu) == 0u)
        return -NX_INF;
    if (u > 0x7f800000u)
        return NX_NAN;
    return u == 0x7f800000u ? x : y;
}
