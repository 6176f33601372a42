//! needs:
//! provides: nx_remainder(float)
/* Exact, with the sign of the dividend: long division of the significands, 8 bits a round, at most 35 rounds. */
float nx_remainder(float a, float b)
{
    uint sign = floatBitsToUint(a) & 0x80000000u, ua = floatBitsToUint(a) ^ sign, ub = floatBitsToUint(b) & 0x7fffffffu;
    if (ua >= 0x7f800000u || ub > 0x7f800000u || ub == 0u)
        return NX_NAN;
    if (ua < ub)
        return a;
    uint ma = ua < 0x00800000u ? ua : (ua & 0x007fffffu) | 0x00800000u, mb = ub < 0x00800000u ? ub : (ub & 0x007fffffu) | 0x00800000u;
    int eb = max(int(ub >> 23), 1), n = max(int(ua >> 23), 1) - eb;
    uint r = ma % mb;
    for (; n > 0 && r != 0u; n -= 8)
        r = (r << min(n, 8)) % mb;
    if (r == 0u)
        return uintBitsToFloat(sign);
    int up = min(23 - findMSB(r), eb - 1);
    r <<= up;
    return uintBitsToFloat(sign | (r < 0x00800000u ? r : (uint(eb - up) << 23) | (r & 0x007fffffu)));
}
