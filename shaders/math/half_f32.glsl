//! needs:
//! provides: nx_half_decode(uint) nx_half_encode(float) nx_half_round(float)
/* f16 as bits in a uint, where the device converts it: it keeps subnormals and rounds to nearest,
   ties to even. A NaN is the quiet NaN with its sign, as in narrow_f32.glsl. */

float nx_half_decode(uint h)
{
    return float(unpackFloat2x16(h).x);
}

uint nx_half_encode(float x)
{
    uint u = floatBitsToUint(x), h = packFloat2x16(f16vec2(float16_t(x), float16_t(0.0)));
    return (u & 0x7fffffffu) > 0x7f800000u ? ((u >> 16) & 0x8000u) | 0x7e00u : h;
}

/* NVIDIA's driver takes two conversions, there and back, for none, unless it cannot see that they are
   that: there is one layer of workgroups. */
float nx_half_round(float x)
{
    return nx_half_decode(nx_half_encode(x) ^ gl_WorkGroupID.z);
}
