#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
#include "turn_blocks.glsl"

// A workgroup takes the @WIDTH@ rows of a pair of blocks, and @HALF@ columns: half of a pair's, or as they come.
void main()
{
    uint lid = gl_LocalInvocationID.x, group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group >= @GROUPS@u)
        return;
    uint o = group / @TILES@u, tile = group % @TILES@u, down = tile / @CHUNKS@u, chunk = tile % @CHUNKS@u;
    uint pair = o * PAIRS + down, across = chunk % PAIRS, first = chunk / PAIRS * HALF;
    bool is_both = chunk < @BOTH@u;
    @TYPE@ sums[EACH * EACH];
    bool on_left = false, on_right = false;
    if (lid == 0u) {
        is_left[0] = 0u;
        is_right[0] = 0u;
    }
    barrier();
    if (is_both) {
        [[unroll]] for (uint s = 0u; s < WIDTH * WIDTH / @GROUP@u; s++) {
            uint l = lid + s * @GROUP@u, i = l / WIDTH, j = l % WIDTH, row = place_of(down, i), column = place_of(across, j);
@LOAD_PAIR@        }
        [[unroll]] for (uint s = 0u; s < WIDTH * HALF / @GROUP@u; s++) {
            uint l = lid + s * @GROUP@u, i = l / HALF, j = l % HALF, other = o * PAIRS + across, to = first + j;
@LOAD_RIGHT@        }
    } else {
        [[unroll]] for (uint s = 0u; s < WIDTH * HALF / @GROUP@u; s++) {
            uint l = lid + s * @GROUP@u, i = l / HALF, j = l % HALF, row = place_of(down, i), column = chunk * HALF + j;
            if (column < @LENGTH@u) {
@LOAD_PLAIN@            }
        }
    }
    if (on_right)
        atomicOr(is_right[0], 1u);
    barrier();
    if (is_both)
        turn_from_right(lid, first, sums);
    barrier();
    [[unroll]] for (uint s = 0u; s < WIDTH * WIDTH / @GROUP@u; s++) {
        uint l = lid + s * @GROUP@u, i = l / WIDTH, j = l % WIDTH;
@LOAD_LEFT@    }
    if (on_left)
        atomicOr(is_left[0], 1u);
    barrier();
    turn_from_left(lid, sums);
    [[unroll]] for (uint q = 0u; q < EACH; q++)
        [[unroll]] for (uint r = 0u; r < EACH; r++) {
            uint j = lid % ACROSS + ACROSS * r, to_row = moved(down, lid / ACROSS + DOWN * q);
            uint to_column = is_both ? moved(across, first + j) : chunk * HALF + j;
            if (to_column < @LENGTH@u) {
@STORE@            }
        }
}
