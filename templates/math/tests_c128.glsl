//! needs: tests_f64
//! provides: nx_is_nan(dvec2) nx_is_infinity(dvec2) nx_nz(dvec2) nx_is_finite(dvec2)
uint nx_is_nan(dvec2 z)
{
    return nx_is_nan(z.x) | nx_is_nan(z.y);
}

uint nx_is_infinity(dvec2 z)
{
    return nx_is_infinity(z.x) | nx_is_infinity(z.y);
}

bool nx_nz(dvec2 z)
{
    return nx_nz(z.x) || nx_nz(z.y);
}

bool nx_is_finite(dvec2 z)
{
    return nx_is_finite(z.x) && nx_is_finite(z.y);
}
