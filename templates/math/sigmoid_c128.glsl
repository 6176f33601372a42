//! needs: exp_c128 expm1_cis_f64 reduce_f64 pair_ratio_c128 tests_c128
//! provides: nx_sigmoid(dvec2)
/* With w = -z, or z to the left of the imaginary axis, 1 or e^w over 1 + e^w; that sum is 1 - e^(w + i pi), which is
   good near the poles too. Far out it is 1. */
dvec2 nx_sigmoid(dvec2 z)
{
    bool left = z.x < 0.0lf;
    dvec2 w = left ? z : -z;
    if (!nx_is_finite(z) || w.x < -40.0lf) {
        dvec2 e = nx_exp(w);
        return left ? e : dvec2(1.0lf - e.x, -e.y);
    }
    int q;
    dvec2 r = nx_reduce(w.y, q), d, n, c = nx_expm1_cis(w.x, r, q + 2, d, n), im;
    dvec2 re = left ? nx_pair_ratio(n, d, c, d, im) : nx_pair_ratio(dvec2(-1.0lf, 0.0lf), dvec2(0.0lf, 0.0lf), c, d, im);
    return dvec2(re.x, nx_nz(z.y) ? im.x : z.y);
}
