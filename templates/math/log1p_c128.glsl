//! needs: log_modulus_c128 log_c128 log_parts_f64 atan2_f64 pair_f64 exact_f64 tests_c128 tests_f64
//! provides: nx_log1p(dvec2)
/* log(1 + m) / 2 with m = 2 x + x^2 + y^2 as a pair, unless 1 + m is small or large. */
dvec2 nx_log1p(dvec2 z)
{
    if (!nx_is_finite(z) || (!nx_nz(z.y) && z.x == -1.0lf))
        return nx_log(dvec2(1.0lf + z.x, z.y));
    double angle = nx_atan2(z.y, 1.0lf + z.x);
    if (max(abs(z.x), abs(z.y)) < 2.0lf) {
        dvec2 m = nx_pair_sum(nx_pair_sum(dvec2(2.0lf * z.x, 0.0lf), nx_two_prod(z.x, z.x)), nx_two_prod(z.y, z.y)), v = nx_two_sum(1.0lf, m.x);
        if (m.x > -0.75lf)
            return dvec2(0.5lf * nx_log_parts(v.x, v.y + m.y, 0).x, angle);
    }
    return dvec2(nx_log_modulus(nx_two_sum(1.0lf, z.x), z.y, 0).x, angle);
}
