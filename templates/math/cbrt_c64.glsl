//! needs: log_c64 exp_c64 div_f32 tests_c64
//! provides: nx_cbrt(vec2)
/* The principal root, e^(log z / 3). */
vec2 nx_cbrt(vec2 z)
{
    vec2 l = nx_log(z);
    return nx_nz(z) ? nx_exp(vec2(nx_div(l.x, 3.0), nx_div(l.y, 3.0))) : z;
}
