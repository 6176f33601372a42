#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "panel_cholesky.glsl"

// A workgroup takes @MATRICES@, @LANES@ threads each.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
@PLACE@@LOAD@    factor(lid / @LANES@u * SIZE, lid % @LANES@u);
@STORE@}
