//! needs: log1p_f64 atan2_f64 div_f64
//! provides: nx_atanh(dvec2)
/* Kahan; far out the real part is that of 1 / z and the angle a right one. */
dvec2 nx_atanh(dvec2 z)
{
    double x = abs(z.x), y = abs(z.y), re, im;
    if (max(x, y) > 1e17lf) {
        double m = max(x, y), u = x / m, v = y / m;
        re = nx_div(u, m * (u * u + v * v));
        im = 1.5707963267948966lf;
    } else {
        precise double n = (1.0 - x) * (1.0 - x) + y * y, d = (1.0 - x) * (1.0 + x) - y * y;
        re = 0.25 * nx_log1p(nx_div(4.0 * x, n));
        im = 0.5 * nx_atan2(2.0 * y, d);
    }
    bool left = (unpackDouble2x32(z.x).y >> 31) != 0u, down = (unpackDouble2x32(z.y).y >> 31) != 0u;
    return dvec2(left ? -re : re, down ? -im : im);
}
