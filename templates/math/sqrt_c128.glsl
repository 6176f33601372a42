//! needs: level_c128 abs_c128 sqrt_f64 div_f64 scale_f64 tests_c128 tests_f64
//! provides: nx_sqrt(dvec2)
/* Of |x| and |z| the half sum's root, and y over twice it. */
dvec2 nx_sqrt(dvec2 z)
{
    bool down = (unpackDouble2x32(z.y).y >> 31) != 0u;
    if (!nx_nz(z))
        return dvec2(0.0lf, z.y);
    if (nx_is_infinity(z.y) != 0u)
        return dvec2(double(NX_INF), z.y);
    if (nx_is_infinity(z.x) != 0u) {
        double n = nx_is_nan(z.y) != 0u ? z.y : 0.0lf;
        dvec2 r = z.x > 0.0 ? dvec2(z.x, n) : dvec2(n, -z.x);
        return down ? dvec2(r.x, -r.y) : r;
    }
    int k;
    dvec2 w = nx_level(z, k);
    if ((k & 1) != 0) {
        w = w * 2.0;
        k -= 1;
    }
    double t = nx_sqrt(0.5 * (abs(w.x) + nx_abs(w))), u = nx_div(w.y, 2.0 * t);
    t = nx_scale(t, k >> 1);
    u = nx_scale(u, k >> 1);
    return z.x >= 0.0 ? dvec2(t, u) : dvec2(abs(u), down ? -t : t);
}
