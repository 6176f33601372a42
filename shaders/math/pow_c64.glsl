//! needs: level_c64 log_modulus_c64 atan_pair_f32 exp_parts_f32 reduce_f32 sin_parts_f32 pair_f32 exact_f32 scale_f32 signed_f32 log_c64 exp_c64 mul_c64 tests_c64 tests_f32
//! provides: nx_pow(vec2)
/* e^(b log a), with b log a in pairs: the error stays under 2 ULP while |b log a| is under 1000 and grows with it
   beyond. a^0 is 1; 0^b is 0 where the real part of b is positive, else NaN. */
vec2 nx_pow(vec2 a, vec2 b)
{
    if (!nx_nz(b))
        return vec2(1.0, 0.0);
    if (!nx_nz(a))
        return b.x > 0.0 ? vec2(0.0, 0.0) : vec2(NX_NAN, NX_NAN);
    if (!nx_is_finite(a) || !nx_is_finite(b))
        return nx_exp(nx_mul(b, nx_log(a)));
    int k;
    vec2 w = nx_level(a, k), l = nx_log_modulus(vec2(a.x, 0.0), a.y, 0);
    vec2 t = nx_atan_pair(vec2(nx_signed(w.y, 1.0, 1.0), 0.0), vec2(nx_signed(w.x, 1.0, 1.0), 0.0));
    t = w.x < 0.0 ? nx_pair_sum(vec2(3.1415927, -8.742278e-08), -t) : t;
    t = nx_signed(1.0, 1.0, a.y) < 0.0 ? -t : t;
    vec2 x = nx_pair_sum(nx_pair_product(l, vec2(b.x, 0.0)), -nx_pair_product(t, vec2(b.y, 0.0)));
    vec2 y = nx_pair_sum(nx_pair_product(t, vec2(b.x, 0.0)), nx_pair_product(l, vec2(b.y, 0.0)));
    if (!(nx_is_finite(x) && nx_is_finite(y)))
        return nx_exp(nx_mul(b, nx_log(a)));
    x = x.x > 160.0 ? vec2(160.0, 0.0) : x.x < -160.0 ? vec2(-160.0, 0.0) : x;
    vec2 e = nx_exp_parts(x.x, x.y, k);
    int q, u;
    vec2 r = nx_pair_sum(nx_reduce(y.x, q), nx_reduce(y.y, u));
    q += u;
    if (abs(r.x) > 0.7853982) {
        q += r.x > 0.0 ? 1 : -1;
        r = nx_pair_sum(r, r.x > 0.0 ? vec2(-1.5707964, 4.371139e-08) : vec2(1.5707964, -4.371139e-08));
    }
    vec2 s = nx_sin_parts(r), c = nx_cos_parts(r);
    s = nx_pair_product(e, nx_quick_sum(s.x, s.y));
    c = nx_pair_product(e, nx_quick_sum(c.x, c.y));
    vec2 re = (q & 1) != 0 ? s : c, im = (q & 1) != 0 ? c : s;
    return vec2(nx_scale(((q + 1) & 2) != 0 ? -re.x : re.x, k), nx_scale((q & 2) != 0 ? -im.x : im.x, k));
}
