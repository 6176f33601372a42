//! needs: exact_f32
//! provides: nx_residual(float)
/* n - q d in one rounding, for q near n / d: with fma where that is one operation, else by products of 12 bits by 12. */
float nx_residual(float n, float q, float d)
{
#ifdef NX_FMA
    precise float r = NX_FMA(-q, d, n);
    return r;
#else
    precise float qh = nx_high(q), ql = q - qh;
    precise float dh = nx_high(d), dl = d - dh;
    precise float r = (((n - qh * dh) - qh * dl) - ql * dh) - ql * dl;
    return r;
#endif
}
