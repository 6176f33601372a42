//! needs: level_c128 root_parts_f64 cbrt_f32 inverse_f64 atan_pair_f64 sin_parts_f64 pair_f64 exact_f64 scale_f64 signed_f64 tests_c128 tests_f64
//! provides: nx_cbrt(dvec2)
/* The principal root: the cube root of the modulus at a third of the angle, in pairs. 0 stays; of an
   infinity the real part is infinite, since a third of an angle is less than a right one. */
dvec2 nx_cbrt(dvec2 z)
{
    if (!nx_nz(z))
        return z;
    if (!nx_is_finite(z)) {
        bool x = nx_is_infinity(z.x) != 0u, y = nx_is_infinity(z.y) != 0u;
        if (!x && !y)
            return dvec2(double(NX_NAN), double(NX_NAN));
        if (nx_is_nan(z.x) != 0u || nx_is_nan(z.y) != 0u)
            return dvec2(double(NX_INF), double(NX_NAN));
        return dvec2(double(NX_INF), nx_signed(x && !y && z.x > 0.0lf ? 0.0lf : double(NX_INF), 1.0lf, z.y));
    }
    int k;
    dvec2 w = nx_level(z, k);
    int e = (k + 3000) / 3 - 1000;
    w = w * nx_power_of_two_f64(k - 3 * e);
    dvec2 m = nx_pair_sum(nx_two_prod(w.x, w.x), nx_two_prod(w.y, w.y));
    m = nx_root_parts(m.x, m.y);
    precise double t = double(nx_cbrt_near_f32(float(m.x))), c3 = nx_inverse(3.0lf * t * t);
    t = t + (m.x - t * t * t) * c3;
    dvec2 p = nx_two_prod(t, t), q = nx_two_prod(t, p.x);
    precise double r = (((m.x - q.x) - q.y) - t * p.y) + m.y;
    dvec2 root = nx_quick_sum(t, r * c3);
    dvec2 a = nx_atan_pair(dvec2(nx_signed(w.y, 1.0lf, 1.0lf), 0.0lf), dvec2(nx_signed(w.x, 1.0lf, 1.0lf), 0.0lf));
    a = w.x < 0.0lf ? nx_pair_sum(dvec2(3.141592653589793lf, 1.2246467991473532e-16lf), -a) : a;
    a = nx_pair_quotient(a, dvec2(3.0lf, 0.0lf));
    bool turn = a.x > 0.7853981633974483lf;
    a = turn ? nx_pair_sum(dvec2(1.5707963267948966lf, 6.123233995736766e-17lf), -a) : a;
    dvec2 s = nx_sin_parts(a), c = nx_cos_parts(a);
    s = nx_quick_sum(s.x, s.y);
    c = nx_quick_sum(c.x, c.y);
    dvec2 re = nx_pair_product(root, turn ? s : c), im = nx_pair_product(root, turn ? c : s);
    return dvec2(nx_scale(re.x, e), nx_signed(nx_nz(z.y) || w.x < 0.0lf ? nx_scale(im.x, e) : 0.0lf, 1.0lf, z.y));
}
