//! needs: exp_f32 exp_parts_f32 cis_f32 pair_f32 scale_f32 signed_f32 tests_f32
//! provides: nx_exp(vec2)
/* e^x (cos y + i sin y) with every factor a pair, scaled last so that a small cosine saves an overflow. Annex G of C. */
vec2 nx_exp(vec2 z)
{
    if (!nx_nz(z.y))
        return vec2(nx_exp(z.x), z.y);
    if (nx_is_nan(z.x) != 0u)
        return vec2(NX_NAN, NX_NAN);
    if (!nx_is_finite(z.y))
        return nx_is_finite(z.x) ? vec2(NX_NAN, NX_NAN) : z.x < 0.0 ? vec2(0.0, nx_signed(0.0, 1.0, z.y)) : vec2(z.x, NX_NAN);
    int k;
    vec2 e = nx_exp_parts(clamp(z.x, -160.0, 210.0), 0.0, k), c, s = nx_cis(z.y, c);
    int up = clamp(k >> 1, 0, 120); // first, for sines that are nearly 0
    e = e * uintBitsToFloat(uint(up + 127) << 23);
    k -= up;
    vec2 re = nx_pair_product(e, c), im = nx_pair_product(e, s);
    return vec2(nx_signed(nx_scale(re.x, k), 1.0, c.x), nx_signed(nx_scale(im.x, k), 1.0, s.x));
}
