//! needs: sqrt_c64 atan2_f32 asinh_f32
//! provides: nx_acos(vec2)
/* Kahan. */
vec2 nx_acos(vec2 z)
{
    vec2 m = nx_sqrt(vec2(1.0 - z.x, -z.y)), p = nx_sqrt(vec2(1.0 + z.x, z.y));
    return vec2(2.0 * nx_atan2(m.x, p.x), nx_asinh(p.x * m.y - p.y * m.x));
}
