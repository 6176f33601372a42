//! needs:
//! provides: nx_max(int) nx_max(uint)
int nx_max(int a, int b)
{
    return max(a, b);
}

uint nx_max(uint a, uint b)
{
    return max(a, b);
}
