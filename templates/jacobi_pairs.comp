#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "jacobi.glsl"
#include "jacobi_pairs.glsl"

// A workgroup takes a symmetric matrix of @WIDTH@ rows, and gives how they are turned.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint o = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (o >= @GROUPS@u)
        return;
    bool are_any = false;
    start(lid);
    barrier();
    [[unroll]] for (uint t = 0u; t < WIDTH * WIDTH / @GROUP@u; t++) {
        uint l = lid + t * @GROUP@u, i = l / WIDTH, j = l % WIDTH;
@LOAD@    }
    begin(are_any);
    rotate(lid);
    for (uint l = lid; l < WIDTH * WIDTH; l += @GROUP@u) {
        uint i = l / WIDTH, j = l % WIDTH;
@STORE@    }
}
