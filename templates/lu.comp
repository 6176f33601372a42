#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "panel_lu.glsl"

// A workgroup takes @WIDTH@ columns of a matrix; a thread has @EACH@ of its @ROWS@ rows in registers.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint o = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (o >= @GROUPS@u)
        return;
    @TYPE@ x[@EACH@u * WIDTH];
    int place[@EACH@];
    bool is_on[@EACH@];
@DONE@    forget(lid);
@CLEAR@@PLACES@    uint at;
    for (uint base = 0u; base < ROWS; base += CHUNK) {
#include "panel_lu_load.glsl"
        barrier();
@FETCH@        barrier();
    }
@STEPS@@CORNER@    barrier();
    invert(lid);
    for (uint base = 0u; base < ROWS; base += CHUNK) {
@PUT@        barrier();
        for (uint l = lid; l < WIDTH * WIDTH; l += @GROUP@u) {
            uint k = l / WIDTH, j = l % WIDTH;
            at = pivots[k] - base;
            if (j >= k && at < CHUNK)
                stage[at * PITCH + j] = corner[k * PITCH + j];
        }
        barrier();
        @TURNS_BACK@ {
            uint i = base + l / PITCH, j = l % PITCH;
            if (i < ROWS) {
@STORE@            }
        }
        barrier();
    }
@STORE_INVERSE@}
