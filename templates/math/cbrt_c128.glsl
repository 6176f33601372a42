//! needs: log_c128 exp_c128 div_f64 tests_c128
//! provides: nx_cbrt(dvec2)
/* The principal root, e^(log z / 3). */
dvec2 nx_cbrt(dvec2 z)
{
    dvec2 l = nx_log(z);
    return nx_nz(z) ? nx_exp(dvec2(nx_div(l.x, 3.0lf), nx_div(l.y, 3.0lf))) : z;
}
