//! needs:
//! provides: nx_max(int64_t) nx_max(uint64_t)
int64_t nx_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

uint64_t nx_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
