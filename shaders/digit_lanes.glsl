//! What a subgroup of 32 neighbours says of its threads.
//! needs: digit_tile.glsl; GL_KHR_shader_subgroup_ballot, GL_KHR_shader_subgroup_arithmetic,
//!   GL_KHR_memory_scope_semantics
//! provides: equal_digits(uint, uint) sum_of_lanes(uint, uvec2) wait_for_lanes()
//! threads: all of the workgroup
// Which threads have the same digit, a bit each. The instruction for the whole of it (subgroupPartitionNV) takes an
// H200 a turn for each different digit.
uint equal_digits(uint lid, uint digit)
{
    uint mask = 0xffffffffu;
    [[unroll]] for (uint bit = 0u; 1u << bit < RADIX; bit++) {
        uint those = subgroupBallot((digit >> bit & 1u) != 0u).x;
        mask &= ~(those ^ uint(bitfieldExtract(int(digit), int(bit), 1)));
    }
    return mask;
}

// What those before have.
uvec2 sum_of_lanes(uint lid, uvec2 own)
{
    return subgroupExclusiveAdd(own);
}

// Until what they wrote to shared memory is seen.
void wait_for_lanes()
{
    controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
}
