//! needs:
//! provides: nx_sign(float)
float nx_sign(float x)
{
    uint u = floatBitsToUint(x), m = u & 0x7fffffffu;
    return m == 0u || m > 0x7f800000u ? x : uintBitsToFloat((u & 0x80000000u) | 0x3f800000u);
}
