//! needs: div_f32 scale_f32
//! provides: nx_sigmoid(float)
/* e^-|x| = 2^k (h + l), with what the sums of nx_exp round away gathered in l; then 1 / (1 + e) for x >= 0,
   e / (1 + e) below, where the quotient takes l in. At most 1.96 ULP, at half the work of a quotient in
   two floats: this is what a fused chain of 2^28 elements spends its time on. */
float nx_sigmoid(float x)
{
    float c = abs(x) <= 104.0 ? -abs(x) : -104.0;
    precise float k = floor(c * 1.44269504 + 0.5);
    precise float high = c - k * 0.693145751953125, low = k * 1.42860682e-06;
    precise float r = high - low;
    float p = 1.38235523e-3;
    p = 8.36882368e-3 + r * p;
    p = 4.16682363e-2 + r * p;
    p = 0.166665196 + r * p;
    p = 0.49999994 + r * p;
    precise float w = r * r * p, t = r + w, h = 1.0 + t;
    precise float l = (t - (h - 1.0)) + (((r - t) + w) + ((high - r) - low));
    precise float d = 1.0 + nx_scale(h, int(k));
    precise float q = nx_div(x >= 0.0 ? 1.0 : h, d);
    precise float y = q + q * l;
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : x >= 0.0 ? q : nx_scale(y, int(k));
}
