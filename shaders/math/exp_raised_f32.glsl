//! needs:
//! provides: nx_exp_raised(float)
/* e^c for -104 <= c <= 89, with `by` added to its bits: 2^k goes straight into the exponent, and `by` keeps that inside the
   range. c = k ln 2 + r with |r| <= ln 2 / 2; e^r = 1 + r + r^2 P(r), P minimax, with what 1 + r rounds away added back.
   Adding 1.5 2^23 leaves k in the low bits. */
float nx_exp_raised(float c, uint by)
{
    precise float t = fma(c, 1.44269504, 12582912.0);
    precise float k = t - 12582912.0;
    precise float high = fma(-k, 0.693145751953125, c), r = fma(-k, 1.42860682e-06, high);
    float p = 1.38235523e-3;
    p = 8.36882368e-3 + r * p;
    p = 4.16682363e-2 + r * p;
    p = 0.166665196 + r * p;
    p = 0.49999994 + r * p;
    precise float h = 1.0 + high;
    precise float y = h + fma(r * r, p, fma(-k, 1.42860682e-06, high - (h - 1.0)));
    return uintBitsToFloat(floatBitsToUint(y) + (floatBitsToUint(t) << 23) + by);
}
