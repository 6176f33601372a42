//! needs: sqrt_c128 atan2_f64 asinh_f64
//! provides: nx_asin(dvec2)
/* Kahan. */
dvec2 nx_asin(dvec2 z)
{
    dvec2 m = nx_sqrt(dvec2(1.0 - z.x, -z.y)), p = nx_sqrt(dvec2(1.0 + z.x, z.y));
    return dvec2(nx_atan2(z.x, m.x * p.x - m.y * p.y), nx_asinh(m.x * p.y - m.y * p.x));
}
