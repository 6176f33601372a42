//! needs: residual_f64 scale_f64
//! provides: nx_sqrt(double)
/* x = 4^k m with m in [1, 4): two Newton steps from the driver's 1 / sqrt(m), which Vulkan promises no
   better than a float's, then the root corrected by its exact residual. */
double nx_sqrt(double x)
{
    uvec2 u = unpackDouble2x32(x);
    int e;
    uvec2 v = nx_lift_f64(u, e);
    int k = (int(v.y >> 20) - 1023) >> 1;
    double m = packDouble2x32(uvec2(v.x, v.y - (uint(k) << 21)));
    precise double c = double(inversesqrt(float(m)));
    c = c + c * (0.5lf - 0.5lf * m * c * c);
    c = c + c * (0.5lf - 0.5lf * m * c * c);
    precise double s = m * c;
    precise double y = s + 0.5lf * nx_residual(m, s, s) * c;
    y = y * nx_power_of_two_f64(k + (e >> 1));
    if (((u.y & 0x7fffffffu) | u.x) == 0u || (u.y == 0x7ff00000u && u.x == 0u))
        return x;
    return u.y >= 0x7ff00000u ? double(NX_NAN) : y;
}
