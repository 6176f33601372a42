//! needs: acos_c64 signed_f32 tests_f32
//! provides: nx_acosh(vec2)
/* acos turned by a right angle to where the real part is not negative. */
vec2 nx_acosh(vec2 z)
{
    vec2 w = nx_acos(z);
    if (nx_is_nan(z.x) != 0u && !nx_nz(z.y))
        return vec2(NX_NAN, NX_NAN);
    return vec2(nx_is_nan(w.y) != 0u ? w.y : nx_signed(w.y, 1.0, 1.0), nx_is_nan(w.x) != 0u ? w.x : nx_signed(w.x, 1.0, nx_is_nan(z.y) != 0u ? 1.0 : z.y));
}
