//! needs:
//! provides: nx_scale(double) nx_power_of_two_f64(int) nx_lift_f64(uvec2)
/* 2^k for k from -1022 to 1023. */
double nx_power_of_two_f64(int k)
{
    return packDouble2x32(uvec2(0u, uint(k + 1023) << 20));
}

/* x 2^k in two steps, so that k may go from -2044 to 2046 and a subnormal result is rounded once. */
double nx_scale(double x, int k)
{
    int a = k >> 1;
    precise double y = x * nx_power_of_two_f64(a);
    precise double z = y * nx_power_of_two_f64(k - a);
    return z;
}

/* The bits of a positive double as those of a normal one times 2^e; e is even. */
uvec2 nx_lift_f64(uvec2 u, out int e)
{
    e = 0;
    if (u.y >= 0x00100000u)
        return u;
    e = -1074;
    return unpackDouble2x32(double(u.y) * 4294967296.0lf + double(u.x));
}
