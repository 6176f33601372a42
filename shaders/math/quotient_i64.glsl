//! needs:
//! provides: nx_quotient(int64_t) nx_quotient(uint64_t)
/* As quotient_int. */
uint64_t nx_quotient(uint64_t a, uint64_t b)
{
    return b == uint64_t(0) ? ~uint64_t(0) : a / (b | uint64_t(b == uint64_t(0)));
}

int64_t nx_quotient(int64_t a, int64_t b)
{
    uint64_t ua = a < int64_t(0) ? uint64_t(0) - uint64_t(a) : uint64_t(a);
    uint64_t ub = b < int64_t(0) ? uint64_t(0) - uint64_t(b) : uint64_t(b);
    uint64_t q = ua / (ub | uint64_t(ub == uint64_t(0)));
    return b == int64_t(0) ? int64_t(-1) : int64_t((a ^ b) < int64_t(0) ? uint64_t(0) - q : q);
}
