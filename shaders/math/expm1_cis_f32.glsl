//! needs: expm1_rest_f32 exp_parts_f32 sin_parts_f32 pair_f32 exact_f32
//! provides: nx_expm1_cis(float)
/* e^(x + i y) - 1 for y = q pi/2 + r and x up to 80, or -80 for any below it, parts as pairs; `plus` is the real part
   with the 1 back. Where both terms may cancel, it is expm1(x) cos r + (cos r - 1). A subnormal x is an operand of sums
   and products only: a driver's max might take it for 0. */
vec2 nx_expm1_cis(float x, vec2 r, int q, out vec2 im, out vec2 plus)
{
    vec2 s = nx_sin_parts(r), c = nx_cos_parts(r);
    s = nx_quick_sum(s.x, s.y);
    vec2 away = nx_two_sum(c.x, -1.0);
    away = nx_quick_sum(away.x, away.y + c.y);
    c = nx_quick_sum(c.x, c.y);
    int k;
    vec2 e = nx_exp_parts(max(x, -80.0), 0.0, k);
    e = e * uintBitsToFloat(uint(k + 127) << 23);
    vec2 m = nx_two_sum(e.x, -1.0);
    m = abs(x) < 0.34 ? nx_quick_sum(x, nx_expm1_rest(x)) : nx_quick_sum(m.x, m.y + e.y);
    vec2 re = nx_pair_sum(nx_pair_product(m, c), away);
    vec2 t = (q & 1) != 0 ? c : s, u = (q & 1) != 0 ? s : c;
    im = nx_pair_product(e, (q & 2) != 0 ? -t : t);
    plus = nx_pair_product(e, ((q + 1) & 2) != 0 ? -u : u);
    vec2 apart = nx_pair_sum(plus, vec2(-1.0, 0.0));
    return (q & 3) == 0 ? re : apart;
}
