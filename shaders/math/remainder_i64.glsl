//! needs:
//! provides: nx_remainder(int64_t) nx_remainder(uint64_t)
/* As remainder_int. */
uint64_t nx_remainder(uint64_t a, uint64_t b)
{
    return b == uint64_t(0) ? a : a % (b | uint64_t(b == uint64_t(0)));
}

int64_t nx_remainder(int64_t a, int64_t b)
{
    uint64_t ua = a < int64_t(0) ? uint64_t(0) - uint64_t(a) : uint64_t(a);
    uint64_t ub = b < int64_t(0) ? uint64_t(0) - uint64_t(b) : uint64_t(b);
    uint64_t r = ua % (ub | uint64_t(ub == uint64_t(0)));
    return b == int64_t(0) ? a : int64_t(a < int64_t(0) ? uint64_t(0) - r : r);
}
