//! needs: sinh_parts_f32 cis_f32 pair_f32 scale_f32 signed_f32 tests_f32
//! provides: nx_cosh(vec2)
/* cosh x cos y + i sinh x sin y with every factor a pair. Annex G of C; what is NaN counts as positive. */
vec2 nx_cosh(vec2 z)
{
    bool flat_ = !nx_nz(z.x) || !nx_nz(z.y);
    float none = nx_signed(0.0, nx_is_nan(z.x) != 0u ? 1.0 : z.x, nx_is_nan(z.y) != 0u ? 1.0 : z.y);
    if (nx_is_nan(z.x) != 0u)
        return vec2(NX_NAN, flat_ ? none : NX_NAN);
    if (!nx_is_finite(z.y))
        return vec2(nx_is_finite(z.x) ? NX_NAN : NX_INF, flat_ ? none : NX_NAN);
    int k;
    vec2 c, d, s = nx_cis(z.y, c), h = nx_sinh_parts(abs(z.x) < 210.0 ? z.x : nx_signed(210.0, 1.0, z.x), d, k);
    int up = clamp(k >> 1, 0, 120); // first, for sines that are nearly 0
    h = h * uintBitsToFloat(uint(up + 127) << 23);
    d = d * uintBitsToFloat(uint(up + 127) << 23);
    k -= up;
    vec2 re = nx_pair_product(d, c), im = nx_pair_product(h, s);
    return vec2(nx_signed(nx_scale(re.x, k), 1.0, c.x), nx_signed(flat_ ? 0.0 : nx_scale(im.x, k), z.x, s.x));
}
