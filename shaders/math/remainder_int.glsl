//! needs:
//! provides: nx_remainder(int) nx_remainder(uint)
/* The sign of the dividend; x rem 0 is x. */
uint nx_remainder(uint a, uint b)
{
    return b == 0u ? a : a % max(b, 1u);
}

int nx_remainder(int a, int b)
{
    uint ua = a < 0 ? 0u - uint(a) : uint(a), ub = b < 0 ? 0u - uint(b) : uint(b);
    uint r = ua % max(ub, 1u);
    return b == 0 ? a : int(a < 0 ? 0u - r : r);
}
