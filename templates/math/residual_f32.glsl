//! needs:
//! provides: nx_residual(float)
/* n - q d in one rounding, for q near n / d: with fma where that is one operation, else by products of 12 bits by 12. */
float nx_residual(float n, float q, float d)
{
#ifdef NX_FMA
    precise float r = fma(-q, d, n);
    return r;
#else
    precise float qh = uintBitsToFloat(floatBitsToUint(q) & 0xfffff000u), ql = q - qh;
    precise float dh = uintBitsToFloat(floatBitsToUint(d) & 0xfffff000u), dl = d - dh;
    precise float r = (((n - qh * dh) - qh * dl) - ql * dh) - ql * dl;
    return r;
#endif
}
