#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "jacobi.glsl"
#include "jacobi_group.glsl"

// A workgroup takes the products of @WIDTH@ vectors, and gives how they are turned.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint o = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (o >= @GROUPS@u)
        return;
    for (uint l = lid; l < WIDTH * WIDTH; l += @GROUP@u) {
        uint i = l / WIDTH, j = l % WIDTH;
@LOAD@        turns[i * WIDTH + place_of(j)] = i == j ? @ONE@ : @ZERO@;
    }
    barrier();
    rotate(lid);
    for (uint l = lid; l < WIDTH * WIDTH; l += @GROUP@u) {
        uint i = l / WIDTH, j = l % WIDTH;
@STORE@    }
}
