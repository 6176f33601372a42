//! needs: sinh_f32 cosh_f32 sin_f32 cos_f32
//! provides: nx_sin(vec2)
vec2 nx_sin(vec2 z)
{
    return vec2(nx_sin(z.x) * nx_cosh(z.y), nx_cos(z.x) * nx_sinh(z.y));
}
