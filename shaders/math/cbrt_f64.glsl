//! needs: exact_f64 scale_f64 cbrt_f32
//! provides: nx_cbrt(double)
/* As cbrt_f32, with a Newton step between. */
double nx_cbrt(double x)
{
    uvec2 u = unpackDouble2x32(x);
    uint sign = u.y & 0x80000000u;
    u.y ^= sign;
    int e;
    uvec2 v = nx_lift_f64(u, e);
    e += int(v.y >> 20) - 1023;
    int k = (e + 3000) / 3 - 1000;
    double m = packDouble2x32(uvec2(v.x, (v.y & 0x000fffffu) | (uint(e - 3 * k + 1023) << 20)));
    precise double t = double(nx_cbrt_near_f32(float(m)));
    precise double c = 1.0lf / (3.0lf * t * t);
    t = t + (m - t * t * t) * c;
    dvec2 p = nx_two_prod(t, t);
    dvec2 q = nx_two_prod(t, p.x);
    precise double r = ((m - q.x) - q.y) - t * p.y;
    precise double y = t + r * c;
    y = y * nx_power_of_two_f64(k);
    v = unpackDouble2x32(y);
    return (u.y | u.x) == 0u || u.y >= 0x7ff00000u ? x : packDouble2x32(uvec2(v.x, v.y | sign));
}
