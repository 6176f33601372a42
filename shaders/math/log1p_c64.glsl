//! needs: log_modulus_c64 log_c64 log_parts_f32 atan2_f32 pair_f32 exact_f32 tests_c64 tests_f32
//! provides: nx_log1p(vec2)
/* log(1 + m) / 2 with m = 2 x + x^2 + y^2 as a pair, unless 1 + m is small or large. */
vec2 nx_log1p(vec2 z)
{
    if (!nx_is_finite(z) || (!nx_nz(z.y) && z.x == -1.0))
        return nx_log(vec2(1.0 + z.x, z.y));
    float angle = nx_atan2(z.y, 1.0 + z.x);
    if (max(abs(z.x), abs(z.y)) < 2.0) {
        vec2 m = nx_pair_sum(nx_pair_sum(vec2(2.0 * z.x, 0.0), nx_two_prod(z.x, z.x)), nx_two_prod(z.y, z.y)), v = nx_two_sum(1.0, m.x);
        if (m.x > -0.75)
            return vec2(0.5 * nx_log_parts(v.x, v.y + m.y, 0).x, angle);
    }
    return vec2(nx_log_modulus(nx_two_sum(1.0, z.x), z.y, 0).x, angle);
}
