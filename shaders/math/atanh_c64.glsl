//! needs: atan_pair_f32 log_parts_f32 log_f32 div_c64 pair_f32 exact_f32 signed_f32 tests_c64 tests_f32
//! provides: nx_atanh(vec2)
/* With n = (1 - x)^2 + y^2, the real part is log(1 + 4 x / n) / 4 and twice the other the angle of ((1 - x)(1 + x) - y^2,
   2 y), all in pairs; near 0 z itself; far out 1 / z and a right angle. Annex G of C. */
vec2 nx_atanh(vec2 z)
{
    float x = nx_signed(z.x, 1.0, 1.0), y = nx_signed(z.y, 1.0, 1.0), re, im;
    if (nx_is_infinity(z) != 0u) {
        re = 0.0;
        im = nx_is_nan(z.y) != 0u ? z.y : 1.5707964;
    } else if (nx_is_nan(z) != 0u) {
        return vec2(nx_nz(z.x) ? NX_NAN : z.x, NX_NAN);
    } else if (max(x, y) > 1e8) {
        re = nx_div(vec2(1.0, 0.0), vec2(x, y)).x;
        im = 1.5707964;
    } else if (max(x, y) < 0.00006) {
        return z;
    } else {
        vec2 a = nx_two_sum(1.0, -x), b = nx_two_sum(1.0, x), yy = nx_two_prod(y, y);
        vec2 n = nx_pair_sum(nx_pair_product(a, a), yy), d = nx_pair_sum(nx_pair_product(a, b), -yy);
        if (n.x < 1e-24) {
            re = 0.34657359 - 0.5 * nx_log(y);
        } else if (4.0 * x < n.x) {
            vec2 q = nx_pair_quotient(vec2(4.0 * x, 0.0), n), v = nx_two_sum(1.0, q.x);
            re = 0.25 * nx_log_parts(v.x, v.y + q.y, 0).x;
        } else {
            vec2 m = nx_pair_sum(nx_pair_product(b, b), yy);
            vec2 l = nx_pair_sum(nx_log_parts(m.x, m.y, 0), -nx_log_parts(n.x, n.y, 0));
            re = 0.25 * l.x;
        }
        bool far = d.x < 0.0;
        float up = y < 1e-20 ? 1.8446744e19 : 1.0;
        vec2 t = vec2(0.0, 0.0);
        if (nx_nz(y))
            t = nx_atan_pair(vec2(2.0 * y, 0.0) * up, (far ? -d : d) * up);
        t = far ? nx_pair_sum(vec2(3.1415927, -8.742278e-08), -t) : t;
        im = 0.5 * t.x;
    }
    return vec2(nx_signed(re, 1.0, z.x), nx_signed(im, 1.0, z.y));
}
