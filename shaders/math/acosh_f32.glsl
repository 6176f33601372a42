//! needs: log_parts_f32 root_parts_f32 exact_f32
//! provides: nx_acosh(float)
/* log(x + sqrt(x^2 - 1)) in pairs; far out log(2 x). */
float nx_acosh(float x)
{
    bool finite = x <= 3.40282347e38, ok = x >= 1.0 && finite;
    bool big = x > 1e9;
    float b = big || !ok ? 2.0 : x;
    vec2 s = nx_two_prod(b, b), t = nx_two_sum(s.x, -1.0);
    t = nx_two_sum(t.x, t.y + s.y);
    vec2 r = nx_root_parts(t.x, t.y);
    vec2 v = nx_two_sum(b, r.x);
    v = nx_quick_sum(v.x, v.y + r.y);
    float y = nx_log_parts(big && ok ? x : v.x, big ? 0.0 : v.y, big ? 1 : 0).x;
    if (ok)
        return y;
    return x > 1.0 ? x : NX_NAN;
}
