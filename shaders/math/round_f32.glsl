//! needs:
//! provides: nx_round(float)
/* Halves go away from zero. From 2^23 on every float is an integer. */
float nx_round(float x)
{
    float a = abs(x);
    precise float t = floor(a);
    precise float d = a - t;
    precise float y = d >= 0.5 ? t + 1.0 : t;
    return a < 8388608.0 ? uintBitsToFloat(floatBitsToUint(y) | (floatBitsToUint(x) & 0x80000000u)) : x;
}
