//! needs: order_f32
//! provides: nx_abs(float) nx_equal(float) nx_less(float) nx_less_equal(float)
/* By bits: NVIDIA's abs() and comparisons take a subnormal float for 0, even when asked to preserve it. */
float nx_abs(float x)
{
    return uintBitsToFloat(floatBitsToUint(x) & 0x7fffffffu);
}

bool nx_equal(float a, float b)
{
    uint u = floatBitsToUint(a), v = floatBitsToUint(b);
    return (u == v && (u & 0x7fffffffu) <= 0x7f800000u) || ((u | v) << 1) == 0u;
}

bool nx_less(float a, float b)
{
    uint u = floatBitsToUint(a) & 0x7fffffffu, v = floatBitsToUint(b) & 0x7fffffffu;
    return max(u, v) <= 0x7f800000u && (u | v) != 0u && nx_order(a) < nx_order(b);
}

bool nx_less_equal(float a, float b)
{
    uint u = floatBitsToUint(a) & 0x7fffffffu, v = floatBitsToUint(b) & 0x7fffffffu;
    return max(u, v) <= 0x7f800000u && ((u | v) == 0u || nx_order(a) <= nx_order(b));
}
