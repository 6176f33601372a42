//! Notes of eight elements, in tile_b at the line in which each lies: in x how many are too small for
//!   the scale, in y the largest magnitude, as bits.
//! needs: matrix_check.glsl; SIDE: a or b; load: which of the thread's; tf: where the first lies;
//!   FIRST: the operand's first line; STEP: 1 if each of the eight has a line of its own, else 0
//! threads: any
[[unroll]] for (uint l = 0u; l < 8u; l++) {
    uint bits = floatBitsToUint(next_@SIDE@[load * 2u + l / 4u][l % 4u]) & 0x7fffffffu;
    uint line = @FIRST@u + tf + l * @STEP@u;
    if (bits != 0u) {
        atomicMax(tile_b[line].y, bits);
        if (bits < tiny_@SIDE@)
            atomicAdd(tile_b[line].x, 1u);
    }
}
