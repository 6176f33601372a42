//! needs: exp_raised_f32
//! provides: nx_exp_nonpositive(float)
/* nx_exp for x <= 0 and NaN, without what only greater ones need; to the same bits. */
float nx_exp_nonpositive(float x)
{
    precise float z = nx_exp_raised(max(x, -104.0), 0x20000000u) * 5.42101086e-20;
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : z;
}
