//! needs: tanh_c128
//! provides: nx_tan(dvec2)
/* -i tanh(i z) */
dvec2 nx_tan(dvec2 z)
{
    dvec2 w = nx_tanh(dvec2(-z.y, z.x));
    return dvec2(w.y, -w.x);
}
