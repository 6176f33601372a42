//! needs: level_c128 root_parts_f64 pair_f64 exact_f64 tests_c128
//! provides: nx_sign(dvec2)
/* z / |z| in pairs; 0 stays. */
dvec2 nx_sign(dvec2 z)
{
    int k;
    dvec2 w = nx_level(z, k), m = nx_pair_sum(nx_two_prod(w.x, w.x), nx_two_prod(w.y, w.y));
    m = nx_root_parts(m.x, m.y);
    return nx_nz(z) ? dvec2(nx_pair_quotient(dvec2(w.x, 0.0lf), m).x, nx_pair_quotient(dvec2(w.y, 0.0lf), m).x) : z;
}
