//! needs:
//! provides: nx_clz(int64_t) nx_clz(uint64_t)
uint64_t nx_clz(uint64_t x, uint w)
{
    uint high = uint(x >> 32);
    return uint64_t(uint(high != 0u ? 31 - findMSB(high) : 63 - findMSB(uint(x))));
}

int64_t nx_clz(int64_t x, uint w)
{
    return int64_t(nx_clz(uint64_t(x), w));
}
