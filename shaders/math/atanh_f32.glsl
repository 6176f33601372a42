//! needs: log_parts_f32 exact_f32
//! provides: nx_atanh(float)
/* A series near 0; else (log(1 + |x|) - log(1 - |x|)) / 2 in pairs. */
float nx_atanh(float x)
{
    float a = abs(x), z = x * x;
    precise float near = x + x * z * (0.33333334 + z * (0.2 + z * (0.14285715 + z * 0.11111111)));
    bool ok = a < 1.0;
    vec2 p = nx_two_sum(1.0, ok ? a : 0.0), m = nx_two_sum(1.0, ok ? -a : 0.0);
    p = nx_log_parts(p.x, p.y, 0);
    m = nx_log_parts(m.x, m.y, 0);
    vec2 s = nx_two_sum(p.x, -m.x);
    precise float y = 0.5 * (s.x + (s.y + (p.y - m.y)));
    if (!ok)
        y = a == 1.0 ? NX_INF : NX_NAN;
    if (a < 0.03125)
        return a < 0.0001 ? x : near;
    return x < 0.0 ? -y : y;
}
