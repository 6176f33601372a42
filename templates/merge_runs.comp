#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "sort_item.glsl"

#include "merge.glsl"

// An element of the runs that are merged, by its place in their buffer.
item fetch(uint i)
{
    return item(@FETCH@);
}

#include "merge_runs.glsl"

// A workgroup makes @SPAN@ elements of two merged runs.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
@HEAD@    uint o = group / @ROW_GROUPS@u, first = group % @ROW_GROUPS@u * @SPAN@u;
    uint pair = first & ~(pair_size - 1u), a_size = min(run, @LENGTH@u - pair);
    uint b_size = min(run, @LENGTH@u - pair - a_size), a = o * @LENGTH@u + pair;
    uint start = first - pair, count = min(@SPAN@u, a_size + b_size - start);
    merge_runs(lid, a, a_size, a + a_size, b_size, start, count);
    barrier();
    @UNROLL@for (uint i = 0u; i < 8u; i++) {
        uint l = i * @GROUP@u + lid;
        if (l < count) {
            uint r = first + l;
@STORE@        }
    }
}
