//! needs:
//! provides: nx_shl(int) nx_shl(uint) nx_shr(int) nx_shr(uint)
/* A count that is negative or not below the width w shifts everything out. The caller wraps to the width. */
int nx_shl(int x, int n, uint w)
{
    return uint(n) >= w ? 0 : x << (n & 31);
}

uint nx_shl(uint x, uint n, uint w)
{
    return n >= w ? 0u : x << (n & 31u);
}

int nx_shr(int x, int n, uint w)
{
    return x >> (uint(n) >= w ? 31 : n);
}

uint nx_shr(uint x, uint n, uint w)
{
    return n >= w ? 0u : x >> (n & 31u);
}
