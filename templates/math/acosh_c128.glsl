//! needs: sqrt_c128 atan2_f64 asinh_f64
//! provides: nx_acosh(dvec2)
/* Kahan. */
dvec2 nx_acosh(dvec2 z)
{
    dvec2 m = nx_sqrt(dvec2(z.x - 1.0, z.y)), p = nx_sqrt(dvec2(z.x + 1.0, z.y));
    return dvec2(nx_asinh(m.x * p.x + m.y * p.y), 2.0 * nx_atan2(m.y, p.x));
}
