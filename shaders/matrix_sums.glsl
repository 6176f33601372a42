//! Results of the plain product become a matrix of sums, through shared memory, where the left operand
//!   lay.
//! needs: matrix_scale.glsl, matrix_plain.glsl; VECTORS: of a matrix; PITCH: of its row; COUNT_N:
//!   matrices across; i, j: which of them
//! threads: all of a workgroup
//! leaves: sums
{
    uint to = gl_SubgroupID * @VECTORS@u + gl_SubgroupInvocationID / 2u * @PITCH@u + gl_SubgroupInvocationID % 2u * 2u;
    [[unroll]] for (uint l = 0u; l < 2u; l++) {
        uint from = (i * @COUNT_N@u + j) * 8u + l * 4u;
        tile_a[to + l] = floatBitsToUint(vec4(plain[from], plain[from + 1u], plain[from + 2u], plain[from + 3u]));
    }
    barrier();
    sums[i * @COUNT_N@u + j] = matrix_load_sum(tile_a[gl_SubgroupID * @VECTORS@u], 0u, @PITCH@u, 48u, 2u);
    barrier();
}
