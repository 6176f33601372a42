//! needs: cosh_c128
//! provides: nx_cos(dvec2)
/* cosh(i z) */
dvec2 nx_cos(dvec2 z)
{
    return nx_cosh(dvec2(-z.y, z.x));
}
