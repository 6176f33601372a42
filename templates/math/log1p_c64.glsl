//! needs: log_c64 log1p_f32 atan2_f32
//! provides: nx_log1p(vec2)
/* Near 0 log1p(2 x + x^2 + y^2) / 2, else log(1 + z). */
vec2 nx_log1p(vec2 z)
{
    if (max(abs(z.x), abs(z.y)) > 0.5)
        return nx_log(vec2(1.0 + z.x, z.y));
    precise float m = z.x * (2.0 + z.x) + z.y * z.y;
    return vec2(0.5 * nx_log1p(m), nx_atan2(z.y, 1.0 + z.x));
}
