//! needs:
//! provides: nx_conj(vec2)
vec2 nx_conj(vec2 z)
{
    return vec2(z.x, -z.y);
}
