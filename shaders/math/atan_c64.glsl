//! needs: atanh_c64
//! provides: nx_atan(vec2)
/* -i atanh(i z) */
vec2 nx_atan(vec2 z)
{
    vec2 w = nx_atanh(vec2(-z.y, z.x));
    return vec2(w.y, -w.x);
}
