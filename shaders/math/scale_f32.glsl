//! needs:
//! provides: nx_scale(float)
/* x 2^k in two steps, so that k may go from -252 to 254 and a subnormal result is rounded once. */
float nx_scale(float x, int k)
{
    int a = k >> 1, b = k - a;
    precise float y = x * uintBitsToFloat(uint(a + 127) << 23);
    precise float z = y * uintBitsToFloat(uint(b + 127) << 23);
    return z;
}
