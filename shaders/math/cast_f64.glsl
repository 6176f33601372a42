//! needs: tests_f64
//! provides: nx_to_sint(double) nx_to_uint(double) nx_to_int(double) nx_to_double(int) nx_to_double(uint) nx_to_double(float) nx_to_float(double) nx_float_bits_f64(uvec2)
/* As cast_f32. */
int nx_to_sint(double x, uint w)
{
    double high = packDouble2x32(uvec2(0u, (w + 1022u) << 20));
    if (nx_is_nan(x) != 0u)
        return 0;
    if (x >= high)
        return int((1u << (w - 1u)) - 1u);
    return x <= -high ? int(0u - (1u << (w - 1u))) : int(x);
}

uint nx_to_uint(double x, uint w)
{
    if (!(x > 0.0lf))
        return 0u;
    return x >= packDouble2x32(uvec2(0u, (w + 1023u) << 20)) ? 0xffffffffu >> (32u - w) : uint(x);
}

int nx_to_int(double x)
{
    return nx_to_sint(x, 32u);
}

uint nx_to_uint(double x)
{
    return nx_to_uint(x, 32u);
}

double nx_to_double(int x)
{
    return double(x);
}

double nx_to_double(uint x)
{
    return double(x);
}

/* A subnormal float goes by its integer, for a device that would flush it. */
double nx_to_double(float x)
{
    uint u = floatBitsToUint(x), a = u & 0x7fffffffu;
    double y = double(x);
    if (a < 0x00800000u) {
        uvec2 v = unpackDouble2x32(double(a) * 1.401298464324817e-45lf);
        y = packDouble2x32(uvec2(v.x, v.y | (u & 0x80000000u)));
    }
    return y;
}

/* The bits of the float nearest to a double without its sign (odd = 0: ties to even), or of the one
   towards zero with its last bit set if anything was lost (odd = 1): that one may be rounded once more. */
uint nx_float_bits_f64(uvec2 u, uint odd)
{
    if (u.y >= 0x7ff00000u)
        return u.y == 0x7ff00000u && u.x == 0u ? 0x7f800000u : 0x7fc00000u;
    int e = int(u.y >> 20) - 896;
    uint q, rest;
    if (e > 0) {
        if (e > 254)
            return odd != 0u ? 0x7f7fffffu : 0x7f800000u;
        q = (uint(e) << 23) | ((u.y & 0x000fffffu) << 3) | (u.x >> 29);
        rest = u.x << 3;
    } else {
        uint m = 0x00800000u | ((u.y & 0x000fffffu) << 3) | (u.x >> 29), s = uint(min(1 - e, 25));
        q = m >> s;
        rest = (m << (32u - s)) | uint((u.x << 3) != 0u);
        if (u.y < 0x00100000u)
            rest = uint((u.y | u.x) != 0u);
    }
    if (odd != 0u)
        return q | uint(rest != 0u);
    return q + uint(rest > 0x80000000u || (rest == 0x80000000u && (q & 1u) != 0u));
}

float nx_to_float(double x)
{
    uvec2 u = unpackDouble2x32(x);
    return uintBitsToFloat((u.y & 0x80000000u) | nx_float_bits_f64(uvec2(u.x, u.y & 0x7fffffffu), 0u));
}
