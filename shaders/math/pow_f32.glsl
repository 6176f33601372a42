//! needs: log_parts_f32 exp_parts_f32 exact_f32 scale_f32
//! provides: nx_pow(float)
/* e^(y log|x|) with log and product as float pairs; the special cases are those of C99. */
float nx_pow(float x, float y)
{
    uint ux = floatBitsToUint(x), uy = floatBitsToUint(y), ax = ux & 0x7fffffffu, ay = uy & 0x7fffffffu;
    float m = abs(y);
    bool whole = ay >= 0x3f800000u ? m >= 8388608.0 || floor(m) == m : ay == 0u;
    bool odd = whole && m < 16777216.0 && (uint(m < 16777216.0 ? m : 0.0) & 1u) != 0u;
    bool plain = ax != 0u && ax < 0x7f800000u && ay < 0x7f800000u;

    bool small = ax < 0x00800000u;
    float h = uintBitsToFloat(plain ? (small ? floatBitsToUint(float(ax)) : ax) : 0x3f800000u);
    vec2 l = nx_log_parts(h, 0.0, small && plain ? -149 : 0);
    vec2 p = nx_two_prod(y, l.x);
    precise float pl = p.y + y * l.y;
    float bound = (ax > 0x3f800000u) == ((uy >> 31) == 0u) ? 90.0 : -105.0;
    if (!(p.x > -105.0 && p.x < 90.0) || !plain) {
        p.x = bound;
        pl = 0.0;
    }
    int k;
    vec2 e = nx_exp_parts(p.x, pl, k);
    float z = nx_scale(e.x, k);

    if (ax == 0x3f800000u || ay == 0u)
        z = 1.0;
    if ((ux >> 31) != 0u && odd)
        z = -z;
    if (ux > 0x80000000u && ux < 0xff800000u && !whole)
        z = NX_NAN;
    if ((ax > 0x7f800000u && ay != 0u) || (ay > 0x7f800000u && ux != 0x3f800000u))
        z = NX_NAN;
    return z;
}
