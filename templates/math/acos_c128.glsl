//! needs: sqrt_c128 atan2_f64 asinh_f64
//! provides: nx_acos(dvec2)
/* Kahan. */
dvec2 nx_acos(dvec2 z)
{
    dvec2 m = nx_sqrt(dvec2(1.0 - z.x, -z.y)), p = nx_sqrt(dvec2(1.0 + z.x, z.y));
    return dvec2(2.0 * nx_atan2(m.x, p.x), nx_asinh(p.x * m.y - p.y * m.x));
}
