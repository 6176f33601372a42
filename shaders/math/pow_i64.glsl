//! needs:
//! provides: nx_pow(int64_t) nx_pow(uint64_t)
/* As pow_int, modulo 2^64; at most 64 rounds. */
uint64_t nx_pow(uint64_t x, uint64_t n)
{
    uint64_t r = uint64_t(1);
    for (; n != uint64_t(0); n >>= 1) {
        r *= (uint(n) & 1u) != 0u ? x : uint64_t(1);
        x *= x;
    }
    return r;
}

int64_t nx_pow(int64_t x, int64_t n)
{
    if (n < int64_t(0))
        return x == int64_t(1) ? x : x == int64_t(-1) ? ((uint(n) & 1u) != 0u ? int64_t(-1) : int64_t(1)) : int64_t(0);
    return int64_t(nx_pow(uint64_t(x), uint64_t(n)));
}
