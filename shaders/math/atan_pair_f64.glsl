//! needs: pair_f64 exact_f64
//! provides: nx_atan_pair(dvec2)
/* The angle of the point (x, y) of pairs in the first quadrant, not both 0 and well inside the range, to 2^-65: turned
   back by a multiple of pi/8 the tangent is at most 1/5, and there is the series, its first three terms in pairs. */
dvec2 nx_atan_pair(dvec2 y, dvec2 x)
{
    dvec2 n = y, d = x, b = dvec2(0.0lf, 0.0lf), turn = dvec2(0.0lf, 0.0lf);
    bool up = y.x > 5.027339492125846lf * x.x;
    if (up) {
        n = -x;
        d = y;
        b = dvec2(1.5707963267948966lf, 6.123233995736766e-17lf);
    } else if (y.x > 1.4966057626654891lf * x.x) {
        turn = dvec2(2.4142135623730949lf, 1.2537167179050217e-16lf);
        b = dvec2(1.1780972450961724lf, 4.5924254968025742e-17lf);
    } else if (y.x > 0.6681786379192989lf * x.x) {
        turn = dvec2(1.0lf, 0.0lf);
        b = dvec2(0.78539816339744828lf, 3.061616997868383e-17lf);
    } else if (y.x > 0.198912367379658lf * x.x) {
        turn = dvec2(0.41421356237309503lf, 1.4349369327986523e-17lf);
        b = dvec2(0.39269908169872414lf, 1.5308084989341915e-17lf);
    }
    if (turn.x > 0.0lf) {
        n = nx_pair_sum(y, -nx_pair_product(x, turn));
        d = nx_pair_sum(x, nx_pair_product(y, turn));
    }
    dvec2 t = nx_pair_quotient(n, d), z = nx_pair_product(t, t);
    double p = -0.037037037037037035lf;
    p = 0.04lf + z.x * p;
    p = -0.043478260869565216lf + z.x * p;
    p = 0.047619047619047616lf + z.x * p;
    p = -0.05263157894736842lf + z.x * p;
    p = 0.058823529411764705lf + z.x * p;
    p = -0.06666666666666667lf + z.x * p;
    p = 0.07692307692307693lf + z.x * p;
    p = -0.09090909090909091lf + z.x * p;
    p = 0.1111111111111111lf + z.x * p;
    p = -0.14285714285714285lf + z.x * p;
    dvec2 w = nx_quick_sum(0.2lf, z.x * p - 1.1102230246251566e-17lf);
    w = nx_pair_sum(dvec2(-0.3333333333333333lf, -1.8503717077085941e-17lf), nx_pair_product(z, w));
    dvec2 g = nx_pair_product(t, nx_pair_product(z, w));
    return nx_pair_sum(b, nx_pair_sum(t, g));
}
