//! needs: exact_f64 inverse_f64
//! provides: nx_atan_parts(double)
/* The angle of the point (x, y) in the first quadrant, as a pair; x and y are well inside the range, or 0.
   Turned back by 0, pi/4 or pi/2, the tangent is at most tan(pi/8): there an odd minimax polynomial. */
dvec2 nx_atan_parts(double y, double x)
{
    dvec2 n = dvec2(y, 0.0), d = dvec2(x, 0.0), b = dvec2(0.0, 0.0);
    if (y > 2.414213562373095lf * x) {
        n = dvec2(-x, 0.0);
        d = dvec2(y, 0.0);
        b = dvec2(1.5707963267948966lf, 6.123233995736766e-17lf);
    } else if (y > 0.4142135623730951lf * x) {
        n = nx_two_sum(y, -x);
        d = nx_two_sum(y, x);
        b = dvec2(0.7853981633974483lf, 3.061616997868383e-17lf);
    }
    precise double c = nx_inverse(d.x);
    precise double t = n.x * c;
    dvec2 q = nx_two_prod(t, d.x);
    precise double l = (((n.x - q.x) - q.y) + (n.y - t * d.y)) * c;
    double z = t * t;
    double p = -0.01788132487935054lf;
    p = 0.03804063844512941lf + z * p;
    p = -0.05038349730193741lf + z * p;
    p = 0.05847673773257226lf + z * p;
    p = -0.066630738236996lf + z * p;
    p = 0.07692057489868026lf + z * p;
    p = -0.0909089759987678lf + z * p;
    p = 0.11111110777763857lf + z * p;
    p = -0.14285714280077164lf + z * p;
    p = 0.19999999999952325lf + z * p;
    p = -0.3333333333333319lf + z * p;
    precise double rest = t * (z * p) + (l - l * z);
    dvec2 s = nx_quick_sum(b.x, t);
    return nx_quick_sum(s.x, s.y + (rest + b.y));
}
