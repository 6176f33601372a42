//! needs: exact_f64 scale_f64
//! provides: nx_rsqrt(double)
/* x = 4^k m with m in [1, 4): Newton steps from a float's 1 / sqrt(m), the last on an exact residual. */
double nx_rsqrt(double x)
{
    uvec2 u = unpackDouble2x32(x);
    int e;
    uvec2 v = nx_lift_f64(u, e);
    int k = (int(v.y >> 20) - 1023) >> 1;
    double m = packDouble2x32(uvec2(v.x, v.y - (uint(k) << 21)));
    precise double s = double(inversesqrt(float(m)));
    s = s + s * (0.5lf - 0.5lf * m * s * s);
    s = s + s * (0.5lf - 0.5lf * m * s * s);
    dvec2 p = nx_two_prod(s, s);
    dvec2 q = nx_two_prod(m, p.x);
    precise double r = ((1.0lf - q.x) - q.y) - m * p.y;
    precise double y = s + 0.5lf * (s * r);
    y = y * nx_power_of_two_f64(-k - (e >> 1));
    if (((u.y & 0x7fffffffu) | u.x) == 0u)
        return packDouble2x32(uvec2(0u, u.y | 0x7ff00000u));
    if (u.y == 0x7ff00000u && u.x == 0u)
        return 0.0lf;
    return u.y >= 0x7ff00000u ? double(NX_NAN) : y;
}
