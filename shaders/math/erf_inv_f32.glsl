//! needs: erf_inv_ratio_f32 log_f32 exact_f32
//! provides: nx_erf_inv(float)
/* Up to 1/2 an odd polynomial; above, x times a function of w = -log((1 - x) (1 + x)). */
float nx_erf_inv(float x)
{
    uint u = floatBitsToUint(x) & 0x7fffffffu;
    float a = uintBitsToFloat(u), z = a * a;
    float q = 0.0845182613;
    q = 0.0235236008 + z * q;
    q = 0.0552813672 + z * q;
    q = 0.0646353588 + z * q;
    q = 0.0865659863 + z * q;
    q = 0.127555951 + z * q;
    q = 0.232013673 + z * q;
    bool ok = a < 1.0;
    vec2 d = nx_two_sum(1.0, ok ? a : 0.0), m = nx_two_prod(ok ? 1.0 - a : 1.0, d.x);
    precise float rest = (m.y + (1.0 - a) * d.y) / m.x; // what the product rounds away
    vec2 p = nx_erf_inv_ratio_f32(-(nx_log(m.x) + (ok ? rest : 0.0)));
    if (a < 0.5)
        p = vec2(0.886226952, z * q - 2.66231996e-08);
    vec2 y = nx_two_prod(a, p.x);
    precise float r = a < 1e-20 ? a * p.x + a * p.y : y.x + (y.y + a * p.y);
    if (!ok)
        r = a == 1.0 ? NX_INF : NX_NAN;
    uint bits = floatBitsToUint(r);
    if (u < 0x01000000u) { // a result that may be subnormal, as an integer: in this function NVIDIA's driver flushes it
        uint high, low;
        umulExtended(u, 0xe2dfc48eu, high, low); // sqrt(pi) / 2
        bits = high + (low >> 31);
    }
    return uintBitsToFloat(bits | (floatBitsToUint(x) & 0x80000000u));
}
