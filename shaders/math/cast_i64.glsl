//! needs:
//! provides: nx_to_i64(float) nx_to_u64(float) nx_to_float(int64_t) nx_to_float(uint64_t)
/* Towards zero, saturating, NaN is 0; by bits, as few drivers are asked for these. */
uint64_t nx_to_u64(float x)
{
    uint u = floatBitsToUint(x);
    int e = int(u >> 23) - 150;
    uint64_t m = uint64_t((u & 0x007fffffu) | 0x00800000u);
    if (u > 0x7f800000u || e < -23)
        return uint64_t(0);
    if (e > 40)
        return ~uint64_t(0);
    return e < 0 ? m >> uint(-e) : m << uint(e);
}

int64_t nx_to_i64(float x)
{
    uint u = floatBitsToUint(x), a = u & 0x7fffffffu;
    if (a > 0x7f800000u)
        return int64_t(0);
    uint64_t m = nx_to_u64(uintBitsToFloat(a)), top = uint64_t(1) << 63;
    bool negative = (u >> 31) != 0u;
    m = m >= top ? (negative ? top : top - uint64_t(1)) : m;
    return int64_t(negative ? uint64_t(0) - m : m);
}

/* To nearest, ties to even: the top 24 bits, raised by what is below them. */
float nx_to_float(uint64_t x)
{
    uint high = uint(x >> 32);
    int shift = (high != 0u ? 32 + findMSB(high) : findMSB(uint(x))) - 23;
    if (shift <= 0)
        return float(uint(x));
    uint q = uint(x >> uint(shift));
    uint64_t rest = x & ((uint64_t(1) << uint(shift)) - uint64_t(1)), half_ = uint64_t(1) << uint(shift - 1);
    if (rest > half_ || (rest == half_ && (q & 1u) != 0u))
        q++;
    return float(q) * uintBitsToFloat(uint(shift + 127) << 23);
}

float nx_to_float(int64_t x)
{
    uint64_t m = x < int64_t(0) ? uint64_t(0) - uint64_t(x) : uint64_t(x);
    float y = nx_to_float(m);
    return x < int64_t(0) ? -y : y;
}
