//! needs: sinh_f32 cosh_f32 sin_f32 cos_f32
//! provides: nx_cos(vec2)
vec2 nx_cos(vec2 z)
{
    return vec2(nx_cos(z.x) * nx_cosh(z.y), -(nx_sin(z.x) * nx_sinh(z.y)));
}
