//! needs: tests_f64 scale_f64
//! provides: nx_level(dvec2)
/* z 2^-k with the greater part in [1, 2); 0, infinity and NaN as they are, with k = 0. */
dvec2 nx_level(dvec2 z, out int k)
{
    uint m = max(unpackDouble2x32(z.x).y & 0x7fffffffu, unpackDouble2x32(z.y).y & 0x7fffffffu);
    k = 0;
    if (m >= 0x7ff00000u || (!nx_nz(z.x) && !nx_nz(z.y)))
        return z;
    if (m < 0x00100000u) {
        z = dvec2(z.x * 18014398509481984.0lf, z.y * 18014398509481984.0lf);
        k = -54;
        m = max(unpackDouble2x32(z.x).y & 0x7fffffffu, unpackDouble2x32(z.y).y & 0x7fffffffu);
    }
    int e = int(m >> 20) - 1023;
    k += e;
    int half_ = e >> 1;
    precise double s = nx_power_of_two_f64(-half_), t = nx_power_of_two_f64(half_ - e);
    return dvec2((z.x * s) * t, (z.y * s) * t);
}
