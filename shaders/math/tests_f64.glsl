//! needs:
//! provides: nx_is_nan(double) nx_is_infinity(double) nx_nz(double) nx_is_finite(double)
uint nx_is_nan(double x)
{
    uvec2 u = unpackDouble2x32(x);
    uint a = u.y & 0x7fffffffu;
    return uint(a > 0x7ff00000u || (a == 0x7ff00000u && u.x != 0u));
}

uint nx_is_infinity(double x)
{
    uvec2 u = unpackDouble2x32(x);
    return uint((u.y & 0x7fffffffu) == 0x7ff00000u && u.x == 0u);
}

bool nx_nz(double x)
{
    uvec2 u = unpackDouble2x32(x);
    return ((u.y & 0x7fffffffu) | u.x) != 0u;
}

bool nx_is_finite(double x)
{
    return (unpackDouble2x32(x).y & 0x7fffffffu) < 0x7ff00000u;
}
