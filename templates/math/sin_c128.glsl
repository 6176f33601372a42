//! needs: sinh_c128
//! provides: nx_sin(dvec2)
/* -i sinh(i z) */
dvec2 nx_sin(dvec2 z)
{
    dvec2 w = nx_sinh(dvec2(-z.y, z.x));
    return dvec2(w.y, -w.x);
}
