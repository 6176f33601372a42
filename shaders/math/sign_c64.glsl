//! needs: level_c64 root_parts_f32 pair_f32 exact_f32 signed_f32 tests_c64 tests_f32
//! provides: nx_sign(vec2)
/* z / |z| in pairs; 0 stays. Beside an infinity, what is finite becomes 0; the infinity itself has no direction. */
vec2 nx_sign(vec2 z)
{
    if (nx_is_infinity(z) != 0u)
        return vec2(nx_is_finite(z.x) ? nx_signed(0.0, 1.0, z.x) : NX_NAN, nx_is_finite(z.y) ? nx_signed(0.0, 1.0, z.y) : NX_NAN);
    int k;
    vec2 w = nx_level(z, k), m = nx_pair_sum(nx_two_prod(w.x, w.x), nx_two_prod(w.y, w.y));
    m = nx_root_parts(m.x, m.y);
    return nx_nz(z) ? vec2(nx_pair_quotient(vec2(w.x, 0.0), m).x, nx_pair_quotient(vec2(w.y, 0.0), m).x) : z;
}
