//! needs: residual_f32 sqrt_f32
//! provides: nx_erf_inv_ratio_f32(float)
/* erf_inv(x) / x as a pair, to 2^-25, from v = w - 2.5 with w = -log(1 - x^2), which is at most 37 for any double x.
   Chebyshev interpolation in v up to w = 5, then in sqrt(w). */
vec2 nx_erf_inv_ratio_f32(float v)
{
    float p;
    vec2 c = vec2(1.50140929, 5.95271068e-08);
    if (v < 2.5) {
        p = 1.23465765e-10;
        p = 4.34062675e-10 + v * p;
        p = -1.08617613e-08 + v * p;
        p = 1.65036447e-08 + v * p;
        p = 4.78689685e-07 + v * p;
        p = -3.42626618e-06 + v * p;
        p = -4.99599992e-06 + v * p;
        p = 0.000218264118 + v * p;
        p = -0.00125270791 + v * p;
        p = -0.00417732494 + v * p;
        p = 0.24664028 + v * p;
    } else {
        v = nx_sqrt(v + 2.5);
        if (v < 4.08) {
            v = v - 3.0;
            c = vec2(2.83297682, -1.14831478e-08);
            p = 0.000111870198;
            p = -0.000306154223 + v * p;
            p = -5.0545259e-05 + v * p;
            p = 0.00148036855 + v * p;
            p = -0.00360103254 + v * p;
            p = 0.00568899559 + v * p;
            p = -0.00763643719 + v * p;
            p = 0.00944501627 + v * p;
            p = 1.00167489 + v * p;
        } else {
            v = v - 5.0;
            c = vec2(4.84990644, -4.5160995e-08);
            p = -1.01184878e-06;
            p = 5.04943591e-06 + v * p;
            p = -1.98064809e-05 + v * p;
            p = 7.56649461e-05 + v * p;
            p = -0.000214950895 + v * p;
            p = -0.000138653937 + v * p;
            p = 1.0103004 + v * p;
        }
    }
    precise float h = fma(v, p, c.x), l = nx_residual(c.x - h, -v, p) + c.y;
    return vec2(h, l);
}
