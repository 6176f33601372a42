//! needs: asin_c128
//! provides: nx_asinh(dvec2)
/* -i asin(i z) */
dvec2 nx_asinh(dvec2 z)
{
    dvec2 w = nx_asin(dvec2(-z.y, z.x));
    return dvec2(w.y, -w.x);
}
