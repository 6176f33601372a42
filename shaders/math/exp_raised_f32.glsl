//! needs:
//! provides: nx_exp_raised(float)
/* e^c for -104 <= c <= 89, with `by` added to its bits: 2^k goes straight into the exponent, and `by` keeps that inside the
   range. c = k ln 2 + r with |r| <= ln 2 / 2; e^r = 1 + r (1 + r P(r)), P minimax. Adding 1.5 2^23 leaves k in the low
   bits. */
float nx_exp_raised(float c, uint by)
{
    precise float t = fma(c, 1.44269504, 12582912.0);
    precise float k = t - 12582912.0;
    precise float r = fma(-k, 1.42860682e-06, fma(-k, 0.693145751953125, c));
    float p = 1.38235523e-3;
    p = 8.36882368e-3 + r * p;
    p = 4.16682363e-2 + r * p;
    p = 0.166665196 + r * p;
    p = 0.49999994 + r * p;
    p = 1.0 + r * p;
    precise float y = fma(r, p, 1.0);
    return uintBitsToFloat(floatBitsToUint(y) + (floatBitsToUint(t) << 23) + by);
}
