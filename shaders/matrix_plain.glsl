//! The product by fma, where the one on matrix units does not stand. The tiles lie where the halves
//!   lay, as f32, a line for each k.
//! needs: matrix_check.glsl; STEPS, TILE_K: of k; FETCH: statements that fill next_a and next_b with
//!   what lies at k0; PUT: statements that put them into tile_a and tile_b; PITCH_A, PITCH_B: vectors
//!   from line to line; RESULTS of a thread: of each of COUNT_M x COUNT_N matrices of 16 x 16 eight
//!   neighbours of row lane / 2; SUMS: matrix_sums.glsl for each of a subgroup's matrices
//! threads: all of the workgroup, each subgroup with its part of the results
//! leaves: its results in sums; back: what sums are scaled with
float back = is_plain ? 1.0 : 1.0 / (scale_a * scale_b);
if (is_plain) {
    float plain[@RESULTS@];
    [[unroll]] for (uint i = 0u; i < @RESULTS@u; i++)
        plain[i] = 0.0;
    for (uint step = 0u; step < @STEPS@u; step++) {
        {
            uint k0 = step * @TILE_K@u;
@FETCH@
        }
        barrier();
@PUT@
        barrier();
        for (uint k = 0u; k < @TILE_K@u; k++) {
            vec4 y[@COUNT_N@ * 2];
            [[unroll]] for (uint j = 0u; j < @COUNT_N@u * 2u; j++) {
                uint f = part_n + j / 2u * 16u + gl_SubgroupInvocationID % 2u * 8u;
                y[j] = uintBitsToFloat(tile_b[k * @PITCH_B@u + f / 4u + j % 2u]);
            }
            [[unroll]] for (uint i = 0u; i < @COUNT_M@u; i++) {
                uint f = part_m + i * 16u + gl_SubgroupInvocationID / 2u;
                float x = uintBitsToFloat(tile_a[k * @PITCH_A@u + f / 4u][f % 4u]);
                [[unroll]] for (uint j = 0u; j < @COUNT_N@u * 8u; j++)
                    plain[i * @COUNT_N@u * 8u + j] = fma(x, y[j / 4u][j % 4u], plain[i * @COUNT_N@u * 8u + j]);
            }
        }
    }
    barrier();
@SUMS@
}
