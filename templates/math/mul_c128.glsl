//! needs:
//! provides: nx_mul(dvec2)
/* The textbook product. */
dvec2 nx_mul(dvec2 a, dvec2 b)
{
    precise double re = a.x * b.x - a.y * b.y;
    precise double im = a.x * b.y + a.y * b.x;
    return dvec2(re, im);
}
