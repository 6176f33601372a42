//! needs:
//! provides: nx_two_sum(float) nx_quick_sum(float) nx_two_prod(float) nx_high(float)
/* Error-free transforms: the sum of the result's parts is exactly the sum or product of the operands.
   fma() may not be fused, so products are split by masking: 12 bits times 12 bits is exact. NX_FMA, where it is defined, names
   the one that is fused. NVIDIA's takes a subnormal factor for 0, where the product is not: then it gives -p, and 0 is nearer. */
float nx_high(float a)
{
    return uintBitsToFloat(floatBitsToUint(a) & 0xfffff000u);
}

vec2 nx_two_sum(float a, float b)
{
    precise float s = a + b;
    precise float t = s - a;
    precise float e = (a - (s - t)) + (b - t);
    return vec2(s, e);
}

/* Needs |a| >= |b| or a = 0. */
vec2 nx_quick_sum(float a, float b)
{
    precise float s = a + b;
    precise float e = b - (s - a);
    return vec2(s, e);
}

vec2 nx_two_prod(float a, float b)
{
#ifdef NX_FMA
    precise float p = a * b;
    precise float e = NX_FMA(a, b, -p);
    return vec2(p, e == -p ? 0.0 : e);
#else
    precise float ah = nx_high(a), bh = nx_high(b);
    precise float al = a - ah, bl = b - bh;
    precise float p = a * b;
    precise float e = (((ah * bh - p) + ah * bl) + al * bh) + al * bl;
    return vec2(p, e);
#endif
}
