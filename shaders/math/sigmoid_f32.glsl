//! needs: exp_raised_f32 residual_f32
//! provides: nx_sigmoid(float)
/* E = e^-|x| as nx_exp has it; then 1 / (1 + E), or E / (1 + E) below 0, where the quotient is corrected by its
   residual, with what 1 + E rounded away. Far out 1 + E is 1, and a subnormal E is the result: an fma might flush it. */
float nx_sigmoid(float x)
{
    bool up = x >= 0.0;
    float c = max(up ? -x : x, -104.0);
    precise float e = nx_exp_raised(c, 0x20000000u) * 5.42101086e-20;
    precise float d = 1.0 + e, rest = e - (d - 1.0);
    float n = up ? 1.0 : e;
    precise float i = 1.0 / d;
    precise float q = n * i;
    precise float z = fma(fma(-q, rest, nx_residual(n, q, d)), i, q);
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : c < -30.0 ? n : z;
}
