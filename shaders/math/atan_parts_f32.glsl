//! needs: exact_f32
//! provides: nx_atan_parts(float)
/* The angle of the point (x, y) in the first quadrant, as a pair; x and y are well inside the range, or 0.
   Turned back by 0, pi/4 or pi/2, the tangent is at most tan(pi/8): there an odd minimax polynomial. */
vec2 nx_atan_parts(float y, float x)
{
    vec2 n = vec2(y, 0.0), d = vec2(x, 0.0), b = vec2(0.0, 0.0);
    if (y > 2.41421366 * x) {
        n = vec2(-x, 0.0);
        d = vec2(y, 0.0);
        b = vec2(1.5707964, -4.371139e-08);
    } else if (y > 0.414213568 * x) {
        n = nx_two_sum(y, -x);
        d = nx_two_sum(y, x);
        b = vec2(0.7853982, -2.1855694e-08);
    }
    precise float c = 1.0 / d.x;
    precise float t = n.x * c;
    vec2 q = nx_two_prod(t, d.x);
    precise float l = (((n.x - q.x) - q.y) + (n.y - t * d.y)) * c;
    float z = t * t;
    float p = -0.060884696;
    p = 0.10598658 + z * p;
    p = -0.1424434 + z * p;
    p = 0.19998527 + z * p;
    p = -0.33333316 + z * p;
    precise float rest = t * (z * p) + (l - l * z);
    vec2 s = nx_quick_sum(b.x, t);
    return nx_quick_sum(s.x, s.y + (rest + b.y));
}
