//! needs:
//! provides: nx_words(uvec4)
/* Four of the eight words of a and b, from the one at `from` (0 to 3) on. In selects: Mesa takes an indexed table of
   constants for memory that it fills anew in every lane, and seconds to compile it; and mix, not ?:, of which glslang
   makes branches. */
uvec4 nx_words(uvec4 a, uvec4 b, int from)
{
    bool two = (from & 2) != 0;
    uvec4 w = mix(a, uvec4(a.z, a.w, b.x, b.y), bvec4(two));
    uint next = mix(b.x, b.z, two);
    return mix(w, uvec4(w.y, w.z, w.w, next), bvec4((from & 1) != 0));
}
