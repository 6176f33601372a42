//! needs: residual_f64 reciprocal_f64
//! provides: nx_div(double)
/* As div_f32, without jumps: operands far from 1 are brought to 2^-374 .. 2^497 by powers of two that are 1 for
   others, and the quotient goes back in two steps, which both go the same way. What is no number, or a quotient of 0
   or infinity, is chosen in the end. A jump over all this would cost what it does, and keep quotients beside each
   other from being computed at once. */
double nx_div(double a, double b)
{
    uvec2 ua = unpackDouble2x32(a), ub = unpackDouble2x32(b);
    uint ha = ua.y & 0x7fffffffu, hb = ub.y & 0x7fffffffu;
    int far = 700 << 20;
    int i = ha < 0x20000000u ? far : ha >= 0x5f000000u ? -far : 0;
    int j = hb < 0x20000000u ? far : hb >= 0x5f000000u ? -far : 0;
    precise double n = a * packDouble2x32(uvec2(0u, uint(i + 0x3ff00000)));
    precise double d = b * packDouble2x32(uvec2(0u, uint(j + 0x3ff00000)));
    precise double c = nx_reciprocal(d);
    precise double q = n * c;
    precise double y = fma(nx_residual(n, q, d), c, q);
    int k = clamp(j - i, -far, far);
    y = y * packDouble2x32(uvec2(0u, uint(k + 0x3ff00000)));
    y = y * packDouble2x32(uvec2(0u, uint(j - i - k + 0x3ff00000)));
    bool none = (ha | ua.x) == 0u || hb >= 0x7ff00000u, all_of = (hb | ub.x) == 0u || ha >= 0x7ff00000u;
    bool is_nan = (none && all_of) || max(ha | uint(ua.x != 0u), hb | uint(ub.x != 0u)) > 0x7ff00000u;
    uvec2 u = unpackDouble2x32(y);
    u = none ? uvec2(0u, 0u) : all_of ? uvec2(0u, 0x7ff00000u) : u;
    u.y = is_nan ? 0x7ff80000u : (u.y & 0x7fffffffu) | ((ua.y ^ ub.y) & 0x80000000u);
    return packDouble2x32(u);
}
