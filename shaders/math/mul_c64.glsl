//! needs:
//! provides: nx_mul(vec2)
/* The textbook product. */
vec2 nx_mul(vec2 a, vec2 b)
{
    precise float re = a.x * b.x - a.y * b.y;
    precise float im = a.x * b.y + a.y * b.x;
    return vec2(re, im);
}
