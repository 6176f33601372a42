//! needs: log_c128 log1p_f64 atan2_f64
//! provides: nx_log1p(dvec2)
/* Near 0 log1p(2 x + x^2 + y^2) / 2, else log(1 + z). */
dvec2 nx_log1p(dvec2 z)
{
    if (max(abs(z.x), abs(z.y)) > 0.5)
        return nx_log(dvec2(1.0 + z.x, z.y));
    precise double m = z.x * (2.0 + z.x) + z.y * z.y;
    return dvec2(0.5 * nx_log1p(m), nx_atan2(z.y, 1.0 + z.x));
}
