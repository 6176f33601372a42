//! needs: sqrt_c128 div_c128
//! provides: nx_rsqrt(dvec2)
dvec2 nx_rsqrt(dvec2 z)
{
    return nx_div(dvec2(1.0lf, 0.0lf), nx_sqrt(z));
}
