//! needs:
//! provides: nx_quotient(int) nx_quotient(uint)
/* Towards zero; x / 0 is all ones; the least integer over -1 is itself. Vulkan leaves signed division
   by zero and that overflow undefined, so magnitudes are divided. */
uint nx_quotient(uint a, uint b)
{
    return b == 0u ? 0xffffffffu : a / max(b, 1u);
}

int nx_quotient(int a, int b)
{
    uint ua = a < 0 ? 0u - uint(a) : uint(a), ub = b < 0 ? 0u - uint(b) : uint(b);
    uint q = ua / max(ub, 1u);
    return b == 0 ? -1 : int((a ^ b) < 0 ? 0u - q : q);
}
