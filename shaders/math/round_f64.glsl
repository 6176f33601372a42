//! needs:
//! provides: nx_round(double)
/* Halves go away from zero. From 2^52 on every double is an integer. */
double nx_round(double x)
{
    double a = abs(x);
    precise double t = floor(a);
    precise double d = a - t;
    precise double y = d >= 0.5lf ? t + 1.0lf : t;
    uvec2 u = unpackDouble2x32(y);
    u.y |= unpackDouble2x32(x).y & 0x80000000u;
    return a < 4503599627370496.0lf ? packDouble2x32(u) : x;
}
