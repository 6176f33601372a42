#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "sort_item.glsl"

#include "merge.glsl"

#include "sort_runs.glsl"

// A workgroup sorts @GROUP_RUNS@ of at most @SPAN@ elements.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
@HEAD@@LOAD@    barrier();
    sort_runs(8u * lid);
    barrier();
@STORE@}
