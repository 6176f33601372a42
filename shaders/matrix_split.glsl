//! Products of f32 on units of f16: x is scaled by a power of two, and taken as two halves of 11
//!   bits each, high + low / 2048. Of a product three terms are made: high * high, high * low and
//!   low * high. The scale is chosen by the first elements of an operand that a workgroup sees;
//!   reach[] has, per operand, the largest and the smallest magnitude of these, and then whether
//!   elements that came later are too large or too small for it.
//! needs: DenormPreserve and RoundingModeRTE of 16 bits, so that x - high is what high lacks
//! provides: matrix_most, matrix_least: the largest of magnitudes, and the smallest that is not 0, as
//!   twice their bits, less 1 for the smallest; split_eight; split_scale: a power of two that
//!   brings the smallest to 2^@LEAST@, from where 2^-12 of it still has its share of the bits, or the
//!   largest to 2^8, if that is less: what follows may be 2^8 as large, and mostly far larger. 1
//!   where no scale is safe
shared uint reach[5];

uint matrix_most(uint most, vec4 x)
{
    uvec4 y = floatBitsToUint(x);
    y += y;
    return max(max(most, max(y.x, y.y)), max(y.z, y.w));
}

uint matrix_least(uint least, vec4 x)
{
    uvec4 y = floatBitsToUint(x);
    y += y - 1u;
    return min(min(least, min(y.x, y.y)), min(y.z, y.w));
}

float split_scale(uint most, uint least)
{
    int scale = min(@LEAST@ + 127 - int(least + 1u >> 24), 135 - int(most >> 24));
    return most != 0u && abs(scale) <= 60 ? uintBitsToFloat(uint(127 + scale) << 23) : 1.0;
}

uvec2 half_bits(vec4 x)
{
    return uvec2(packFloat2x16(f16vec2(x.xy)), packFloat2x16(f16vec2(x.zw)));
}

vec4 of_half_bits(uvec2 h)
{
    return vec4(vec2(unpackFloat2x16(h.x)), vec2(unpackFloat2x16(h.y)));
}

/* A driver that saw through both conversions might take them for none. */
void split_eight(vec4 x, vec4 y, float scale, out uvec4 high, out uvec4 low)
{
    vec4 u = x * scale, v = y * scale;
    high = uvec4(half_bits(u), half_bits(v));
    uvec4 seen = high ^ gl_WorkGroupID.z;
    low = uvec4(half_bits((u - of_half_bits(seen.xy)) * 2048.0), half_bits((v - of_half_bits(seen.zw)) * 2048.0));
}
