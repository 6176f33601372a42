//! needs: erf_series_f32 erfc_parts_f32 scale_f32
//! provides: nx_erf(float)
/* Below 1 an odd minimax polynomial, above 1 - erfc. */
float nx_erf(float x)
{
    float a = abs(x);
    float p = nx_erf_series(x * x);
    precise float near = x + x * p;
    bool plain = a >= 1.0 && a <= 5.0;
    int k;
    vec2 e = nx_erfc_parts(plain ? a : 5.0, k);
    precise float far = 1.0 - nx_scale(e.x, k);
    if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u)
        return x;
    if (a < 1.0)
        return near;
    return x < 0.0 ? -far : far;
}
