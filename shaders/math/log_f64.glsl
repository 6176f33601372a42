//! needs: scale_f64 reciprocal_f64
//! provides: nx_log(double)
/* x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); s = f / (2 + f), R = 2 atanh(s) / s - 2 by a minimax
   polynomial in s^2, and log(1 + f) = f - (f^2/2 - s (f^2/2 + R)). */
double nx_log(double x)
{
    uvec2 u = unpackDouble2x32(x);
    int e;
    uvec2 v = nx_lift_f64(u, e);
    int k = int(v.y - 0x3fe6a09eu) >> 20;
    precise double f = packDouble2x32(uvec2(v.x, v.y - (uint(k) << 20))) - 1.0lf;
    double n = double(k + e);
    precise double s = f * nx_reciprocal(2.0lf + f);
    double z = s * s;
    double p = 0.06617857774129952lf;
    p = 0.06626029832643324lf + z * p;
    p = 0.07693496009536147lf + z * p;
    p = 0.09090889151375874lf + z * p;
    p = 0.11111111303673116lf + z * p;
    p = 0.14285714284705292lf + z * p;
    p = 0.2000000000000246lf + z * p;
    p = 0.3333333333333333lf + z * p;
    precise double h = 0.5lf * f * f;
    precise double y = n * 6.93147180369123816490e-01lf + (f - (h - (s * (h + 2.0lf * z * p) + n * 1.90821492927058770002e-10lf)));
    if (((u.y & 0x7fffffffu) | u.x) == 0u)
        return double(-NX_INF);
    if (u.y > 0x7ff00000u || (u.y == 0x7ff00000u && u.x != 0u))
        return double(NX_NAN);
    return u.y == 0x7ff00000u ? x : y;
}
