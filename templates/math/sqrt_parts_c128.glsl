//! needs: level_c128 root_parts_f64 pair_f64 exact_f64 scale_f64 signed_f64
//! provides: nx_sqrt_parts(dvec2)
/* The square root of x + i y, finite, over 2^k: its real part and, as `im`, the other. Of |x| and |z| the half sum's
   root, and y over twice it. Signs of zeros are the caller's. */
dvec2 nx_sqrt_parts(dvec2 x, double y, out dvec2 im, out int k)
{
    dvec2 w = nx_level(dvec2(x.x, y), k);
    double low = nx_scale(x.y, -k);
    if ((k & 1) != 0) {
        w = w * 2.0lf;
        low = low * 2.0lf;
        k -= 1;
    }
    k = k >> 1;
    dvec2 re = w.x < 0.0lf ? dvec2(-w.x, -low) : dvec2(w.x, low);
    dvec2 m = nx_pair_sum(nx_pair_product(re, re), nx_two_prod(w.y, w.y));
    m = nx_pair_sum(nx_root_parts(m.x, m.y), re) * 0.5lf;
    dvec2 t = nx_root_parts(m.x, m.y), u = nx_pair_quotient(dvec2(w.y, 0.0lf), t * 2.0lf);
    if (!(t.x > 0.0lf))
        u = dvec2(0.0lf, 0.0lf);
    bool down = nx_signed(1.0lf, 1.0lf, y) < 0.0lf; // w.y may have become 0
    im = w.x < 0.0lf ? (down ? -t : t) : u;
    return w.x < 0.0lf ? (w.y < 0.0lf ? -u : u) : t;
}
