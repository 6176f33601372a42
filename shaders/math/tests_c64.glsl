//! needs: tests_f32
//! provides: nx_is_nan(vec2) nx_is_infinity(vec2) nx_nz(vec2) nx_is_finite(vec2)
uint nx_is_nan(vec2 z)
{
    return nx_is_nan(z.x) | nx_is_nan(z.y);
}

uint nx_is_infinity(vec2 z)
{
    return nx_is_infinity(z.x) | nx_is_infinity(z.y);
}

bool nx_nz(vec2 z)
{
    return nx_nz(z.x) || nx_nz(z.y);
}

bool nx_is_finite(vec2 z)
{
    return nx_is_finite(z.x) && nx_is_finite(z.y);
}
