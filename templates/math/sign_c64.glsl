//! needs: level_c64 abs_c64 div_f32 tests_c64
//! provides: nx_sign(vec2)
/* z / |z|; 0 stays. */
vec2 nx_sign(vec2 z)
{
    int k;
    vec2 w = nx_level(z, k);
    float m = nx_abs(w);
    return nx_nz(z) ? vec2(nx_div(w.x, m), nx_div(w.y, m)) : z;
}
