//! needs: exp_raised_f32
//! provides: nx_exp(float)
/* The last operation lets the result overflow or become subnormal. */
float nx_exp(float x)
{
    bool down = x < 0.0;
    precise float z = nx_exp_raised(min(max(x, -104.0), 89.0), down ? 0x20000000u : 0xff800000u);
    z = z * (down ? 5.42101086e-20 : 2.0);
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : z;
}
