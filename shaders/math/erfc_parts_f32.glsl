//! needs: exact_f32 exp_parts_f32
//! provides: nx_erfc_parts(float)
/* erfc(a) = 2^k (x + y) of the result for a from 1/2 to 10.1: e^(-a^2) / (1 + 2 a) times a minimax
   polynomial in (a - 2) / (a + 2). */
vec2 nx_erfc_parts(float a, out int k)
{
    vec2 n = nx_two_sum(a, -2.0), d = nx_two_sum(a, 2.0);
    precise float c = 1.0 / d.x;
    precise float t = n.x * c;
    vec2 q = nx_two_prod(t, d.x);
    t = t + (((n.x - q.x) - q.y) + (n.y - t * d.y)) * c;
    float p = 0.00023074256;
    p = -0.0003205395 + t * p;
    p = -0.0014825662 + t * p;
    p = 0.0012234526 + t * p;
    p = 0.008731234 + t * p;
    p = -0.00802635 + t * p;
    p = -0.054221123 + t * p;
    p = 0.16405079 + t * p;
    p = -0.16603035 + t * p;
    p = -0.09276382 + t * p;
    precise float w = t * p;
    vec2 g = nx_two_sum(1.2769784, w);
    g.y += 7.667964e-09;
    vec2 s = nx_two_prod(a, a);
    vec2 e = nx_exp_parts(-s.x, -s.y, k);
    d = nx_quick_sum(2.0 * a, 1.0);
    vec2 m = nx_two_prod(e.x, g.x);
    precise float ml = m.y + (e.x * g.y + e.y * g.x);
    c = 1.0 / d.x;
    precise float r = m.x * c;
    q = nx_two_prod(r, d.x);
    return nx_quick_sum(r, (((m.x - q.x) - q.y) + (ml - r * d.y)) * c);
}
