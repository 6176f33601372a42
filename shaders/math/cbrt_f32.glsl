//! needs: exact_f32
//! provides: nx_cbrt(float) nx_cbrt_near_f32(float)
/* The cube root of m in [1, 8) to 2^-20: a guess from the bits, then two Halley steps. */
float nx_cbrt_near_f32(float m)
{
    float t = uintBitsToFloat(floatBitsToUint(m) / 3u + 709921077u), c = t * t * t;
    t = t * ((c + (m + m)) / (c + (c + m)));
    c = t * t * t;
    return t * ((c + (m + m)) / (c + (c + m)));
}

/* |x| = 8^k m; the root of m is corrected by its exact residual. */
float nx_cbrt(float x)
{
    uint u = floatBitsToUint(x), a = u & 0x7fffffffu, v = a < 0x00800000u ? floatBitsToUint(float(a)) : a;
    int e = int(v >> 23) - (a < 0x00800000u ? 276 : 127), k = (e + 600) / 3 - 200;
    float m = uintBitsToFloat((v & 0x007fffffu) | (uint(e - 3 * k + 127) << 23));
    precise float t = nx_cbrt_near_f32(m);
    vec2 p = nx_two_prod(t, t);
    vec2 q = nx_two_prod(t, p.x);
    precise float r = ((m - q.x) - q.y) - t * p.y;
    precise float y = t + r / (3.0 * p.x);
    y = y * uintBitsToFloat(uint(k + 127) << 23);
    return a == 0u || a >= 0x7f800000u ? x : uintBitsToFloat(floatBitsToUint(y) | (u & 0x80000000u));
}
