//! needs: atan_pair_f64 log_parts_f64 log_f64 div_c128 pair_f64 exact_f64 signed_f64 tests_c128 tests_f64
//! provides: nx_atanh(dvec2)
/* With n = (1 - x)^2 + y^2, the real part is log(1 + 4 x / n) / 4 and twice the other the angle of ((1 - x)(1 + x) - y^2,
   2 y), all in pairs; near 0 z itself; far out 1 / z and a right angle. Annex G of C. */
dvec2 nx_atanh(dvec2 z)
{
    double x = nx_signed(z.x, 1.0lf, 1.0lf), y = nx_signed(z.y, 1.0lf, 1.0lf), re, im;
    if (nx_is_infinity(z) != 0u) {
        re = 0.0lf;
        im = nx_is_nan(z.y) != 0u ? z.y : 1.5707963267948966lf;
    } else if (nx_is_nan(z) != 0u) {
        return dvec2(nx_nz(z.x) ? double(NX_NAN) : z.x, double(NX_NAN));
    } else if (max(x, y) > 1e16lf) {
        re = nx_div(dvec2(1.0lf, 0.0lf), dvec2(x, y)).x;
        im = 1.5707963267948966lf;
    } else if (max(x, y) < 1e-9lf) {
        return z;
    } else {
        dvec2 a = nx_two_sum(1.0lf, -x), b = nx_two_sum(1.0lf, x), yy = nx_two_prod(y, y);
        dvec2 n = nx_pair_sum(nx_pair_product(a, a), yy), d = nx_pair_sum(nx_pair_product(a, b), -yy);
        if (n.x < 1e-200lf) {
            re = 0.34657359027997264lf - 0.5lf * nx_log(y);
        } else if (4.0lf * x < n.x) {
            dvec2 q = nx_pair_quotient(dvec2(4.0lf * x, 0.0lf), n), v = nx_two_sum(1.0lf, q.x);
            re = 0.25lf * nx_log_parts(v.x, v.y + q.y, 0).x;
        } else {
            dvec2 m = nx_pair_sum(nx_pair_product(b, b), yy);
            dvec2 l = nx_pair_sum(nx_log_parts(m.x, m.y, 0), -nx_log_parts(n.x, n.y, 0));
            re = 0.25lf * l.x;
        }
        bool far = d.x < 0.0lf;
        double up = y < 1e-200lf ? 4.149515568880993e180lf : 1.0lf;
        dvec2 t = dvec2(0.0lf, 0.0lf);
        if (nx_nz(y))
            t = nx_atan_pair(dvec2(2.0lf * y, 0.0lf) * up, (far ? -d : d) * up);
        t = far ? nx_pair_sum(dvec2(3.141592653589793lf, 1.2246467991473532e-16lf), -t) : t;
        im = 0.5lf * t.x;
    }
    return dvec2(nx_signed(re, 1.0lf, z.x), nx_signed(im, 1.0lf, z.y));
}
