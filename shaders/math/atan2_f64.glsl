//! needs: atan_parts_f64 exact_f64 div_f64 scale_f64 tests_f64
//! provides: nx_atan2(double)
/* As atan2_f32. */
double nx_atan2(double y, double x)
{
    uvec2 uy = unpackDouble2x32(y), ux = unpackDouble2x32(x);
    uint sign = uy.y & 0x80000000u;
    bool left = (ux.y >> 31) != 0u;
    uy.y &= 0x7fffffffu;
    ux.y &= 0x7fffffffu;
    if ((nx_is_nan(x) | nx_is_nan(y)) != 0u)
        return double(NX_NAN);
    int ey, ex;
    uvec2 vy = nx_lift_f64(uy, ey), vx = nx_lift_f64(ux, ex);
    int d = (int(vy.y >> 20) + ey) - (int(vx.y >> 20) + ex);
    bool zero_y = (uy.y | uy.x) == 0u, zero_x = (ux.y | ux.x) == 0u, big_y = uy.y == 0x7ff00000u, big_x = ux.y == 0x7ff00000u;
    if (zero_y || (big_x && !big_y))
        d = -120;
    if ((zero_x && !zero_y) || (big_y && !big_x))
        d = 120;
    double my = packDouble2x32(uvec2(vy.x, ((vy.y & 0x000fffffu) | 0x3ff00000u) + (uint(clamp(d, -120, 120)) << 20)));
    double mx = packDouble2x32(uvec2(vx.x, (vx.y & 0x000fffffu) | 0x3ff00000u));
    if (big_x && big_y)
        my = mx;
    dvec2 a = nx_atan_parts(my, mx);
    dvec2 t = nx_quick_sum(3.141592653589793lf, -a.x);
    precise double far = t.x + (t.y + (1.2246467991473532e-16lf - a.y));
    double r = left ? far : d < -54 ? nx_div(packDouble2x32(uy), packDouble2x32(ux)) : a.x;
    uvec2 u = unpackDouble2x32(zero_y && !left ? 0.0lf : r);
    return packDouble2x32(uvec2(u.x, u.y | sign));
}
