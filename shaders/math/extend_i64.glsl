//! needs:
//! provides: nx_extend(int)
/* int64_t(x) for drivers that compare such a conversion with a constant wrongly: Mesa 22.3 takes int64_t(x) > 0
   for true, whatever x is. */
int64_t nx_extend(int x)
{
    return int64_t((uint64_t(uint(x)) ^ uint64_t(0x80000000u)) - uint64_t(0x80000000u));
}
