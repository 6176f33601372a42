//! needs:
//! provides: nx_sin_parts(dvec2) nx_cos_parts(dvec2)
/* Sine and cosine of h + l, at most pi/4 in magnitude: a large term and a small one, not yet summed. */
dvec2 nx_sin_parts(dvec2 r)
{
    double z = r.x * r.x;
    double p = -7.485313334718505e-13lf;
    p = 1.6056256409472373e-10lf + z * p;
    p = -2.505208601776903e-08lf + z * p;
    p = 2.7557319129399146e-06lf + z * p;
    p = -0.00019841269841057224lf + z * p;
    p = 0.0083333333333331lf + z * p;
    p = -0.16666666666666666lf + z * p;
    precise double t = r.x * z * p + (r.y - 0.5 * z * r.y);
    return dvec2(r.x, t);
}

dvec2 nx_cos_parts(dvec2 r)
{
    precise double z = r.x * r.x;
    double p = -1.13586646156194e-11lf;
    p = 2.087570398210434e-09lf + z * p;
    p = -2.7557314208521055e-07lf + z * p;
    p = 2.4801587288980358e-05lf + z * p;
    p = -0.0013888888888873322lf + z * p;
    p = 0.041666666666666595lf + z * p;
    precise double h = 0.5 * z, w = 1.0 - h;
    precise double t = ((1.0 - w) - h) + (z * z * p - r.x * r.y);
    return dvec2(w, t);
}
