//! needs: atanh_c128
//! provides: nx_atan(dvec2)
/* -i atanh(i z) */
dvec2 nx_atan(dvec2 z)
{
    dvec2 w = nx_atanh(dvec2(-z.y, z.x));
    return dvec2(w.y, -w.x);
}
