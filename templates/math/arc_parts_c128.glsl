//! needs: sqrt_parts_c128 exact_f64 scale_f64
//! provides: nx_arc_parts(dvec2)
/* The roots of 1 + z (the result and `pi_`) and of 1 - z (`m` and `mi`), as pairs: what Kahan's formulas for the
   inverse functions are made of. Their products have no sums that cancel. */
dvec2 nx_arc_parts(dvec2 z, out dvec2 pi_, out dvec2 m, out dvec2 mi)
{
    int k;
    m = nx_sqrt_parts(nx_two_sum(1.0lf, -z.x), -z.y, mi, k);
    m = dvec2(nx_scale(m.x, k), nx_scale(m.y, k));
    mi = dvec2(nx_scale(mi.x, k), nx_scale(mi.y, k));
    dvec2 p = nx_sqrt_parts(nx_two_sum(1.0lf, z.x), z.y, pi_, k);
    pi_ = dvec2(nx_scale(pi_.x, k), nx_scale(pi_.y, k));
    return dvec2(nx_scale(p.x, k), nx_scale(p.y, k));
}
