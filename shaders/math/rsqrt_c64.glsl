//! needs: sqrt_parts_c64 pair_f32 scale_f32 signed_f32 tests_c64 tests_f32
//! provides: nx_rsqrt(vec2)
/* The conjugate of the root over its square, in pairs. 0 gives infinity, infinity 0. */
vec2 nx_rsqrt(vec2 z)
{
    if (!nx_nz(z))
        return vec2(NX_INF, NX_NAN);
    if (nx_is_infinity(z) != 0u)
        return vec2(0.0, nx_signed(0.0, -1.0, z.y));
    if (nx_is_nan(z) != 0u)
        return vec2(NX_NAN, NX_NAN);
    int k;
    vec2 im, re = nx_sqrt_parts(vec2(z.x, 0.0), z.y, im, k);
    vec2 m = nx_pair_sum(nx_pair_product(re, re), nx_pair_product(im, im));
    re = nx_pair_quotient(re, m);
    im = nx_pair_quotient(im, m);
    return vec2(nx_signed(nx_scale(re.x, -k), 1.0, 1.0), nx_signed(nx_scale(im.x, -k), -1.0, z.y));
}
