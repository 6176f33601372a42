//! needs: sinh_f32 cosh_f32 sin_f32 cos_f32
//! provides: nx_sinh(vec2)
vec2 nx_sinh(vec2 z)
{
    return vec2(nx_sinh(z.x) * nx_cos(z.y), nx_cosh(z.x) * nx_sin(z.y));
}
