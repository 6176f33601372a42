//! needs: exact_f32
//! provides: nx_exp_parts(float)
/* e^(h + l) = 2^k (x + y) of the result, relative error under 2^-28. Needs |h| < 350, |l| <= ulp(h). */
vec2 nx_exp_parts(float h, float l, out int k)
{
    precise float n = floor(h * 1.44269504 + 0.5);
    precise float t = h - n * 0.693145751953125;
    vec2 r = nx_two_sum(t, n * -1.42860682e-06);
    float p = 1.95780143e-4;
    p = 1.39357708e-3 + r.x * p;
    p = 8.33388697e-3 + r.x * p;
    p = 4.16664556e-2 + r.x * p;
    p = 0.166666642 + r.x * p;
    p = 0.5 + r.x * p;
    precise float rest = r.y + l;
    precise float q = r.x * r.x * p;
    q = q + rest * (1.0 + (r.x + q));
    vec2 s = nx_quick_sum(1.0, r.x);
    k = int(n);
    return nx_quick_sum(s.x, s.y + q);
}
