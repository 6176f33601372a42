//! needs:
//! provides: nx_exp(float)
/* x = k ln 2 + r with |r| <= ln 2 / 2; e^r = 1 + r + r^2 P(r), P minimax, with what 1 + r rounds away added back.
   Adding 1.5 2^23 leaves k in the low bits; 2^k goes straight into the exponent, but for one factor that lets the
   result overflow or become subnormal in the last operation. */
float nx_exp(float x)
{
    float c = min(max(x, -104.0), 89.0);
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
    bool down = x < 0.0;
    precise float z = uintBitsToFloat(floatBitsToUint(y) + (floatBitsToUint(t) << 23) + (down ? 0x20000000u : 0xff800000u));
    z = z * (down ? 5.42101086e-20 : 2.0);
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : z;
}
