//! needs: atan_parts_f32
//! provides: nx_atan(float)
float nx_atan(float x)
{
    float a = abs(x), y = nx_atan_parts(a <= 1e10 ? a : 1e10, 1.0).x;
    if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u || a < 0.0001)
        return x;
    return x < 0.0 ? -y : y;
}
