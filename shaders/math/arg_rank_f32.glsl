//! needs:
//! provides: nx_arg_rank_up(float) nx_arg_rank_down(float)
/* argmax and argmin go by integers: nx_arg_rank_up orders as floats do, from 1 for -infinity to 0xff000001 for
   infinity, where both zeros are equal, and so are all NaN, which are above; nx_arg_rank_down the other way around. */
#define NX_RANK_NAN 0xff000002u

uint nx_arg_rank_up(float x)
{
    uint u = floatBitsToUint(x), negative = uint(int(u) >> 31);
    return min(((u ^ negative) - negative ^ ~negative & 0x80000000u) - 0x00800000u, 0xff000001u) + 1u;
}

uint nx_arg_rank_down(float x)
{
    uint u = floatBitsToUint(x) ^ 0x80000000u, negative = uint(int(u) >> 31);
    return min(((u ^ negative) - negative ^ ~negative & 0x80000000u) - 0x00800000u, 0xff000001u) + 1u;
}
