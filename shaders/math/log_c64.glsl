//! needs: log_modulus_c64 atan2_f32 tests_c64
//! provides: nx_log(vec2)
/* The logarithm of the modulus, and the angle. Annex G of C. */
vec2 nx_log(vec2 z)
{
    float angle = nx_atan2(z.y, z.x);
    if (!nx_nz(z))
        return vec2(-NX_INF, angle);
    if (nx_is_infinity(z) != 0u)
        return vec2(NX_INF, angle);
    if (nx_is_nan(z) != 0u)
        return vec2(angle, angle);
    return vec2(nx_log_modulus(vec2(z.x, 0.0), z.y, 0).x, angle);
}
