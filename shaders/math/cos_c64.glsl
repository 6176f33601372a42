//! needs: cosh_c64
//! provides: nx_cos(vec2)
/* cosh(i z) */
vec2 nx_cos(vec2 z)
{
    return nx_cosh(vec2(-z.y, z.x));
}
