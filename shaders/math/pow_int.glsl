//! needs:
//! provides: nx_pow(int) nx_pow(uint)
/* Modulo 2^32, by squaring; at most 32 rounds. A negative exponent: 1 gives 1, -1 gives 1 or -1, the rest 0. */
uint nx_pow(uint x, uint n)
{
    uint r = 1u;
    for (; n != 0u; n >>= 1) {
        r *= (n & 1u) != 0u ? x : 1u;
        x *= x;
    }
    return r;
}

int nx_pow(int x, int n)
{
    if (n < 0)
        return x == 1 ? 1 : x == -1 ? 1 - 2 * (n & 1) : 0;
    return int(nx_pow(uint(x), uint(n)));
}
