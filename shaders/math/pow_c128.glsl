//! needs: level_c128 log_modulus_c128 atan_pair_f64 exp_parts_f64 reduce_f64 sin_parts_f64 pair_f64 exact_f64 scale_f64 signed_f64 log_c128 exp_c128 mul_c128 tests_c128 tests_f64
//! provides: nx_pow(dvec2)
/* e^(b log a), with b log a in pairs: the error stays under 2 ULP while |b log a| is under 1000 and grows with it
   beyond. a^0 is 1; 0^b is 0 where the real part of b is positive, else NaN. */
dvec2 nx_pow(dvec2 a, dvec2 b)
{
    if (!nx_nz(b))
        return dvec2(1.0lf, 0.0lf);
    if (!nx_nz(a))
        return b.x > 0.0lf ? dvec2(0.0lf, 0.0lf) : dvec2(double(NX_NAN), double(NX_NAN));
    if (!nx_is_finite(a) || !nx_is_finite(b))
        return nx_exp(nx_mul(b, nx_log(a)));
    int k;
    dvec2 w = nx_level(a, k), l = nx_log_modulus(dvec2(a.x, 0.0lf), a.y, 0);
    dvec2 t = nx_atan_pair(dvec2(nx_signed(w.y, 1.0lf, 1.0lf), 0.0lf), dvec2(nx_signed(w.x, 1.0lf, 1.0lf), 0.0lf));
    t = w.x < 0.0lf ? nx_pair_sum(dvec2(3.141592653589793lf, 1.2246467991473532e-16lf), -t) : t;
    t = nx_signed(1.0lf, 1.0lf, a.y) < 0.0lf ? -t : t;
    dvec2 x = nx_pair_sum(nx_pair_product(l, dvec2(b.x, 0.0lf)), -nx_pair_product(t, dvec2(b.y, 0.0lf)));
    dvec2 y = nx_pair_sum(nx_pair_product(t, dvec2(b.x, 0.0lf)), nx_pair_product(l, dvec2(b.y, 0.0lf)));
    if (!(nx_is_finite(x) && nx_is_finite(y)))
        return nx_exp(nx_mul(b, nx_log(a)));
    x = x.x > 800.0lf ? dvec2(800.0lf, 0.0lf) : x.x < -800.0lf ? dvec2(-800.0lf, 0.0lf) : x;
    dvec2 e = nx_exp_parts(x.x, x.y, k);
    int q, u;
    dvec2 r = nx_pair_sum(nx_reduce(y.x, q), nx_reduce(y.y, u));
    q += u;
    if (abs(r.x) > 0.7853981633974483lf) {
        q += r.x > 0.0lf ? 1 : -1;
        r = nx_pair_sum(r, r.x > 0.0lf ? dvec2(-1.5707963267948966lf, -6.123233995736766e-17lf) : dvec2(1.5707963267948966lf, 6.123233995736766e-17lf));
    }
    dvec2 s = nx_sin_parts(r), c = nx_cos_parts(r);
    s = nx_pair_product(e, nx_quick_sum(s.x, s.y));
    c = nx_pair_product(e, nx_quick_sum(c.x, c.y));
    dvec2 re = (q & 1) != 0 ? s : c, im = (q & 1) != 0 ? c : s;
    return dvec2(nx_scale(((q + 1) & 2) != 0 ? -re.x : re.x, k), nx_scale((q & 2) != 0 ? -im.x : im.x, k));
}
