//! needs: acos_c128 signed_f64 tests_f64
//! provides: nx_acosh(dvec2)
/* acos turned by a right angle to where the real part is not negative. */
dvec2 nx_acosh(dvec2 z)
{
    dvec2 w = nx_acos(z);
    if (nx_is_nan(z.x) != 0u && !nx_nz(z.y))
        return dvec2(double(NX_NAN), double(NX_NAN));
    return dvec2(nx_is_nan(w.y) != 0u ? w.y : nx_signed(w.y, 1.0lf, 1.0lf), nx_is_nan(w.x) != 0u ? w.x : nx_signed(w.x, 1.0lf, nx_is_nan(z.y) != 0u ? 1.0lf : z.y));
}
