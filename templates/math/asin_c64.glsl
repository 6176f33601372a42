//! needs: sqrt_c64 atan2_f32 asinh_f32
//! provides: nx_asin(vec2)
/* Kahan. */
vec2 nx_asin(vec2 z)
{
    vec2 m = nx_sqrt(vec2(1.0 - z.x, -z.y)), p = nx_sqrt(vec2(1.0 + z.x, z.y));
    return vec2(nx_atan2(z.x, m.x * p.x - m.y * p.y), nx_asinh(m.x * p.y - m.y * p.x));
}
