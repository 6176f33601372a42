//! needs: log_parts_f32 root_parts_f32 pair_f32
//! provides: nx_asinh_pair(vec2)
/* asinh of a pair, not negative and with a square inside the range: log(v + sqrt(v^2 + 1)); near 0 its series. */
float nx_asinh_pair(vec2 v)
{
    float z = v.x * v.x;
    precise float near = v.x + (v.y - v.x * z * (0.16666667 - z * (0.075 - z * (0.04464286 - z * 0.030381944))));
    vec2 s = nx_pair_sum(nx_pair_product(v, v), vec2(1.0, 0.0));
    s = nx_pair_sum(nx_root_parts(s.x, s.y), v);
    return v.x < 0.03125 ? near : nx_log_parts(s.x, s.y, 0).x;
}
