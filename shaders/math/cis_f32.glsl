//! needs: reduce_f32 sin_parts_f32 exact_f32
//! provides: nx_cis(float)
/* Sine (the result) and cosine of a finite angle, as pairs. */
vec2 nx_cis(float y, out vec2 c)
{
    int q;
    vec2 r = nx_reduce(y, q);
    vec2 s = nx_sin_parts(r);
    c = nx_cos_parts(r);
    s = nx_quick_sum(s.x, s.y);
    c = nx_quick_sum(c.x, c.y);
    vec2 t = (q & 1) != 0 ? c : s;
    c = (q & 1) != 0 ? s : c;
    c = ((q + 1) & 2) != 0 ? -c : c;
    return abs(y) < 0.0001 ? vec2(y, 0.0) : (q & 2) != 0 ? -t : t;
}
