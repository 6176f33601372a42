//! needs:
//! provides: nx_to_sint(float) nx_to_uint(float) nx_to_int(float) nx_to_float(int) nx_to_float(uint)
/* Float to integer of w bits (1 to 32): towards zero, saturating, NaN is 0. Vulkan leaves what does not fit undefined. */
int nx_to_sint(float x, uint w)
{
    float high = uintBitsToFloat((w + 126u) << 23);
    if ((floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u)
        return 0;
    if (x >= high)
        return int((1u << (w - 1u)) - 1u);
    return x <= -high ? int(0u - (1u << (w - 1u))) : int(x);
}

uint nx_to_uint(float x, uint w)
{
    if (!(x > 0.0))
        return 0u;
    return x >= uintBitsToFloat((w + 127u) << 23) ? 0xffffffffu >> (32u - w) : uint(x);
}

int nx_to_int(float x)
{
    return nx_to_sint(x, 32u);
}

uint nx_to_uint(float x)
{
    return nx_to_uint(x, 32u);
}

/* Both halves are exact, so that only the sum rounds. */
float nx_to_float(int x)
{
    precise float y = float(x >> 16) * 65536.0 + float(x & 0xffff);
    return y;
}

float nx_to_float(uint x)
{
    precise float y = float(x >> 16) * 65536.0 + float(x & 0xffffu);
    return y;
}
