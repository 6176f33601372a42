//! needs: exact_f32
//! provides: nx_root_parts(float)
/* The square root of h + l as a pair, for h far from the ends of the range, or 0. */
vec2 nx_root_parts(float h, float l)
{
    precise float s = sqrt(h);
    vec2 p = nx_two_prod(s, s);
    precise float r = (((h - p.x) - p.y) + l) / (2.0 * s);
    return nx_quick_sum(s, s > 0.0 ? r : 0.0);
}
