//! needs: scale_f32
//! provides: nx_sigmoid(float)
/* e^-|x| = 2^k (h + l), with what the sums of nx_exp round away gathered in l; then 1 / (1 + e) for x >= 0,
   e / (1 + e) below. The quotient is that of nx_div without its care for far exponents, which cannot occur,
   and takes l in. At most 1.99 ULP at half the work of a quotient in two floats: this is what a fused chain
   of 2^28 elements spends its time on. */
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
    bool up = x >= 0.0;
    float n = up ? 1.0 : h;
    precise float d = 1.0 + h * uintBitsToFloat(uint(max(k, -60.0) + 127.0) << 23);
    precise float i = 1.0 / d;
    precise float q = n * i;
    precise float qh = uintBitsToFloat(floatBitsToUint(q) & 0xfffff000u), ql = q - qh;
    precise float dh = uintBitsToFloat(floatBitsToUint(d) & 0xfffff000u), dl = d - dh;
    precise float y = q + ((((n - qh * dh) - qh * dl) - ql * dh) - ql * dl) * i;
    precise float z = y + y * l;
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : up ? y : nx_scale(z, int(k));
}
