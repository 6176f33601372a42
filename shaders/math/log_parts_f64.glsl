//! needs: exact_f64 inverse_f64 scale_f64
//! provides: nx_log_parts(double)
/* log((h + l) 2^n) as the sum of the result's parts, relative error under 2^-67.
   Needs h normal and positive, |l| <= ulp(h), and h < 2^1022 if l is not 0.
   With h + l = 2^k (1 + f) and s = f / (2 + f): log(1 + f) = 2 s + 2 s^3 (1/3 + s^2 (1/5 + s^2 Q(s^2))). */
dvec2 nx_log_parts(double h, double l, int n)
{
    uvec2 u = unpackDouble2x32(h);
    int k = int(u.y - 0x3fe6a09eu) >> 20;
    double m = packDouble2x32(uvec2(u.x, u.y - (uint(k) << 20)));
    dvec2 f = nx_two_sum(m - 1.0lf, l * nx_power_of_two_f64(clamp(-k, -1022, 1023)));
    dvec2 d = nx_quick_sum(2.0lf, f.x);
    precise double c = nx_inverse(d.x);
    precise double q = f.x * c;
    dvec2 p = nx_two_prod(q, d.x);
    precise double ql = (((f.x - p.x) - p.y) + (f.y - q * (d.y + f.y))) * c;
    dvec2 s = nx_quick_sum(q, ql);
    dvec2 z = nx_two_prod(s.x, s.x);
    precise double zl = z.y + 2.0lf * s.x * s.y;
    double t = 0.054739368176215095lf;
    t = 0.052162595906925714lf + z.x * t;
    t = 0.05884037942370574lf + z.x * t;
    t = 0.06666630441489657lf + z.x * t;
    t = 0.07692308167675958lf + z.x * t;
    t = 0.09090909087217419lf + z.x * t;
    t = 0.11111111111126461lf + z.x * t;
    t = 0.1428571428571426lf + z.x * t;
    dvec2 w = nx_quick_sum(0.2lf, z.x * t - 1.1102230246251565e-17lf);
    dvec2 v = nx_two_prod(z.x, w.x);
    precise double vl = v.y + (z.x * w.y + zl * w.x);
    w = nx_quick_sum(0.3333333333333333lf, v.x);
    precise double wl = w.y + (vl + 1.8503717077085943e-17lf);
    dvec2 g = nx_two_prod(z.x, w.x);
    precise double gl = g.y + (z.x * wl + zl * w.x);
    dvec2 b = nx_two_prod(s.x, g.x);
    precise double bl = b.y + (s.x * gl + s.y * g.x);
    dvec2 y = nx_quick_sum(s.x, b.x);
    precise double yl = 2.0lf * (y.y + (s.y + bl));
    precise double e = double(k + n);
    dvec2 a = nx_two_sum(e * 6.93147180369123816490e-01lf, 2.0lf * y.x);
    return nx_quick_sum(a.x, a.y + (yl + e * 1.90821492927058770002e-10lf));
}
