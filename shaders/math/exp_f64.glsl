//! needs: scale_f64
//! provides: nx_exp(double)
/* As exp_f32, with the power of two in two steps, and the polynomial's even and odd terms side by side: a thread
   that has nothing else to do waits for each operation. */
double nx_exp(double x)
{
    uint h = unpackDouble2x32(x).y, a = h & 0x7fffffffu;
    precise double t = fma(x, 1.4426950408889634lf, 6755399441055744.0lf);
    precise double k = t - 6755399441055744.0lf;
    precise double high = fma(-k, 6.93147180369123816490e-01lf, x), r = fma(-k, 1.90821492927058770002e-10lf, high);
    double r2 = r * r;
    double p = 2.7630537163848767e-07lf, q = 2.5003225322679648e-08lf;
    p = 2.4801492265489312e-05lf + r2 * p;
    q = 2.755757700396035e-06lf + r2 * q;
    p = 0.0013888888944473428lf + r2 * p;
    q = 0.00019841269516385736lf + r2 * q;
    p = 0.041666666666526686lf + r2 * p;
    q = 0.008333333333490232lf + r2 * q;
    p = 0.5000000000000011lf + r2 * p;
    q = 0.1666666666666642lf + r2 * q;
    p = p + r * q;
    precise double g = 1.0lf + high;
    precise double y = g + fma(r2, p, fma(-k, 1.90821492927058770002e-10lf, high - (g - 1.0lf)));
    uvec2 z = unpackDouble2x32(nx_scale(y, int(unpackDouble2x32(t).x)));
    bool far = a >= 0x40863000u, nan = (a | uint(unpackDouble2x32(x).x != 0u)) > 0x7ff00000u;
    z = far && int(h) >= 0 ? uvec2(0u, 0x7ff00000u) : z;
    z = a >= 0x40875000u && int(h) < 0 ? uvec2(0u, 0u) : z;
    return nan ? x : packDouble2x32(z);
}
