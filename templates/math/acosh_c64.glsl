//! needs: sqrt_c64 atan2_f32 asinh_f32
//! provides: nx_acosh(vec2)
/* Kahan. */
vec2 nx_acosh(vec2 z)
{
    vec2 m = nx_sqrt(vec2(z.x - 1.0, z.y)), p = nx_sqrt(vec2(z.x + 1.0, z.y));
    return vec2(nx_asinh(m.x * p.x + m.y * p.y), 2.0 * nx_atan2(m.y, p.x));
}
