//! needs: reduce_f32 sin_parts_f32 exact_f32
//! provides: nx_tan(float)
/* Sine over cosine, both as pairs; the quotient is corrected by its residual. */
float nx_tan(float x)
{
    bool finite = abs(x) <= 3.40282347e38;
    int q;
    vec2 r = nx_reduce(finite ? x : 0.0, q);
    vec2 s = nx_sin_parts(r), c = nx_cos_parts(r);
    bool turned = (q & 1) != 0;
    vec2 n = turned ? c : s, d = turned ? s : c;
    n = nx_quick_sum(n.x, n.y);
    d = nx_quick_sum(d.x, d.y);
    precise float i = 1.0 / d.x;
    precise float t = n.x * i;
    vec2 p = nx_two_prod(t, d.x);
    precise float y = t + (((n.x - p.x) - p.y) + (n.y - t * d.y)) * i;
    if (!finite)
        return NX_NAN;
    return abs(x) < 0.0001 ? x : turned ? -y : y;
}
