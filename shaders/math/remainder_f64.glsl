//! needs: exact_f64 inverse_f64 scale_f64 tests_f64
//! provides: nx_remainder(double)
/* Exact, with the sign of the dividend: the significands are reduced 24 bits a round, at most 88 rounds. A
   quotient of 25 bits times either half of the divisor is exact, and so are the differences. */
double nx_remainder(double a, double b)
{
    uvec2 ua = unpackDouble2x32(a), ub = unpackDouble2x32(b);
    uint sign = ua.y & 0x80000000u;
    ua.y ^= sign;
    ub.y &= 0x7fffffffu;
    if (ua.y >= 0x7ff00000u || nx_is_nan(b) != 0u || (ub.y | ub.x) == 0u)
        return double(NX_NAN);
    if (ua.y < ub.y || (ua.y == ub.y && ua.x < ub.x))
        return a;
    int ea, eb;
    uvec2 va = nx_lift_f64(ua, ea), vb = nx_lift_f64(ub, eb);
    ea += int(va.y >> 20) - 1023;
    eb += int(vb.y >> 20) - 1023;
    precise double r = packDouble2x32(uvec2(va.x, (va.y & 0x000fffffu) | 0x3ff00000u));
    precise double d = packDouble2x32(uvec2(vb.x, (vb.y & 0x000fffffu) | 0x3ff00000u));
    precise double h = nx_high(d), l = d - h;
    double c = nx_inverse(d);
    if (r >= d)
        r = r - d;
    for (int n = ea - eb; n > 0 && r != 0.0lf; n -= 24) {
        precise double t = r * double(1 << min(n, 24));
        precise double q = floor(t * c);
        r = (t - q * h) - q * l;
        if (r < 0.0lf)
            r = r + d;
        if (r >= d)
            r = r - d;
    }
    uvec2 v = unpackDouble2x32(nx_scale(r, eb));
    return packDouble2x32(uvec2(v.x, v.y | sign));
}
