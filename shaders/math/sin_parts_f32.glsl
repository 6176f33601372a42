//! needs:
//! provides: nx_sin_parts(vec2) nx_cos_parts(vec2)
/* Sine and cosine of h + l, at most pi/4 in magnitude: a large term and a small one, not yet summed. */
vec2 nx_sin_parts(vec2 r)
{
    float z = r.x * r.x;
    float p = 2.8004306e-06;
    p = -0.00019849905 + z * p;
    p = 0.008333372 + z * p;
    p = -0.16666667 + z * p;
    precise float t = r.x * z * p + (r.y - 0.5 * z * r.y);
    return vec2(r.x, t);
}

vec2 nx_cos_parts(vec2 r)
{
    precise float z = r.x * r.x;
    float p = 2.4432546e-05;
    p = -0.0013887311 + z * p;
    p = 0.041666646 + z * p;
    precise float h = 0.5 * z, w = 1.0 - h;
    precise float t = ((1.0 - w) - h) + (z * z * p - r.x * r.y);
    return vec2(w, t);
}
