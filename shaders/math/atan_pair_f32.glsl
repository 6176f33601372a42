//! needs: pair_f32 exact_f32
//! provides: nx_atan_pair(vec2)
/* The angle of the point (x, y) of pairs in the first quadrant, not both 0 and well inside the range, to 2^-35: turned
   back by a multiple of pi/8 the tangent is at most 1/5, and there is the series, its first two terms in pairs. */
vec2 nx_atan_pair(vec2 y, vec2 x)
{
    vec2 n = y, d = x, b = vec2(0.0, 0.0), turn = vec2(0.0, 0.0);
    bool up = y.x > 5.0273395 * x.x;
    if (up) {
        n = -x;
        d = y;
        b = vec2(1.57079637, -4.37113883e-08);
    } else if (y.x > 1.4966058 * x.x) {
        turn = vec2(2.41421366, -9.50060581e-08);
        b = vec2(1.17809725, -2.98122016e-09);
    } else if (y.x > 0.66817863 * x.x) {
        turn = vec2(1.0, 0.0);
        b = vec2(0.785398185, -2.18556941e-08);
    } else if (y.x > 0.19891237 * x.x) {
        turn = vec2(0.414213568, -5.5990883e-09);
        b = vec2(0.392699093, -1.09278471e-08);
    }
    if (turn.x > 0.0) {
        n = nx_pair_sum(y, -nx_pair_product(x, turn));
        d = nx_pair_sum(x, nx_pair_product(y, turn));
    }
    vec2 t = nx_pair_quotient(n, d), z = nx_pair_product(t, t);
    float p = 0.07692308;
    p = -0.09090909 + z.x * p;
    p = 0.11111111 + z.x * p;
    p = -0.14285715 + z.x * p;
    p = 0.2 + z.x * p;
    vec2 w = nx_quick_sum(-0.333333343, z.x * p + 9.93410776e-09);
    vec2 g = nx_pair_product(t, nx_pair_product(z, w));
    return nx_pair_sum(b, nx_pair_sum(t, g));
}
