//! needs: level_c64 abs_c64 sqrt_f32 div_f32 scale_f32 tests_c64 tests_f32
//! provides: nx_sqrt(vec2)
/* Of |x| and |z| the half sum's root, and y over twice it. */
vec2 nx_sqrt(vec2 z)
{
    bool down = (floatBitsToUint(z.y) >> 31) != 0u;
    if (!nx_nz(z))
        return vec2(0.0, z.y);
    if (nx_is_infinity(z.y) != 0u)
        return vec2(NX_INF, z.y);
    if (nx_is_infinity(z.x) != 0u) {
        float n = nx_is_nan(z.y) != 0u ? z.y : 0.0;
        vec2 r = z.x > 0.0 ? vec2(z.x, n) : vec2(n, -z.x);
        return down ? vec2(r.x, -r.y) : r;
    }
    int k;
    vec2 w = nx_level(z, k);
    if ((k & 1) != 0) {
        w = w * 2.0;
        k -= 1;
    }
    float t = nx_sqrt(0.5 * (abs(w.x) + nx_abs(w))), u = nx_div(w.y, 2.0 * t);
    t = nx_scale(t, k >> 1);
    u = nx_scale(u, k >> 1);
    return z.x >= 0.0 ? vec2(t, u) : vec2(abs(u), down ? -t : t);
}
