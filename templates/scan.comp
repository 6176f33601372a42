#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "scan.glsl"

// A workgroup scans @GROUP_RUNS@, @SPAN@ elements of each at a time.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
@HEAD@    @TYPE@ carry = none;
    for (uint step = 0u; step < @ROUNDS@u; step++) {
@LOAD@        barrier();
        carry = scan_span(lid, carry);
@STORE@        barrier();
    }
}
