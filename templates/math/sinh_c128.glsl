//! needs: sinh_f64 cosh_f64 sin_f64 cos_f64
//! provides: nx_sinh(dvec2)
dvec2 nx_sinh(dvec2 z)
{
    return dvec2(nx_sinh(z.x) * nx_cos(z.y), nx_cosh(z.x) * nx_sin(z.y));
}
