//! needs: level_c128 abs_c128 div_f64 tests_c128
//! provides: nx_sign(dvec2)
/* z / |z|; 0 stays. */
dvec2 nx_sign(dvec2 z)
{
    int k;
    dvec2 w = nx_level(z, k);
    double m = nx_abs(w);
    return nx_nz(z) ? dvec2(nx_div(w.x, m), nx_div(w.y, m)) : z;
}
