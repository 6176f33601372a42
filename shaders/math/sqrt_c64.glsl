//! needs: sqrt_parts_c64 scale_f32 signed_f32 tests_c64 tests_f32
//! provides: nx_sqrt(vec2)
/* In pairs. Annex G of C. */
vec2 nx_sqrt(vec2 z)
{
    if (!nx_nz(z))
        return vec2(0.0, z.y);
    if (nx_is_infinity(z.y) != 0u)
        return vec2(NX_INF, z.y);
    if (nx_is_infinity(z.x) != 0u) {
        float n = nx_is_nan(z.y) != 0u ? z.y : 0.0;
        return z.x > 0.0 ? vec2(z.x, nx_signed(n, 1.0, z.y)) : vec2(n, nx_signed(NX_INF, 1.0, z.y));
    }
    if (nx_is_nan(z) != 0u)
        return vec2(NX_NAN, NX_NAN);
    int k;
    vec2 im, re = nx_sqrt_parts(vec2(z.x, 0.0), z.y, im, k);
    return vec2(nx_signed(nx_scale(re.x, k), 1.0, 1.0), nx_signed(nx_scale(im.x, k), 1.0, z.y));
}
