//! needs: sinh_parts_f32 exp_parts_f32 cis_f32 pair_f32 scale_f32 signed_f32 tests_f32
//! provides: nx_tanh(vec2)
/* (sinh x cosh x + i sin y cos y) / (cos^2 y + sinh^2 x) in pairs, where nothing cancels; far out 1 and what is left of
   the angle. Annex G of C. */
vec2 nx_tanh(vec2 z)
{
    if (nx_is_nan(z.x) != 0u)
        return vec2(NX_NAN, nx_nz(z.y) ? NX_NAN : z.y);
    if (!nx_is_finite(z.y))
        return nx_is_finite(z.x) ? vec2(nx_nz(z.x) ? NX_NAN : z.x, NX_NAN) : vec2(nx_signed(1.0, 1.0, z.x), nx_signed(0.0, 1.0, z.y));
    int k;
    vec2 c, s = nx_cis(z.y, c), n = nx_pair_product(s, c);
    float far = min(abs(z.x), 60.0);
    if (far > 20.0) {
        vec2 e = nx_pair_product(nx_exp_parts(-2.0 * far, 0.0, k), n);
        return vec2(nx_signed(1.0, 1.0, z.x), nx_nz(z.y) ? nx_signed(nx_scale(e.x, k + 2), s.x, c.x) : z.y);
    }
    vec2 d, h = nx_sinh_parts(z.x, d, k);
    h = vec2(nx_scale(h.x, k), nx_scale(h.y, k));
    d = vec2(nx_scale(d.x, k), nx_scale(d.y, k));
    vec2 m = nx_pair_sum(nx_pair_product(c, c), nx_pair_product(h, h));
    vec2 re = nx_pair_quotient(nx_pair_product(h, d), m), im = nx_pair_quotient(n, m);
    return vec2(nx_nz(z.x) ? nx_signed(re.x, 1.0, z.x) : z.x, nx_nz(z.y) ? nx_signed(im.x, s.x, c.x) : z.y);
}
