//! needs:
//! provides: nx_words(uvec4)
/* Four of the eight words of a and b, from the one at `from` (0 to 3) on. In selects: Mesa takes an indexed table of
   constants for memory that it fills anew in every lane, and seconds to compile it. */
uvec4 nx_words(uvec4 a, uvec4 b, int from)
{
    bool two = (from & 2) != 0;
    uvec4 w = two ? uvec4(a.z, a.w, b.x, b.y) : a;
    uint next = two ? b.z : b.x;
    return (from & 1) != 0 ? uvec4(w.y, w.z, w.w, next) : w;
}
