//! needs:
//! provides: nx_signed(double)
/* |m| with the sign of a b. */
double nx_signed(double m, double a, double b)
{
    uvec2 u = unpackDouble2x32(m);
    return packDouble2x32(uvec2(u.x, (u.y & 0x7fffffffu) | ((unpackDouble2x32(a).y ^ unpackDouble2x32(b).y) & 0x80000000u)));
}
