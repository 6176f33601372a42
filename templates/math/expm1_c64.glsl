//! needs: expm1_f32 exp_f32 sin_f32 cos_f32
//! provides: nx_expm1(vec2)
/* expm1(x) cos y - 2 sin(y/2)^2 and e^x sin y */
vec2 nx_expm1(vec2 z)
{
    float s = nx_sin(0.5 * z.y);
    precise float re = nx_expm1(z.x) * nx_cos(z.y) - 2.0 * s * s;
    return vec2(re, nx_exp(z.x) * nx_sin(z.y));
}
