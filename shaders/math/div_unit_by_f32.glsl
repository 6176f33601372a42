//! needs: div_by_f32 residual_f32
//! provides: nx_div_unit_by(float)
/* nx_div_by for a from +0 to 1 and NaN: such an a is brought to where no step underflows by 2^64, and back, for less than
   a test of it. c and b are those of nx_inverse: |b| is from 2^-63 to 2^63, or c is 0. */
float nx_div_unit_by(float a, float b, float c)
{
    if (floatBitsToUint(c) == 0u)
        return nx_div(a, b);
    precise float n = a * 18446744073709551616.0;
    precise float q = n * c;
    precise float y = fma(nx_residual(n, q, b), c, q);
    y = y * 5.42101086e-20;
    return y;
}
