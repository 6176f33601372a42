//! needs: residual_f32 scale_f32
//! provides: nx_pow(float)
/* 2^(y log2|x|); the special cases are those of C99. |x| = 2^i (1 + f) and q = f / (2 + f), as a pair:
   log2(1 + f) = L (q + q^3 / 3 + ...), L = 2 / ln 2. h + l is i + that, to 2^-31; y (h + l) = n + r, and 2^r is a
   polynomial. One test finds an x that is not positive and normal, another an n for which 2^n is not normal. */
float nx_pow(float x, float y)
{
    uint ux = floatBitsToUint(x), ax = ux & 0x7fffffffu, u = ux;
    bool rare = ux - 0x00800000u >= 0x7f000000u;
    float o = 0.0;
    if (rare) { // a subnormal as its integer
        bool small = ax < 0x00800000u;
        u = ax == 0u || ax >= 0x7f800000u ? 0x3f800000u : small ? floatBitsToUint(float(ax)) : ax;
        o = small ? -149.0 : 0.0;
    }
    uint e = (u - 0x3f3504f3u) & 0xff800000u;
    precise float f = uintBitsToFloat(u - e) - 1.0, i = fma(float(int(e)), 1.1920929e-07, o);
    precise float c = 1.0 / (2.0 + f), q = f * c, d = f - 2.0 * q;
    precise float z = q * q, a = q * 2.88539004;
    float t = 0.336492002;
    t = 0.411927223 + z * t;
    t = 0.577078819 + z * t;
    t = 0.961796701 + z * t;
    precise float w = q * z, wl = -fma(q, nx_residual(z, q, q), nx_residual(w, q, z)); // q^3
    precise float s = nx_residual(d, q, f) * fma(c, z, c); // the rest of q, times the slope of atanh
    precise float l = fma(q, 3.85192607e-08, fma(s, 2.88539004, fma(wl, t, -nx_residual(a, q, 2.88539004))));
    precise float g = i + a;
    l = l + ((i - g) + a);
    precise float h = fma(w, t, g);
    l = l - nx_residual(h - g, w, t);
    precise float k = fma(y, h, 12582912.0), n = k - 12582912.0; // 1.5 2^23 leaves n in the low bits
    precise float r = fma(y, l, -nx_residual(n, y, h));
    float p = 0.000157791786;
    p = 0.00134144002 + r * p;
    p = 0.00961711258 + r * p;
    p = 0.0555027798 + r * p;
    p = 0.240226552 + r * p;
    p = 0.693147242 + r * p;
    precise float m = fma(r, p, 1.0);
    float v = uintBitsToFloat(floatBitsToUint(m) + (floatBitsToUint(k) << 23));
    uint un = floatBitsToUint(n) & 0x7fffffffu;
    if (rare || un >= 0x42fa0000u) { // 125
        uint uy = floatBitsToUint(y), ay = uy & 0x7fffffffu;
        v = (ax > 0x3f800000u) == (uy < 0x80000000u) ? NX_INF : 0.0;
        if (un < 0x43200000u && ax - 1u < 0x7f7fffffu) // 160
            v = nx_scale(m, int(n));
        float b = uintBitsToFloat(ay);
        bool whole = ay >= 0x3f800000u ? b >= 8388608.0 || floor(b) == b : ay == 0u;
        bool odd = whole && b < 16777216.0 && (uint(b < 16777216.0 ? b : 0.0) & 1u) != 0u;
        if (ax == 0x3f800000u || ay == 0u)
            v = 1.0;
        if ((ux >> 31) != 0u && odd)
            v = -v;
        if (ux > 0x80000000u && ux < 0xff800000u && !whole)
            v = NX_NAN;
        if ((ax > 0x7f800000u && ay != 0u) || (ay > 0x7f800000u && ux != 0x3f800000u))
            v = NX_NAN;
    }
    return v;
}
