//! needs: residual_f64 inverse_f64 scale_f64 tests_f64
//! provides: nx_div(double)
/* As div_f32; the first quotient is by nx_inverse. */
double nx_div(double a, double b)
{
    uvec2 ua = unpackDouble2x32(a), ub = unpackDouble2x32(b);
    uint sign = (ua.y ^ ub.y) & 0x80000000u;
    ua.y &= 0x7fffffffu;
    ub.y &= 0x7fffffffu;
    bool plain = ua.y - 0x20000000u < 0x3f000000u && ub.y - 0x20000000u < 0x3f000000u;
    double n = a, d = b;
    int k = 0;
    if (!plain) {
        int ea, eb;
        uvec2 na = nx_lift_f64(ua, ea), nb = nx_lift_f64(ub, eb);
        k = (int(na.y >> 20) + ea) - (int(nb.y >> 20) + eb);
        n = packDouble2x32(uvec2(na.x, (na.y & 0x000fffffu) | 0x3ff00000u));
        d = packDouble2x32(uvec2(nb.x, (nb.y & 0x000fffffu) | 0x3ff00000u));
    }
    precise double c = nx_inverse(d);
    precise double q = n * c;
    precise double y = fma(nx_residual(n, q, d), c, q);
    if (!plain) {
        uvec2 bits = unpackDouble2x32(nx_scale(y, clamp(k, -1200, 1200)));
        bool zero_a = (ua.y | ua.x) == 0u, zero_b = (ub.y | ub.x) == 0u;
        bool big_a = ua.y >= 0x7ff00000u, big_b = ub.y >= 0x7ff00000u;
        if (zero_a || big_b)
            bits = uvec2(0u, 0u);
        if (zero_b || big_a)
            bits = uvec2(0u, 0x7ff00000u);
        if (nx_is_nan(a) != 0u || nx_is_nan(b) != 0u || (zero_a && zero_b) || (big_a && big_b))
            bits = uvec2(0u, 0x7ff80000u);
        y = packDouble2x32(uvec2(bits.x, bits.y | sign));
    }
    return y;
}
