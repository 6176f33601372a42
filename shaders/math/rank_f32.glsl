//! needs:
//! provides: nx_rank_up(float) nx_rank_down(float) nx_of_rank_up(uint) nx_of_rank_down(uint)
/* Reductions to the greatest and least go over integers, by one max() each: nx_rank_up orders as floats do, from 0 for
   -infinity to 0xff000001 for infinity, with -0 below +0 and every NaN above; nx_rank_down the other way around. */
uint nx_rank_up(float x)
{
    int i = floatBitsToInt(x);
    return uint(i ^ ((i >> 31) | int(0x80000000u))) - 0x007fffffu;
}

uint nx_rank_down(float x)
{
    int i = floatBitsToInt(x);
    return uint(i ^ (~(i >> 31) & 0x7fffffff)) - 0x007fffffu;
}

float nx_of_rank_up(uint k)
{
    uint u = k + 0x007fffffu;
    return k > 0xff000001u ? NX_NAN : uintBitsToFloat(u ^ (uint(~(int(u) >> 31)) | 0x80000000u));
}

float nx_of_rank_down(uint k)
{
    uint u = k + 0x007fffffu;
    return k > 0xff000001u ? NX_NAN : uintBitsToFloat(u ^ (uint(~(int(u) >> 31)) & 0x7fffffffu));
}
