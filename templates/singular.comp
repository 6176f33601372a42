#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "jacobi.glsl"
#include "singular.glsl"

// A workgroup takes @MATRICES@, @LANES@ threads each.
void main()
{
    uint lid = gl_LocalInvocationID.x, matrix = lid / LANES, lane = lid % LANES;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, o = group * @EACH@u + matrix;
    if (group >= @GROUPS@u)
        return;
    @TYPE@ x[ROWS];
    start(lid, matrix, lane);
    [[unroll]] for (uint i = 0u; i < ROWS; i++) {
        uint j = lane;
        x[i] = j == COLUMNS + i ? 1.0 : 0.0;
        if (@LIVE@j < COLUMNS) {
@LOAD@        }
    }
    reflect(matrix, lane, x);
    keep(matrix, lane, x);
    uint from = rotate(matrix, lane);
    measure(matrix, lane, from);
    complete(matrix, lane, from);
    for (uint l = lane; l < WANTED * (LENGTH + 1u); l += LANES) {
        uint i = l / (LENGTH + 1u), j = l % (LENGTH + 1u);
        if (@LIVE@true) {
@STORE@        }
    }
}
