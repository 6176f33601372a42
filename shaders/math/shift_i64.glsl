//! needs:
//! provides: nx_shl(int64_t) nx_shl(uint64_t) nx_shr(int64_t) nx_shr(uint64_t)
/* A count that is negative or not below the width shifts everything out. */
uint64_t nx_shl(uint64_t x, uint64_t n, uint w)
{
    return n >= uint64_t(w) ? uint64_t(0) : x << (uint(n) & 63u);
}

int64_t nx_shl(int64_t x, int64_t n, uint w)
{
    return int64_t(nx_shl(uint64_t(x), uint64_t(n), w));
}

uint64_t nx_shr(uint64_t x, uint64_t n, uint w)
{
    return n >= uint64_t(w) ? uint64_t(0) : x >> (uint(n) & 63u);
}

int64_t nx_shr(int64_t x, int64_t n, uint w)
{
    return x >> (uint64_t(n) >= uint64_t(w) ? 63u : uint(n) & 63u);
}
