//! needs: log_parts_f64 exp_parts_f64 exact_f64 scale_f64 tests_f64
//! provides: nx_pow(double)
/* As pow_f32. */
double nx_pow(double x, double y)
{
    uvec2 ux = unpackDouble2x32(x), uy = unpackDouble2x32(y);
    uint sign = ux.y >> 31, down = uy.y >> 31;
    ux.y &= 0x7fffffffu;
    uy.y &= 0x7fffffffu;
    bool zero_x = (ux.y | ux.x) == 0u, zero_y = (uy.y | uy.x) == 0u;
    bool big_x = ux.y >= 0x7ff00000u, big_y = uy.y >= 0x7ff00000u;
    bool plain = !zero_x && !big_x && !big_y;
    double m = abs(y);
    bool whole = m >= 4503599627370496.0lf || floor(m) == m;
    precise double half_ = 0.5lf * m;
    bool odd = whole && m < 9007199254740992.0lf && floor(half_) != half_;

    int e;
    uvec2 v = nx_lift_f64(plain ? ux : uvec2(0u, 0x3ff00000u), e);
    dvec2 l = nx_log_parts(packDouble2x32(v), 0.0lf, e);
    dvec2 p = nx_two_prod(y, l.x);
    precise double pl = p.y + y * l.y;
    bool above = ux.y > 0x3ff00000u || (ux.y == 0x3ff00000u && ux.x != 0u), one = ux.y == 0x3ff00000u && ux.x == 0u;
    if (!(p.x > -746.0lf && p.x < 711.0lf) || !plain) {
        p.x = above == (down == 0u) ? 711.0lf : -746.0lf;
        pl = 0.0lf;
    }
    int k;
    dvec2 r = nx_exp_parts(p.x, pl, k);
    double z = nx_scale(r.x, k);

    if (one || zero_y)
        z = 1.0lf;
    if (sign != 0u && odd)
        z = -z;
    if (sign != 0u && !zero_x && !big_x && !whole)
        z = double(NX_NAN);
    if ((nx_is_nan(x) != 0u && !zero_y) || (nx_is_nan(y) != 0u && x != 1.0lf))
        z = double(NX_NAN);
    return z;
}
