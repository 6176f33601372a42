//! Notes of eight elements, for the lines in which they lie, how many are too small for the scale and
//!   the largest magnitude, as bits.
//! needs: matrix_check.glsl; SIDE: a or b; load: which of the thread's; LINES: 8 if each of the eight
//!   has a line of its own, else 1
//! threads: any
//! leaves: few_a, top_a; few_b, top_b
[[unroll]] for (uint l = 0u; l < 8u; l++) {
    uint bits = floatBitsToUint(next_@SIDE@[load * 2u + l / 4u][l % 4u]) & 0x7fffffffu;
    const uint line = load * @LINES@u + l % @LINES@u;
    top_@SIDE@[line] = max(top_@SIDE@[line], bits);
    few_@SIDE@[line] += bits - 1u < tiny_@SIDE@ - 1u ? 1u : 0u;
}
