//! needs: level_c64 root_parts_f32 cbrt_f32 atan_pair_f32 sin_parts_f32 pair_f32 exact_f32 scale_f32 signed_f32 tests_c64 tests_f32
//! provides: nx_cbrt(vec2)
/* The principal root: the cube root of the modulus at a third of the angle, in pairs. 0 stays; of an
   infinity the real part is infinite, since a third of an angle is less than a right one. */
vec2 nx_cbrt(vec2 z)
{
    if (!nx_nz(z))
        return z;
    if (!nx_is_finite(z)) {
        bool x = nx_is_infinity(z.x) != 0u, y = nx_is_infinity(z.y) != 0u;
        if (!x && !y)
            return vec2(NX_NAN, NX_NAN);
        if (nx_is_nan(z.x) != 0u || nx_is_nan(z.y) != 0u)
            return vec2(NX_INF, NX_NAN);
        return vec2(NX_INF, nx_signed(x && !y && z.x > 0.0 ? 0.0 : NX_INF, 1.0, z.y));
    }
    int k;
    vec2 w = nx_level(z, k);
    int e = (k + 600) / 3 - 200;
    w = w * uintBitsToFloat(uint(k - 3 * e + 127) << 23);
    vec2 m = nx_pair_sum(nx_two_prod(w.x, w.x), nx_two_prod(w.y, w.y));
    m = nx_root_parts(m.x, m.y);
    precise float t = nx_cbrt_near_f32(m.x);
    vec2 p = nx_two_prod(t, t), q = nx_two_prod(t, p.x);
    precise float r = (((m.x - q.x) - q.y) - t * p.y) + m.y;
    vec2 root = nx_quick_sum(t, r / (3.0 * p.x));
    vec2 a = nx_atan_pair(vec2(nx_signed(w.y, 1.0, 1.0), 0.0), vec2(nx_signed(w.x, 1.0, 1.0), 0.0));
    a = w.x < 0.0 ? nx_pair_sum(vec2(3.1415927, -8.742278e-08), -a) : a;
    a = nx_pair_quotient(a, vec2(3.0, 0.0));
    bool turn = a.x > 0.7853982;
    a = turn ? nx_pair_sum(vec2(1.5707964, -4.371139e-08), -a) : a;
    vec2 s = nx_sin_parts(a), c = nx_cos_parts(a);
    s = nx_quick_sum(s.x, s.y);
    c = nx_quick_sum(c.x, c.y);
    vec2 re = nx_pair_product(root, turn ? s : c), im = nx_pair_product(root, turn ? c : s);
    return vec2(nx_scale(re.x, e), nx_signed(nx_nz(z.y) || w.x < 0.0 ? nx_scale(im.x, e) : 0.0, 1.0, z.y));
}
