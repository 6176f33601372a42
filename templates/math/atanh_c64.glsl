//! needs: log1p_f32 atan2_f32 div_f32
//! provides: nx_atanh(vec2)
/* Kahan; far out the real part is that of 1 / z and the angle a right one. */
vec2 nx_atanh(vec2 z)
{
    float x = abs(z.x), y = abs(z.y), re, im;
    if (max(x, y) > 1e8) {
        float m = max(x, y), u = x / m, v = y / m;
        re = nx_div(u, m * (u * u + v * v));
        im = 1.5707964;
    } else {
        precise float n = (1.0 - x) * (1.0 - x) + y * y, d = (1.0 - x) * (1.0 + x) - y * y;
        re = 0.25 * nx_log1p(nx_div(4.0 * x, n));
        im = 0.5 * nx_atan2(2.0 * y, d);
    }
    bool left = (floatBitsToUint(z.x) >> 31) != 0u, down = (floatBitsToUint(z.y) >> 31) != 0u;
    return vec2(left ? -re : re, down ? -im : im);
}
