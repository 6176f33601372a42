//! needs:
//! provides: nx_to_i64(double) nx_to_u64(double) nx_to_double(int64_t) nx_to_double(uint64_t)
/* As cast_i64. */
uint64_t nx_to_u64(double x)
{
    uvec2 u = unpackDouble2x32(x);
    int e = int(u.y >> 20) - 1075;
    uint64_t m = (uint64_t((u.y & 0x000fffffu) | 0x00100000u) << 32) | uint64_t(u.x);
    if (u.y > 0x7ff00000u || (u.y == 0x7ff00000u && u.x != 0u) || e < -52)
        return uint64_t(0);
    if (e > 11)
        return ~uint64_t(0);
    return e < 0 ? m >> uint(-e) : m << uint(e);
}

int64_t nx_to_i64(double x)
{
    uvec2 u = unpackDouble2x32(x);
    uint64_t m = nx_to_u64(packDouble2x32(uvec2(u.x, u.y & 0x7fffffffu))), top = uint64_t(1) << 63;
    bool negative = (u.y >> 31) != 0u;
    m = m >= top ? (negative ? top : top - uint64_t(1)) : m;
    return int64_t(negative ? uint64_t(0) - m : m);
}

/* Both halves are exact, so that only the sum rounds. */
double nx_to_double(uint64_t x)
{
    precise double y = double(uint(x >> 32)) * 4294967296.0lf + double(uint(x));
    return y;
}

double nx_to_double(int64_t x)
{
    precise double y = double(int(x >> 32)) * 4294967296.0lf + double(uint(x));
    return y;
}
