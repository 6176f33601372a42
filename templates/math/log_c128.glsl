//! needs: log_modulus_c128 atan2_f64 tests_c128
//! provides: nx_log(dvec2)
/* The logarithm of the modulus, and the angle. Annex G of C. */
dvec2 nx_log(dvec2 z)
{
    double angle = nx_atan2(z.y, z.x);
    if (!nx_nz(z))
        return dvec2(double(-NX_INF), angle);
    if (nx_is_infinity(z) != 0u)
        return dvec2(double(NX_INF), angle);
    if (nx_is_nan(z) != 0u)
        return dvec2(angle, angle);
    return dvec2(nx_log_modulus(dvec2(z.x, 0.0lf), z.y, 0).x, angle);
}
