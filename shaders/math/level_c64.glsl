//! needs: tests_f32
//! provides: nx_level(vec2)
/* z 2^-k with the greater part in [1, 2); 0, infinity and NaN as they are, with k = 0. */
vec2 nx_level(vec2 z, out int k)
{
    uint x = floatBitsToUint(z.x) & 0x7fffffffu, y = floatBitsToUint(z.y) & 0x7fffffffu, m = max(x, y);
    k = 0;
    if (m >= 0x7f800000u || (!nx_nz(z.x) && !nx_nz(z.y)))
        return z;
    if (m < 0x00800000u) {
        z = vec2(float(x) * ((floatBitsToUint(z.x) >> 31) != 0u ? -1.0 : 1.0), float(y) * ((floatBitsToUint(z.y) >> 31) != 0u ? -1.0 : 1.0));
        k = -149;
        m = max(floatBitsToUint(z.x) & 0x7fffffffu, floatBitsToUint(z.y) & 0x7fffffffu);
    }
    int e = int(m >> 23) - 127;
    k += e;
    int half_ = e >> 1;
    precise float s = uintBitsToFloat(uint(127 - half_) << 23), t = uintBitsToFloat(uint(127 - (e - half_)) << 23);
    return vec2((z.x * s) * t, (z.y * s) * t);
}
