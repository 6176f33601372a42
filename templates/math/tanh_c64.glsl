//! needs: sinh_f32 tan_f32 sin_f32 cos_f32 exp_f32 sqrt_f32 div_f32
//! provides: nx_tanh(vec2)
/* Kahan: with t = tan y and s = sinh x, over 1 + (1 + t^2) s^2; far out 1 and what is left of the angle. */
vec2 nx_tanh(vec2 z)
{
    if (abs(z.x) > 11.0) {
        float e = nx_exp(-abs(z.x));
        return vec2(z.x < 0.0 ? -1.0 : 1.0, 4.0 * nx_sin(z.y) * nx_cos(z.y) * e * e);
    }
    float t = nx_tan(z.y), s = nx_sinh(z.x);
    if (abs(t) > 1e15)
        return vec2(nx_div(nx_sqrt(1.0 + s * s), s), 0.0);
    float b = 1.0 + t * t, d = 1.0 + b * s * s;
    return vec2(nx_div(b * nx_sqrt(1.0 + s * s) * s, d), nx_div(t, d));
}
