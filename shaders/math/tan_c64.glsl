//! needs: tanh_c64
//! provides: nx_tan(vec2)
/* -i tanh(i z) */
vec2 nx_tan(vec2 z)
{
    vec2 w = nx_tanh(vec2(-z.y, z.x));
    return vec2(w.y, -w.x);
}
