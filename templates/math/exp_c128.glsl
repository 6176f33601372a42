//! needs: exp_parts_f64 scale_f64 sin_f64 cos_f64 tests_f64
//! provides: nx_exp(dvec2)
/* e^x (cos y + i sin y), scaled last so that a small cosine saves an overflow. */
dvec2 nx_exp(dvec2 z)
{
    bool low = z.x < -2000.0lf, high = z.x > 2000.0lf;
    double x = low ? -1000.0lf : high ? 1000.0lf : z.x;
    int k;
    dvec2 e = nx_exp_parts(clamp(nx_is_nan(x) != 0u ? 0.0lf : x, -1090.0lf, 1090.0lf), 0.0lf, k);
    double m = e.x + e.y;
    if (high)
        m = double(NX_INF);
    if (nx_is_nan(z.x) != 0u)
        m = z.x;
    if (!nx_nz(z.y))
        return dvec2(nx_scale(m, k), z.y);
    if (low && (nx_is_nan(z.y) | nx_is_infinity(z.y)) != 0u)
        return dvec2(0.0lf, 0.0lf);
    double c = nx_cos(z.y), s = nx_sin(z.y);
    if (nx_is_infinity(z.x) != 0u && !low && (nx_is_nan(z.y) | nx_is_infinity(z.y)) != 0u)
        return dvec2(z.x, c);
    return dvec2(nx_scale(m * c, k), nx_scale(m * s, k));
}
