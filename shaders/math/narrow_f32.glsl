//! needs:
//! provides: nx_decode_f16(uint) nx_encode_f16(float) nx_round_f16(float) nx_decode_bf16(uint) nx_encode_bf16(float) nx_round_bf16(float) nx_decode_f8(uint) nx_encode_f8(float) nx_round_f8(float) nx_decode_f8e4m3fn(uint) nx_encode_f8e4m3fn(float) nx_round_f8e4m3fn(float) nx_narrow(uint)
/* The small floats as bits in a uint. Encoding is to nearest, ties to even, on integers alone; overflow
   gives infinity (f8_e4m3fn, which has none: +-448) and NaN the quiet NaN with its sign. */

/* The magnitude of float bits `u` (no sign, not NaN) with `man` bits of mantissa; `least` is the
   exponent field of a float that is the type's least normal number. Not yet limited above. */
uint nx_narrow(uint u, uint man, uint least)
{
    uint e = u >> 23, shift = 23u - man;
    if (e >= least) {
        uint up = (1u << (shift - 1u)) - 1u + ((u >> shift) & 1u);
        return ((u + up) >> shift) - ((least - 1u) << man);
    }
    uint m = (u & 0x007fffffu) | (e != 0u ? 0x00800000u : 0u);
    shift = min(shift + least - max(e, 1u), 30u);
    return (m + (1u << (shift - 1u)) - 1u + ((m >> shift) & 1u)) >> shift;
}

float nx_decode_f16(uint h)
{
    uint sign = (h & 0x8000u) << 16, e = (h >> 10) & 31u, m = h & 0x3ffu;
    uint u = e == 31u ? 0x7f800000u | (m << 13) : ((e + 112u) << 23) | (m << 13);
    if (e == 0u)
        u = floatBitsToUint(float(m) * 5.9604644775390625e-8);
    return uintBitsToFloat(sign | u);
}

uint nx_encode_f16(float x)
{
    uint u = floatBitsToUint(x), a = u & 0x7fffffffu;
    uint h = a > 0x7f800000u ? 0x7e00u : min(nx_narrow(a, 10u, 113u), 0x7c00u);
    return ((u >> 16) & 0x8000u) | h;
}

float nx_round_f16(float x)
{
    return nx_decode_f16(nx_encode_f16(x));
}

float nx_decode_bf16(uint h)
{
    return uintBitsToFloat((h & 0xffffu) << 16);
}

uint nx_encode_bf16(float x)
{
    uint u = floatBitsToUint(x);
    return (u & 0x7fffffffu) > 0x7f800000u ? ((u >> 16) & 0x8000u) | 0x7fc0u : (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
}

float nx_round_bf16(float x)
{
    return nx_decode_bf16(nx_encode_bf16(x));
}

/* E5M2 is the upper half of f16. */
float nx_decode_f8(uint h)
{
    return nx_decode_f16((h & 0xffu) << 8);
}

uint nx_encode_f8(float x)
{
    uint u = floatBitsToUint(x), a = u & 0x7fffffffu;
    uint h = a > 0x7f800000u ? 0x7eu : min(nx_narrow(a, 2u, 113u), 0x7cu);
    return ((u >> 24) & 0x80u) | h;
}

float nx_round_f8(float x)
{
    return nx_decode_f8(nx_encode_f8(x));
}

float nx_decode_f8e4m3fn(uint h)
{
    uint sign = (h & 0x80u) << 24, e = (h >> 3) & 15u, m = h & 7u;
    uint u = (h & 0x7fu) == 0x7fu ? 0x7fc00000u : ((e + 120u) << 23) | (m << 20);
    if (e == 0u)
        u = floatBitsToUint(float(m) * 0.001953125);
    return uintBitsToFloat(sign | u);
}

uint nx_encode_f8e4m3fn(float x)
{
    uint u = floatBitsToUint(x), a = u & 0x7fffffffu;
    uint h = a > 0x7f800000u ? 0x7fu : min(nx_narrow(a, 3u, 121u), 0x7eu);
    return ((u >> 24) & 0x80u) | h;
}

float nx_round_f8e4m3fn(float x)
{
    return nx_decode_f8e4m3fn(nx_encode_f8e4m3fn(x));
}
