//! needs:
//! provides: nx_popcount(int64_t) nx_popcount(uint64_t)
uint64_t nx_popcount(uint64_t x, uint w)
{
    return uint64_t(uint(bitCount(uint(x)) + bitCount(uint(x >> 32))));
}

int64_t nx_popcount(int64_t x, uint w)
{
    return int64_t(nx_popcount(uint64_t(x), w));
}
