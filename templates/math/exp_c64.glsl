//! needs: exp_parts_f32 scale_f32 sin_f32 cos_f32 tests_f32
//! provides: nx_exp(vec2)
/* e^x (cos y + i sin y), scaled last so that a small cosine saves an overflow. */
vec2 nx_exp(vec2 z)
{
    bool low = z.x < -300.0, high = z.x > 300.0;
    float x = low ? -150.0 : high ? 150.0 : z.x;
    int k;
    vec2 e = nx_exp_parts(clamp(nx_is_nan(x) != 0u ? 0.0 : x, -160.0, 160.0), 0.0, k);
    float m = e.x + e.y;
    if (high)
        m = NX_INF;
    if (nx_is_nan(z.x) != 0u)
        m = z.x;
    if (!nx_nz(z.y))
        return vec2(nx_scale(m, k), z.y);
    if (low && (nx_is_nan(z.y) | nx_is_infinity(z.y)) != 0u)
        return vec2(0.0, 0.0);
    float c = nx_cos(z.y), s = nx_sin(z.y);
    if (nx_is_infinity(z.x) != 0u && !low && (nx_is_nan(z.y) | nx_is_infinity(z.y)) != 0u)
        return vec2(z.x, c);
    return vec2(nx_scale(m * c, k), nx_scale(m * s, k));
}
