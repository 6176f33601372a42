//! needs: log_parts_f32 root_parts_f32 exact_f32
//! provides: nx_asinh(float)
/* A series near 0; else log(|x| + sqrt(x^2 + 1)) in pairs; far out log(2 |x|). */
float nx_asinh(float x)
{
    float a = abs(x), z = x * x;
    precise float near = x - x * z * (0.16666667 - z * (0.075 - z * (0.04464286 - z * 0.030381944)));
    bool big = a > 1e9;
    float b = big ? 1.0 : a;
    vec2 s = nx_two_prod(b, b), t = nx_two_sum(s.x, 1.0);
    vec2 r = nx_root_parts(t.x, t.y + s.y);
    vec2 v = nx_two_sum(b, r.x);
    v = nx_quick_sum(v.x, v.y + r.y);
    bool finite = a <= 3.40282347e38;
    float y = nx_log_parts(big ? (finite ? a : 1.0) : v.x, big ? 0.0 : v.y, big ? 1 : 0).x;
    if (!finite)
        return x;
    if (a < 0.03125)
        return a < 0.0001 ? x : near;
    return x < 0.0 ? -y : y;
}
