//! needs: log_series_f32
//! provides: nx_log1p(float)
/* 1 + x = 2^n (1 + f): n from the rounded sum, but f = 2^-n x + (2^-n - 1), which loses nothing of x. */
float nx_log1p(float x)
{
    precise float s = 1.0 + x;
    uint e = (floatBitsToUint(s) - 0x3f3504f3u) & 0xff800000u;
    precise float w = uintBitsToFloat(0x40800000u - e) * 0.25 - 1.0; // 4: 2^-n may be subnormal
    precise float f = uintBitsToFloat(floatBitsToUint(x) - e) + w;
    float y = nx_log_series(f, float(int(e)) * 1.1920929e-07);
    y = abs(x) < 2.98e-08 ? x : y;
    if (floatBitsToUint(s) - 1u >= 0x7f7fffffu) // not finite and positive
        y = s == 0.0 ? -NX_INF : (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u || x > 0.0 ? x : NX_NAN;
    return y;
}
