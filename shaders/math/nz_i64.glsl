//! needs:
//! provides: nx_nz(int64_t) nx_nz(uint64_t)
bool nx_nz(int64_t x)
{
    return x != int64_t(0);
}

bool nx_nz(uint64_t x)
{
    return x != uint64_t(0);
}
