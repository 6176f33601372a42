//! needs: sinh_rest_f32 exp_both_f32 exact_f32 scale_f32
//! provides: nx_sinh(float)
/* Below 1 a polynomial; above, e^|x| less its reciprocal, halved. */
float nx_sinh(float x)
{
    float a = abs(x);
    precise float near = x + nx_sinh_rest(x);
    int k;
    vec2 r, e = nx_exp_both(a <= 90.0 ? a : 90.0, r, k), s = nx_quick_sum(e.x, -r.x);
    float far = nx_scale(s.x + (s.y + (e.y - r.y)), k - 1);
    if (!(a >= 1.0))
        return a < 0.0001 ? x : near;
    return x < 0.0 ? -far : far;
}
