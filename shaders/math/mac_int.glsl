//! needs:
//! provides: nx_mac(uint)
/* The low word of a b + c + carry; the high word is the next carry. It cannot overflow. */
uint nx_mac(uint a, uint b, uint c, inout uint carry)
{
    uint high, low;
    umulExtended(a, b, high, low);
    low += c;
    high += uint(low < c);
    low += carry;
    high += uint(low < carry);
    carry = high;
    return low;
}
