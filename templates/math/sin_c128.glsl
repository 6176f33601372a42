//! needs: sinh_f64 cosh_f64 sin_f64 cos_f64
//! provides: nx_sin(dvec2)
dvec2 nx_sin(dvec2 z)
{
    return dvec2(nx_sin(z.x) * nx_cosh(z.y), nx_cos(z.x) * nx_sinh(z.y));
}
