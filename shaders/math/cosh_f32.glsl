//! needs: exp_both_f32 exact_f32 scale_f32
//! provides: nx_cosh(float)
/* e^|x| and its reciprocal, halved. */
float nx_cosh(float x)
{
    float a = abs(x);
    int k;
    vec2 r, e = nx_exp_both(a <= 90.0 ? a : 90.0, r, k), s = nx_two_sum(e.x, r.x);
    float y = nx_scale(s.x + (s.y + (e.y + r.y)), k - 1);
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : y;
}
