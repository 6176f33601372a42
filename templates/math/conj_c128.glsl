//! needs:
//! provides: nx_conj(dvec2)
dvec2 nx_conj(dvec2 z)
{
    return dvec2(z.x, -z.y);
}
