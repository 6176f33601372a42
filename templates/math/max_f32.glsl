//! needs:
//! provides: nx_max(float)
/* NaN if either is NaN; +0 over -0. */
float nx_max(float a, float b)
{
    uint ua = floatBitsToUint(a), ub = floatBitsToUint(b);
    if (max(ua & 0x7fffffffu, ub & 0x7fffffffu) > 0x7f800000u)
        return NX_NAN;
    return a > b ? a : b > a ? b : uintBitsToFloat(ua & ub);
}
