//! needs: cast_f64 narrow_f32
//! provides: nx_encode_f16(double) nx_encode_bf16(double) nx_encode_f8(double) nx_encode_f8e4m3fn(double) nx_odd_f64(double)
/* Through a float rounded to odd, which has bits to spare: the second rounding is then the right one. */
float nx_odd_f64(double x)
{
    uvec2 u = unpackDouble2x32(x);
    return uintBitsToFloat((u.y & 0x80000000u) | nx_float_bits_f64(uvec2(u.x, u.y & 0x7fffffffu), 1u));
}

uint nx_encode_f16(double x)
{
    return nx_encode_f16(nx_odd_f64(x));
}

uint nx_encode_bf16(double x)
{
    return nx_encode_bf16(nx_odd_f64(x));
}

uint nx_encode_f8(double x)
{
    return nx_encode_f8(nx_odd_f64(x));
}

uint nx_encode_f8e4m3fn(double x)
{
    return nx_encode_f8e4m3fn(nx_odd_f64(x));
}
