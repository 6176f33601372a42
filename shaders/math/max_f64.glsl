//! needs:
//! provides: nx_max(double)
/* NaN if either is NaN; +0 over -0. No jumps: every thread of a program clips many single numbers. */
double nx_max(double a, double b)
{
    uvec2 u = unpackDouble2x32(a), v = unpackDouble2x32(b);
    double y = a > b ? a : b > a ? b : packDouble2x32(u & v);
    uint m = max((u.y & 0x7fffffffu) | uint(u.x != 0u), (v.y & 0x7fffffffu) | uint(v.x != 0u));
    return m > 0x7ff00000u ? double(NX_NAN) : y;
}
