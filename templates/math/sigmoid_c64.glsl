//! needs: exp_f32 expm1_f32 sin_f32 cos_f32 div_c64
//! provides: nx_sigmoid(vec2)
/* With w = z or -z to the left of the imaginary axis, 1 or e^w over 1 + e^w; near the poles that sum is
   2 cos(v/2)^2 + expm1(u) cos(v) + i e^u sin(v). */
vec2 nx_sigmoid(vec2 z)
{
    vec2 w = z.x >= 0.0 ? -z : z;
    float e = nx_exp(w.x), c = nx_cos(w.y), s = nx_sin(w.y), h = nx_cos(0.5 * w.y);
    precise float re = 2.0 * h * h + nx_expm1(w.x) * c, im = e * s;
    return nx_div(z.x >= 0.0 ? vec2(1.0, 0.0) : vec2(e * c, im), vec2(re, im));
}
