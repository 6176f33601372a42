//! needs:
//! provides: nx_nz(int) nx_nz(uint)
bool nx_nz(int x)
{
    return x != 0;
}

bool nx_nz(uint x)
{
    return x != 0u;
}
