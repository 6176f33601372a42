//! needs:
//! provides: nx_popcount(int) nx_popcount(uint)
/* w, the width in bits, is from 1 to 32. */
int nx_popcount(int x, uint w)
{
    return bitCount(uint(x) & (0xffffffffu >> (32u - w)));
}

uint nx_popcount(uint x, uint w)
{
    return uint(bitCount(x & (0xffffffffu >> (32u - w))));
}
