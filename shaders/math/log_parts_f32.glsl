//! needs: exact_f32
//! provides: nx_log_parts(float)
/* log((h + l) 2^n) as the sum of the result's parts, relative error under 2^-35.
   Needs h normal and positive, |l| <= ulp(h), and h < 2^126 if l is not 0.
   With h + l = 2^k (1 + f) and s = f / (2 + f): log(1 + f) = 2 s + 2 s^3 (1/3 + s^2 Q(s^2)). */
vec2 nx_log_parts(float h, float l, int n)
{
    uint u = floatBitsToUint(h);
    int k = int(u - 0x3f3504f3u) >> 23;
    vec2 f = nx_two_sum(uintBitsToFloat(u - (uint(k) << 23)) - 1.0, l * uintBitsToFloat(uint(clamp(127 - k, 1, 254)) << 23));
    vec2 d = nx_quick_sum(2.0, f.x);
    precise float dl = d.y + f.y;
    precise float c = 1.0 / d.x;
    precise float q = f.x * c;
    vec2 p = nx_two_prod(q, d.x);
    precise float ql = (((f.x - p.x) - p.y) + (f.y - q * dl)) * c;
    vec2 s = nx_quick_sum(q, ql);
    vec2 z = nx_two_prod(s.x, s.x);
    precise float zl = z.y + 2.0 * s.x * s.y;
    float t = 9.76394638e-2;
    t = 0.110905297 + z.x * t;
    t = 0.142859787 + z.x * t;
    t = 0.199999988 + z.x * t;
    vec2 w = nx_quick_sum(0.333333343, z.x * t - 9.93410776e-09);
    vec2 g = nx_two_prod(z.x, w.x);
    precise float gl = g.y + (z.x * w.y + zl * w.x);
    vec2 b = nx_two_prod(s.x, g.x);
    precise float bl = b.y + (s.x * gl + s.y * g.x);
    vec2 y = nx_quick_sum(s.x, b.x);
    precise float yl = 2.0 * (y.y + (s.y + bl));
    precise float m = float(k + n);
    vec2 a = nx_two_sum(m * 0.693145751953125, 2.0 * y.x);
    return nx_quick_sum(a.x, a.y + (yl + m * 1.42860682e-06));
}
