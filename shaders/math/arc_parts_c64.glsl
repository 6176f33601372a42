//! needs: sqrt_parts_c64 exact_f32 scale_f32
//! provides: nx_arc_parts(vec2)
/* The roots of 1 + z (the result and `pi_`) and of 1 - z (`m` and `mi`), as pairs: what Kahan's formulas for the
   inverse functions are made of. Their products have no sums that cancel. */
vec2 nx_arc_parts(vec2 z, out vec2 pi_, out vec2 m, out vec2 mi)
{
    int k;
    m = nx_sqrt_parts(nx_two_sum(1.0, -z.x), -z.y, mi, k);
    m = vec2(nx_scale(m.x, k), nx_scale(m.y, k));
    mi = vec2(nx_scale(mi.x, k), nx_scale(mi.y, k));
    vec2 p = nx_sqrt_parts(nx_two_sum(1.0, z.x), z.y, pi_, k);
    pi_ = vec2(nx_scale(pi_.x, k), nx_scale(pi_.y, k));
    return vec2(nx_scale(p.x, k), nx_scale(p.y, k));
}
