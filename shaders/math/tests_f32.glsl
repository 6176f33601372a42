//! needs:
//! provides: nx_is_nan(float) nx_is_infinity(float) nx_nz(float) nx_is_finite(float)
/* By bits: drivers may assume that NaN does not happen, and may flush subnormals in comparisons. */
uint nx_is_nan(float x)
{
    return uint((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u);
}

uint nx_is_infinity(float x)
{
    return uint((floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u);
}

bool nx_nz(float x)
{
    return (floatBitsToUint(x) & 0x7fffffffu) != 0u;
}

bool nx_is_finite(float x)
{
    return (floatBitsToUint(x) & 0x7fffffffu) < 0x7f800000u;
}
