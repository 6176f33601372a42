//! Adds what a thread has noted of its lines to what all have, in tile_b at the line: in x how many
//!   elements are too small, in y the largest magnitude, as bits.
//! needs: matrix_count.glsl; load; tf: its first line; FIRST: the operand's
//! threads: any
[[unroll]] for (uint l = 0u; l < @LINES@u; l++) {
    atomicAdd(tile_b[@FIRST@u + tf + l].x, few_@SIDE@[load * @LINES@u + l]);
    atomicMax(tile_b[@FIRST@u + tf + l].y, top_@SIDE@[load * @LINES@u + l]);
}
