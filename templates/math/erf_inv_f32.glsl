//! needs: erf_inv_ratio_f32 log_f32 exact_f32
//! provides: nx_erf_inv(float)
/* x times a function of w = -log((1 - x) (1 + x)); near 0, x sqrt(pi) / 2. */
float nx_erf_inv(float x)
{
    float a = abs(x);
    bool ok = a < 1.0;
    vec2 p = nx_erf_inv_ratio_f32(-nx_log(ok ? (1.0 - a) * (1.0 + a) : 1.0));
    vec2 y = nx_two_prod(a, p.x);
    precise float r = a < 0.0001 ? a * 0.886226952 + a * -2.66231996e-08 : y.x + (y.y + a * p.y);
    if (!ok)
        r = a == 1.0 ? NX_INF : NX_NAN;
    return x == 0.0 ? x : x < 0.0 ? -r : r;
}
