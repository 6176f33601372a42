//! needs: log_parts_f64 root_parts_f64 pair_f64
//! provides: nx_asinh_pair(dvec2)
/* asinh of a pair, not negative and with a square inside the range: log(v + sqrt(v^2 + 1)); near 0 its series. */
double nx_asinh_pair(dvec2 v)
{
    double z = v.x * v.x;
    precise double near = v.x + (v.y - v.x * z * (0.16666666666666666lf - z * (0.075lf - z * (0.044642857142857144lf - z * 0.030381944444444444lf))));
    dvec2 s = nx_pair_sum(nx_pair_product(v, v), dvec2(1.0lf, 0.0lf));
    s = nx_pair_sum(nx_root_parts(s.x, s.y), v);
    return v.x < 0.00390625lf ? near : nx_log_parts(s.x, s.y, 0).x;
}
