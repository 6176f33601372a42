//! needs:
//! provides: nx_order(float)
/* An integer that orders as x does, -0 below +0: a device that keeps subnormals may still compare them as 0. */
int nx_order(float x)
{
    int i = floatBitsToInt(x);
    return i ^ ((i >> 31) & 0x7fffffff);
}
