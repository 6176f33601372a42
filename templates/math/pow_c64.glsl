//! needs: log_c64 exp_c64 mul_c64 tests_c64 tests_f32
//! provides: nx_pow(vec2)
/* e^(b log a): the error grows with |b log a|. a^0 is 1; 0^b is 0 where the real part of b is positive, else NaN. */
vec2 nx_pow(vec2 a, vec2 b)
{
    if (!nx_nz(b))
        return vec2(1.0, 0.0);
    if (!nx_nz(a))
        return b.x > 0.0 ? vec2(0.0, 0.0) : vec2(NX_NAN, NX_NAN);
    return nx_exp(nx_mul(b, nx_log(a)));
}
