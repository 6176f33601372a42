//! needs:
//! provides: nx_two_sum(double) nx_quick_sum(double) nx_two_prod(double) nx_high(double)
/* As exact_f32; 26 bits times 27 is exact, and the one product of 27 by 27 is so to 2^-106. */
double nx_high(double a)
{
    uvec2 u = unpackDouble2x32(a);
    return packDouble2x32(uvec2(u.x & 0xf8000000u, u.y));
}

dvec2 nx_two_sum(double a, double b)
{
    precise double s = a + b;
    precise double t = s - a;
    precise double e = (a - (s - t)) + (b - t);
    return dvec2(s, e);
}

/* Needs |a| >= |b| or a = 0. */
dvec2 nx_quick_sum(double a, double b)
{
    precise double s = a + b;
    precise double e = b - (s - a);
    return dvec2(s, e);
}

dvec2 nx_two_prod(double a, double b)
{
#ifdef NX_FMA
    precise double p = a * b;
    precise double e = NX_FMA(a, b, -p);
    return dvec2(p, e);
#else
    precise double ah = nx_high(a), bh = nx_high(b);
    precise double al = a - ah, bl = b - bh;
    precise double p = a * b;
    precise double e = (((ah * bh - p) + ah * bl) + al * bh) + al * bl;
    return dvec2(p, e);
#endif
}
