//! needs: erf_series_f32 erfc_parts_f32 exact_f32 scale_f32
//! provides: nx_erfc(float)
/* From -1 to 1/2 1 - erf by its polynomial; above by erfc_parts, below 2 less that. */
float nx_erfc(float x)
{
    float a = abs(x);
    float p = nx_erf_series(x * x);
    vec2 s = nx_two_sum(1.0, -x);
    precise float near = s.x + (s.y - x * p);
    int k;
    vec2 e = nx_erfc_parts(a >= 0.5 ? (a <= 10.1 ? a : 10.1) : 10.1, k);
    float far = nx_scale(e.x, k);
    if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u)
        return x;
    if (x > -1.0 && x < 0.5)
        return near;
    if (x < 0.0)
        return 2.0 - far;
    return a > 10.1 ? 0.0 : far;
}
