//! needs: exact_f64
//! provides: nx_residual(double)
/* As residual_f32. */
double nx_residual(double n, double q, double d)
{
#ifdef NX_FMA
    precise double r = NX_FMA(-q, d, n);
    return r;
#else
    precise double qh = nx_high(q), ql = q - qh;
    precise double dh = nx_high(d), dl = d - dh;
    precise double r = (((n - qh * dh) - qh * dl) - ql * dh) - ql * dl;
    return r;
#endif
}
