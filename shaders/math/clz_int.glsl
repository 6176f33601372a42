//! needs:
//! provides: nx_clz(int) nx_clz(uint)
/* findMSB(0) is -1, which gives w. */
int nx_clz(int x, uint w)
{
    return int(w) - 1 - findMSB(uint(x) & (0xffffffffu >> (32u - w)));
}

uint nx_clz(uint x, uint w)
{
    return uint(nx_clz(int(x), w));
}
