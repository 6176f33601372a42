//! needs: reduce_f32
//! provides: nx_sin_at(float)
/* sin(x + s pi/2): reduced modulo pi/2 exactly enough for every float, then one of two minimax polynomials. */
float nx_sin_at(float x, int s)
{
    int q;
    float r = nx_reduce_one(x, q), z = r * r;
    q += s;
    float p = -0.000195178101;
    p = 0.00833218731 + z * p;
    p = -0.166666552 + z * p;
    precise float sine = fma(r * z, p, r);
    p = 2.4432546e-05;
    p = -0.0013887311 + z * p;
    p = 0.041666646 + z * p;
    p = -0.5 + z * p;
    precise float cosine = fma(z, p, 1.0);
    float y = (q & 1) != 0 ? cosine : sine;
    return uintBitsToFloat(floatBitsToUint(y) ^ (uint(q & 2) << 30));
}
