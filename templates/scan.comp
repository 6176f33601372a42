#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "line_slot.glsl"

#include "scan.glsl"

// Runs of a workgroup: @GROUP_RUNS@, of each of which it scans @SPAN@ elements at a time.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
@HEAD@    @TYPE@ none = @NONE@;
    @TYPE@ carry = none;
    for (uint step = 0u; step < @ROUNDS@u; step++) {
        @UNROLL@for (uint i = 0u; i < 8u; i++) {
            slot s = slot_of(i, lid, group, step);
            @TYPE@ x = none;
            if (is_live(s)) {
                uint o = row_of(s), r = place_of(s);
@LOAD@            }
            put(s.l, x);
        }
        barrier();
        carry = scan_span(lid, carry);
        @UNROLL@for (uint i = 0u; i < 8u; i++) {
            slot s = slot_of(i, lid, group, step);
            if (is_live(s)) {
                uint o = row_of(s), r = place_of(s);
@STORE@            }
        }
        barrier();
    }
}
