//! needs: level_c64 root_parts_f32 pair_f32 exact_f32 tests_c64
//! provides: nx_sign(vec2)
/* z / |z| in pairs; 0 stays. */
vec2 nx_sign(vec2 z)
{
    int k;
    vec2 w = nx_level(z, k), m = nx_pair_sum(nx_two_prod(w.x, w.x), nx_two_prod(w.y, w.y));
    m = nx_root_parts(m.x, m.y);
    return nx_nz(z) ? vec2(nx_pair_quotient(vec2(w.x, 0.0), m).x, nx_pair_quotient(vec2(w.y, 0.0), m).x) : z;
}
