//! needs:
//! provides: nx_min(int) nx_min(uint)
int nx_min(int a, int b)
{
    return min(a, b);
}

uint nx_min(uint a, uint b)
{
    return min(a, b);
}
