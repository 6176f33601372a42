//! needs: exp_c64 expm1_f32 expm1_cis_f32 reduce_f32 tests_f32
//! provides: nx_expm1(vec2)
/* Far to the right e^z - 1 itself, elsewhere in pairs. What is not finite is as in exp. */
vec2 nx_expm1(vec2 z)
{
    if (!nx_nz(z.y))
        return vec2(nx_expm1(z.x), z.y);
    if (!nx_is_finite(z.x) || !nx_is_finite(z.y) || z.x > 40.0) {
        vec2 w = nx_exp(z);
        return vec2(w.x - 1.0, w.y);
    }
    int q;
    vec2 r = nx_reduce(z.y, q), im, plus, re = nx_expm1_cis(z.x, r, q, im, plus);
    return vec2(re.x, z.x < -80.0 ? nx_exp(z).y : im.x);
}
