//! needs: order_f32
//! provides: nx_min(float)
/* NaN if either is NaN; -0 under +0. */
float nx_min(float a, float b)
{
    uint ua = floatBitsToUint(a) & 0x7fffffffu, ub = floatBitsToUint(b) & 0x7fffffffu;
    if (max(ua, ub) > 0x7f800000u)
        return NX_NAN;
    return nx_order(a) < nx_order(b) ? a : b;
}
