//! The loop of a matrix product on matrix units: a tile of each operand through shared memory.
//!   While one is multiplied, the next is on its way into registers.
//! needs: matrix_unit.glsl; shared arrays tile_a and tile_b of uvec4; STEPS, TILE_K: of k; EACH_A,
//!   EACH_B: vectors that a thread loads a step; FETCH, PUT: statements that fill next_a and next_b
//!   with what lies at k0, and put them into the arrays; PRODUCTS: of k in a tile; COUNT_M,
//!   COUNT_N: matrices of a subgroup's results; AT_A, AT_B: where those of `i`, `j` and `part`
//!   begin, BY_A, BY_B, PITCH_A, PITCH_B: how they lie; AT_STEP: statements before the loads
//! threads: all of the workgroup, each subgroup with its sums
//! leaves: the products added to sums, and a barrier behind the last use of the arrays
for (uint step = 0u; step <= @STEPS@u; step++) {
    uint k0 = step * @TILE_K@u;
    uvec4 next_a[@EACH_A@];
    uvec4 next_b[@EACH_B@];
@AT_STEP@
    if (step < @STEPS@u) {
@FETCH@
    }
    if (step > 0u) {
        [[unroll]] for (uint part = 0u; part < @PRODUCTS@u; part++) {
            MatrixA a[@COUNT_M@];
            [[unroll]] for (uint i = 0u; i < @COUNT_M@u; i++)
                a[i] = matrix_load_a(tile_a[@AT_A@], @BY_A@u, @PITCH_A@u, 48u, 2u);
            [[unroll]] for (uint j = 0u; j < @COUNT_N@u; j++) {
                MatrixB b = matrix_load_b(tile_b[@AT_B@], @BY_B@u, @PITCH_B@u, 48u, 2u);
                [[unroll]] for (uint i = 0u; i < @COUNT_M@u; i++)
                    sums[i * @COUNT_N@u + j] = matrix_multiply_add(a[i], b, sums[i * @COUNT_N@u + j]);
            }
        }
    }
    barrier();
    if (step < @STEPS@u) {
@PUT@
    }
    barrier();
}
