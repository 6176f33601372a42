#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "line_slot.glsl"

#include "sort_item.glsl"

#include "merge.glsl"

#include "sort_runs.glsl"

// Runs that a workgroup sorts: @GROUP_RUNS@, of at most @SPAN@ elements.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
@HEAD@    @UNROLL@for (uint i = 0u; i < 8u; i++) {
        slot s = slot_of(i, lid, group, 0u);
        item x = @NONE@;
        if (is_live(s)) {
            uint o = row_of(s), r = place_of(s);
@LOAD@        }
        put(s.l, x);
    }
    barrier();
    sort_runs(8u * lid);
    barrier();
    @UNROLL@for (uint i = 0u; i < 8u; i++) {
        slot s = slot_of(i, lid, group, 0u);
        if (is_live(s)) {
            uint o = row_of(s), r = place_of(s);
@STORE@        }
    }
}
