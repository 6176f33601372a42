//! needs: exp_parts_f32 exact_f32 scale_f32
//! provides: nx_sigmoid(float)
/* With t = e^-|x| = 2^k (h + l): 1 / (1 + t) for x >= 0, t / (1 + t) below; the quotient is corrected by its residual. */
float nx_sigmoid(float x)
{
    float a = min(abs(x), 104.0);
    if (!(abs(x) <= 104.0))
        a = 104.0;
    int k;
    vec2 t = nx_exp_parts(-a, 0.0, k);
    float unit = uintBitsToFloat(uint(max(k, -60) + 127) << 23);
    vec2 d = nx_quick_sum(1.0, t.x * unit);
    precise float dl = d.y + t.y * unit;
    bool up = x >= 0.0;
    float n = up ? 1.0 : t.x, nl = up ? 0.0 : t.y;
    precise float c = 1.0 / d.x;
    precise float q = n * c;
    vec2 p = nx_two_prod(q, d.x);
    precise float r = (((n - p.x) - p.y) - q * dl) + nl;
    precise float y = q + r * c;
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : up ? y : nx_scale(y, k);
}
