//! needs: inverse_f64
//! provides: nx_reciprocal(double)
/* 1 / d as nx_inverse, for quotients and logarithms, of which programs have many. With a fused multiply-add the guess is
   a float's reciprocal, put together by bits, good to 2^-19, and one step of third order takes that to 2^-57: a
   driver's own quotient is longer, and has a jump for operands that d cannot be. */
double nx_reciprocal(double d)
{
#ifdef NX_FMA
    uint h = unpackDouble2x32(d).y;
    float s = 1.0 / uintBitsToFloat(((h << 3) & 0x007fffffu) | 0x3f800004u);
    double c = packDouble2x32(uvec2(0u, (floatBitsToUint(s) >> 3) + 0x77f00000u - (h & 0xfff00000u)));
    precise double e = NX_FMA(-d, c, 1.0lf);
    precise double f = NX_FMA(e, e, e);
    precise double y = NX_FMA(c, f, c);
    return y;
#else
    return nx_inverse(d);
#endif
}
