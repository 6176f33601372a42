//! Whether the product on matrix units stands. It does not where an element is too large for its
//!   operand's scale, or not finite. One that is too small is off by 2^-36 of the unit of scale, more
//!   than its share, but there may be few of them, among others of which results are much larger:
//!   the operands are gone through once more, for how many too small ones each line (row of the
//!   left, column of the right) has, and for its largest magnitude, and results are looked at.
//! needs: matrix_split.glsl, matrix_reach.glsl; LEAST: the least scaled magnitude; LINES: of both
//!   operands' tiles; GROUP: threads; STEPS, TILE_K: of k; FETCH: statements that fill next_a and
//!   next_b with what lies at k0; COUNT: matrix_count.glsl for all that a thread has loaded, in
//!   COUNTS_A and COUNTS_B lines; TELL: matrix_tell.glsl for each of these loads; SUMS:
//!   matrix_stands.glsl for each of a subgroup's matrices
//! threads: all of the workgroup, each subgroup with its sums
//! leaves: is_plain
uint tiny_a = floatBitsToUint(@LEAST@ / scale_a), tiny_b = floatBitsToUint(@LEAST@ / scale_b);
if (most_a >> 1 > floatBitsToUint(65504.0 / scale_a) || most_b >> 1 > floatBitsToUint(65504.0 / scale_b))
    atomicMax(reach[4], 2u);
if (least_a < 2u * tiny_a - 1u || least_b < 2u * tiny_b - 1u)
    atomicMax(reach[4], 1u);
barrier();
if (reach[4] == 1u) {
    for (uint line = lid; line < @LINES@u; line += @GROUP@u)
        tile_b[line] = uvec4(0u);
    uint few_a[@COUNTS_A@], top_a[@COUNTS_A@], few_b[@COUNTS_B@], top_b[@COUNTS_B@];
    [[unroll]] for (uint i = 0u; i < @COUNTS_A@u; i++)
        few_a[i] = top_a[i] = 0u;
    [[unroll]] for (uint i = 0u; i < @COUNTS_B@u; i++)
        few_b[i] = top_b[i] = 0u;
    for (uint step = 0u; step < @STEPS@u; step++) {
        uint k0 = step * @TILE_K@u;
@FETCH@
@COUNT@
    }
    barrier();
@TELL@
    bool stands = true;
@SUMS@
    if (!stands)
        atomicMax(reach[4], 2u);
}
barrier();
bool is_plain = reach[4] > 1u;
