//! needs: log_c128 exp_c128 mul_c128 tests_c128 tests_f64
//! provides: nx_pow(dvec2)
/* e^(b log a): the error grows with |b log a|. a^0 is 1; 0^b is 0 where the real part of b is positive, else NaN. */
dvec2 nx_pow(dvec2 a, dvec2 b)
{
    if (!nx_nz(b))
        return dvec2(1.0lf, 0.0lf);
    if (!nx_nz(a))
        return b.x > 0.0 ? dvec2(0.0lf, 0.0lf) : dvec2(double(NX_NAN), double(NX_NAN));
    return nx_exp(nx_mul(b, nx_log(a)));
}
