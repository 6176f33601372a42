//! needs: asin_c64
//! provides: nx_asinh(vec2)
/* -i asin(i z) */
vec2 nx_asinh(vec2 z)
{
    vec2 w = nx_asin(vec2(-z.y, z.x));
    return vec2(w.y, -w.x);
}
