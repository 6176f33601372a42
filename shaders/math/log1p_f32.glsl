//! needs: log_parts_f32 exact_f32
//! provides: nx_log1p(float)
float nx_log1p(float x)
{
    uint u = floatBitsToUint(x), a = u & 0x7fffffffu;
    bool ok = x > -1.0 && a < 0x7f800000u;
    vec2 v = nx_two_sum(1.0, ok ? x : 0.0);
    vec2 y = nx_log_parts(v.x, v.x < 1e30 ? v.y : 0.0, 0);
    if (a < 0x33000000u || u == 0x7f800000u || a > 0x7f800000u)
        return x;
    return ok ? y.x : u == 0xbf800000u ? -NX_INF : NX_NAN;
}
