//! needs: log_series_f32
//! provides: nx_log(float)
/* x = 2^n (1 + f). One test tells what is not a positive normal number. */
float nx_log(float x)
{
    uint u = floatBitsToUint(x);
    bool rare = u - 0x00800000u >= 0x7f000000u;
    uint e = (u - 0x3f3504f3u) & 0xff800000u;
    precise float f = uintBitsToFloat(u - e) - 1.0;
    float n = float(int(e)) * 1.1920929e-07;
    if (rare) { // a subnormal as its integer
        uint s = floatBitsToUint(float(u));
        e = (s - 0x3f3504f3u) & 0xff800000u;
        f = uintBitsToFloat(s - e) - 1.0;
        n = float(int(e)) * 1.1920929e-07 - 149.0;
    }
    float y = nx_log_series(f, n);
    if (rare) {
        if (u >= 0x7f800000u)
            y = u == 0x7f800000u ? x : NX_NAN;
        if ((u << 1) == 0u)
            y = -NX_INF;
    }
    return y;
}
