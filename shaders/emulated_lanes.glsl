//! The same as digit_lanes.glsl of 32 threads of a workgroup, for devices whose subgroups are others (--on).
//! needs: digit_tile.glsl
//! provides: equal_digits(uint, uint) sum_of_lanes(uint, uvec2) wait_for_lanes()
//!   The rounds of loops are not constants: Mesa's CPU driver would write them out.
//! threads: all of the workgroup
//! leaves: a barrier behind every use of shared memory
shared uint told[2u * GROUP];

uint equal_digits(uint lid, uint digit)
{
    uint mask = 0u, first = lid & ~(LANES - 1u);
    told[lid] = digit;
    barrier();
    for (uint lane = 0u; lane < LANES + gl_WorkGroupID.z; lane++)
        mask |= uint(told[first + lane] == digit) << lane;
    barrier();
    return mask;
}

uvec2 sum_of_lanes(uint lid, uvec2 own)
{
    uvec2 sum = uvec2(0u);
    told[lid] = own.x;
    told[GROUP + lid] = own.y;
    barrier();
    for (uint i = lid & ~(LANES - 1u); i < lid; i++)
        sum += uvec2(told[i], told[GROUP + i]);
    barrier();
    return sum;
}

void wait_for_lanes()
{
    barrier();
}
