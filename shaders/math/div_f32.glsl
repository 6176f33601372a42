//! needs: residual_f32
//! provides: nx_div(float)
/* The driver's quotient, good to 2.5 ULP, and one correction by its exact residual; with operands
   whose exponents could spoil that brought into [1, 2) first. Correctly rounded but for about one
   pair in a million, which is within 0.5001 ULP; a subnormal quotient is rounded twice. */
float nx_div(float a, float b)
{
    uint ua = floatBitsToUint(a) & 0x7fffffffu, ub = floatBitsToUint(b) & 0x7fffffffu;
    bool zero = ua == 0u, plain = (zero || ua - 0x20000000u < 0x3f000000u) && ub - 0x20000000u < 0x3f000000u;
    float n = a, d = b;
    int k = 0;
    if (!plain) {
        uint na = ua < 0x00800000u ? floatBitsToUint(float(ua)) : ua;
        uint nb = ub < 0x00800000u ? floatBitsToUint(float(ub)) : ub;
        k = (int(na >> 23) - (ua < 0x00800000u ? 149 : 0)) - (int(nb >> 23) - (ub < 0x00800000u ? 149 : 0));
        n = uintBitsToFloat((na & 0x007fffffu) | 0x3f800000u);
        d = uintBitsToFloat((nb & 0x007fffffu) | 0x3f800000u);
    }
    precise float c = 1.0 / d;
    precise float q = n * c;
    precise float y = fma(nx_residual(n, q, d), c, q);
    y = zero ? q : y; // with its sign
    if (!plain) {
        uint sign = (floatBitsToUint(a) ^ floatBitsToUint(b)) & 0x80000000u;
        k = clamp(k, -200, 200);
        int i = k >> 1, j = k - i;
        precise float z = y * uintBitsToFloat(uint(i + 127) << 23);
        z = z * uintBitsToFloat(uint(j + 127) << 23);
        uint bits = floatBitsToUint(z);
        if (ua == 0u || ub == 0x7f800000u)
            bits = 0u;
        if (ub == 0u || ua == 0x7f800000u)
            bits = 0x7f800000u;
        y = uintBitsToFloat(bits | sign);
        if (ua > 0x7f800000u || ub > 0x7f800000u || (ua == 0u && ub == 0u) || (ua == 0x7f800000u && ub == 0x7f800000u))
            y = NX_NAN;
    }
    return y;
}
