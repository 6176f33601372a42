//! needs: sinh_parts_f32 cis_f32 pair_f32 scale_f32 signed_f32 tests_f32
//! provides: nx_sinh(vec2)
/* sinh x cos y + i cosh x sin y with every factor a pair. Annex G of C. */
vec2 nx_sinh(vec2 z)
{
    bool still = !nx_nz(z.x), real = !nx_nz(z.y);
    if (nx_is_nan(z.x) != 0u)
        return vec2(NX_NAN, real ? z.y : NX_NAN);
    if (!nx_is_finite(z.y))
        return vec2(still || !nx_is_finite(z.x) ? z.x : NX_NAN, NX_NAN);
    int k;
    vec2 c, d, s = nx_cis(z.y, c), h = nx_sinh_parts(abs(z.x) < 210.0 ? z.x : nx_signed(210.0, 1.0, z.x), d, k);
    int up = clamp(k >> 1, 0, 120); // first, for sines that are nearly 0
    h = h * uintBitsToFloat(uint(up + 127) << 23);
    d = d * uintBitsToFloat(uint(up + 127) << 23);
    k -= up;
    vec2 re = nx_pair_product(h, c), im = nx_pair_product(d, s);
    return vec2(still ? nx_signed(0.0, z.x, c.x) : nx_signed(nx_scale(re.x, k), z.x, c.x), real ? z.y : nx_signed(nx_scale(im.x, k), 1.0, s.x));
}
