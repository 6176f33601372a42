//! needs: erf_inv_ratio_f32 log_series_f32 residual_f32
//! provides: nx_erf_inv(float)
/* x times a function of w = -log(1 - x^2), which is smooth at 0, so the error of w counts little. */
float nx_erf_inv(float x)
{
    uint u = floatBitsToUint(x) & 0x7fffffffu;
    float a = uintBitsToFloat(u);
    precise float d = 1.0 - a, g = fma(d, a, d);
    uint m = floatBitsToUint(g), e = (m - 0x3f3504f3u) & 0xff800000u;
    precise float f = uintBitsToFloat(m - e) - 1.0, n = float(int(e)) * 1.1920929e-07;
    precise float v = -fma(n, 0.693147182, 2.5) - nx_log_series(f, 0.0);
    vec2 p = nx_erf_inv_ratio_f32(v);
    precise float q = x * p.x, r = q + fma(x, p.y, -nx_residual(q, x, p.x));
    if (u - 0x10000000u >= 0x2f800000u) {
        r = x * 0.886226952 + x * -2.66231996e-08; // sqrt(pi) / 2
        // a result that may be subnormal, as an integer: NVIDIA's driver flushes it in this function
        if (u < 0x01000000u) {
            uint high, low;
            umulExtended(u, 0xe2dfc48eu, high, low);
            r = uintBitsToFloat((high + (low >> 31)) | (floatBitsToUint(x) & 0x80000000u));
        }
        if (u >= 0x3f800000u)
            r = u == 0x3f800000u ? uintBitsToFloat(floatBitsToUint(x) | 0x7f800000u) : NX_NAN;
    }
    return r;
}
