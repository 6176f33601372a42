//! needs: sinh_c64
//! provides: nx_sin(vec2)
/* -i sinh(i z) */
vec2 nx_sin(vec2 z)
{
    vec2 w = nx_sinh(vec2(-z.y, z.x));
    return vec2(w.y, -w.x);
}
