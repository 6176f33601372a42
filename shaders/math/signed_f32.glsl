//! needs:
//! provides: nx_signed(float)
/* |m| with the sign of a b. */
float nx_signed(float m, float a, float b)
{
    return uintBitsToFloat((floatBitsToUint(m) & 0x7fffffffu) | ((floatBitsToUint(a) ^ floatBitsToUint(b)) & 0x80000000u));
}
