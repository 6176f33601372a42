//! A subgroup's sums of high and of low halves, or its results of the plain product, go where the
//!   left operand lay.
//! needs: matrix_unit.glsl, matrix_plain.glsl; VECTORS: of a matrix; PITCH: of its row; COUNT_N:
//!   matrices across; i, j: which of them
//! threads: all of a subgroup
if (is_plain) {
    uint to = gl_SubgroupID * @VECTORS@u * 2u + gl_SubgroupInvocationID * 2u;
    [[unroll]] for (uint l = 0u; l < 2u; l++) {
        uint from = (i * @COUNT_N@u + j) * 8u + l * 4u;
        tile_a[to + l] = floatBitsToUint(vec4(plain[from], plain[from + 1u], plain[from + 2u], plain[from + 3u]));
        tile_a[to + l + @VECTORS@u] = uvec4(0u);
    }
} else {
    matrix_store(tile_a[gl_SubgroupID * @VECTORS@u * 2u], sums[i * @COUNT_N@u + j], 0u, @PITCH@u, 40u, 2u);
    matrix_store(tile_a[gl_SubgroupID * @VECTORS@u * 2u + @VECTORS@u], low_sums[i * @COUNT_N@u + j], 0u, @PITCH@u, 40u, 2u);
}
