#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "jacobi.glsl"

// A workgroup takes @WIDTH@ vectors of a matrix, and makes them orthogonal in their first @ROWS@ elements.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
    uint o = group / @PARTS@u;
    for (uint l = lid; l < WIDTH; l += @GROUP@u) {
@PLACE@
    }
    @LOOP@for (uint e = 0u; e < @EACH@u; e++)
        sums[e] = @ZERO@;
    barrier();
    for (uint begin = 0u; begin < @ROWS@u; begin += CHUNK) {
        for (uint l = lid; l < WIDTH * CHUNK; l += @GROUP@u) {
            uint i = place[l / CHUNK], t = begin + l % CHUNK;
            @TYPE@ x = @ZERO@;
            if (t < @ROWS@u) {
@LOAD@
            }
            chunk[l / CHUNK * (CHUNK + 1u) + l % CHUNK] = x;
        }
        barrier();
        add_products(lid);
        barrier();
    }
    put_products(lid);
    rotate(lid);
    for (uint begin = 0u; begin < @LENGTH@u; begin += CHUNK) {
        for (uint l = lid; l < WIDTH * CHUNK; l += @GROUP@u) {
            uint i = place[l / CHUNK], t = begin + l % CHUNK;
            @TYPE@ x = @ZERO@;
            if (t < @LENGTH@u) {
@LOAD@
            }
            chunk[l / CHUNK * (CHUNK + 1u) + l % CHUNK] = x;
        }
        barrier();
        for (uint l = lid; l < WIDTH * CHUNK; l += @GROUP@u) {
            uint i = place[l / CHUNK], t = begin + l % CHUNK;
            if (t < @LENGTH@u) {
@STORE@
            }
        }
        barrier();
    }
}
