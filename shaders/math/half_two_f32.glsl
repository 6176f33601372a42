//! needs:
//! provides: nx_half_encode_two(vec2) nx_half_round_two(vec2)
/* Two numbers as f16, in one conversion: see half_f32.glsl. Which NaN a NaN becomes is the device's
   choice. */
uint nx_half_encode_two(vec2 x)
{
    return packFloat2x16(f16vec2(x));
}

vec2 nx_half_round_two(vec2 x)
{
    return vec2(unpackFloat2x16(nx_half_encode_two(x) ^ gl_WorkGroupID.z));
}
