//! needs: exp_c64 expm1_cis_f32 reduce_f32 pair_ratio_c64 tests_c64
//! provides: nx_sigmoid(vec2)
/* With w = -z, or z to the left of the imaginary axis, 1 or e^w over 1 + e^w; that sum is 1 - e^(w + i pi), which is
   good near the poles too. Far out it is 1. */
vec2 nx_sigmoid(vec2 z)
{
    bool left = z.x < 0.0;
    vec2 w = left ? z : -z;
    if (!nx_is_finite(z) || w.x < -40.0) {
        vec2 e = nx_exp(w);
        return left ? e : vec2(1.0 - e.x, -e.y);
    }
    int q;
    vec2 r = nx_reduce(w.y, q), d, n, c = nx_expm1_cis(w.x, r, q + 2, d, n), im;
    vec2 re = left ? nx_pair_ratio(n, d, c, d, im) : nx_pair_ratio(vec2(-1.0, 0.0), vec2(0.0, 0.0), c, d, im);
    return vec2(re.x, nx_nz(z.y) ? im.x : z.y);
}
