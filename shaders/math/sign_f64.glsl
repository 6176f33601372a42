//! needs: tests_f64
//! provides: nx_sign(double)
double nx_sign(double x)
{
    uint sign = unpackDouble2x32(x).y & 0x80000000u;
    return !nx_nz(x) || nx_is_nan(x) != 0u ? x : packDouble2x32(uvec2(0u, sign | 0x3ff00000u));
}
