//! needs: erfc_parts_f32 scale_f32
//! provides: nx_erf(float)
/* Below 1 an odd minimax polynomial, above 1 - erfc. */
float nx_erf(float x)
{
    float a = abs(x), z = x * x;
    float p = -8.579196e-06;
    p = 0.00010859053 + z * p;
    p = -0.0008423252 + z * p;
    p = 0.0052164067 + z * p;
    p = -0.02686355 + z * p;
    p = 0.112837434 + z * p;
    p = -0.37612635 + z * p;
    p = 0.12837917 + z * p;
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
