//! Puts eight elements of f32 into an operand's array, as two halves each.
//! needs: matrix_split.glsl, matrix_reach.glsl; SIDE: a or b; PLANE: vectors from the high halves to
//!   the low ones; load: which of the thread's; to: where in a plane
//! threads: any
{
    vec4 x = next_@SIDE@[load * 2u], y = next_@SIDE@[load * 2u + 1u];
    uvec4 high, low;
    most_@SIDE@ = matrix_most(matrix_most(most_@SIDE@, x), y);
    least_@SIDE@ = matrix_least(matrix_least(least_@SIDE@, x), y);
    split_eight(x, y, scale_@SIDE@, high, low);
    tile_@SIDE@[to] = high;
    tile_@SIDE@[to + @PLANE@u] = low;
}
