/* fma() in one rounding for devices that lack it, so that kernels for those that have it run here as well (--on). As on
   NVIDIA's driver, f32 subnormals are 0, operands and results. */
float nx_flushed(float x)
{
    uint u = floatBitsToUint(x);
    return uintBitsToFloat((u & 0x7f800000u) == 0u ? u & 0x80000000u : u);
}

/* s + e with |e| <= ulp(s) / 2, rounded to odd: what is rounded once more, to fewer digits, is as if rounded once. Of an
   infinite s the error is NaN. */
double nx_to_odd(double s, double e)
{
    uvec2 u = unpackDouble2x32(s);
    if (e == double(0) || e != e || (u.x & 1u) != 0u)
        return s;
    if ((e > double(0)) == (s > double(0)))
        u.x += 1u; /* even: no carry */
    else {
        u.y -= u.x == 0u ? 1u : 0u;
        u.x -= 1u;
    }
    return packDouble2x32(u);
}

double nx_sum_error(double a, double b, double s)
{
    precise double t = s - a;
    precise double e = (a - (s - t)) + (b - t);
    return e;
}

float nx_emulated_fma(float a, float b, float c)
{
    double x = double(nx_flushed(c));
    precise double p = double(nx_flushed(a)) * double(nx_flushed(b)); /* exact: 48 digits */
    precise double s = p + x;
    return nx_flushed(float(nx_to_odd(s, nx_sum_error(p, x, s))));
}

/* The upper 26 digits, rounded: what is left has 26 more and a sign (Veltkamp). */
double nx_upper_half(double a)
{
    precise double c = a * double(134217729.0);
    precise double rest = c - a;
    precise double high = c - rest;
    return high;
}

/* Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008. Not near overflow and underflow. */
double nx_emulated_fma(double a, double b, double c)
{
    double ah = nx_upper_half(a), bh = nx_upper_half(b);
    precise double al = a - ah, bl = b - bh, p = a * b;
    precise double low = (((ah * bh - p) + ah * bl) + al * bh) + al * bl;
    precise double t = c + low, tl = nx_sum_error(c, low, t);
    precise double s = p + t, sl = nx_sum_error(p, t, s);
    precise double rest = tl + sl;
    precise double r = s + nx_to_odd(rest, nx_sum_error(tl, sl, rest));
    return s - s == double(0) ? r : s;
}
