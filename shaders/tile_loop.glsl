//! The loop of a tiled matrix product: tiles of both operands through shared memory, two of each.
//!   While the sums take in one, the elements of the next are on their way into registers, and go
//!   to the other after that; one barrier a step.
//! needs: shared arrays tile_a and tile_b of TYPE, which is an element or a vector of them: two
//!   tiles each, TILE_K times PITCH_A and PITCH_B; STEPS; TYPE_A, TYPE_B: what a load of a thread
//!   brings, and EACH_A, EACH_B: how many it makes a step; RUN_A, RUN_B: how many of TYPE a thread
//!   multiplies, APART_A and APART_B from each other; THREAD_M, THREAD_N: its results, ADD: of
//!   element i of a and j of b to their sum; AT_STEP, FETCH: statements that fill next_a and next_b
//!   with what lies at k0; PUT: such that put it into the arrays, from row `put` on
//! threads: all of the workgroup, with lid, their places in the tile tm and tn, and their sums acc
//! leaves: the products added to acc, and a barrier behind the last use of the arrays
for (uint step = 0u; step <= @STEPS@u; step++) {
    uint k0 = step * @TILE_K@u, put = step % 2u * @TILE_K@u, use = @TILE_K@u - put;
    @TYPE_A@ next_a[@EACH_A@];
    @TYPE_B@ next_b[@EACH_B@];
@AT_STEP@
    if (step < @STEPS@u) {
@FETCH@
    }
    if (step > 0u) {
        [[unroll]] for (uint tk = 0u; tk < @TILE_K@u; tk++) {
            @TYPE@ a[@RUN_A@];
            [[unroll]] for (uint i = 0u; i < @RUN_A@u; i++)
                a[i] = tile_a[(use + tk) * @PITCH_A@u + i * @APART_A@u + tm];
            @TYPE@ b[@RUN_B@];
            [[unroll]] for (uint i = 0u; i < @RUN_B@u; i++)
                b[i] = tile_b[(use + tk) * @PITCH_B@u + i * @APART_B@u + tn];
            [[unroll]] for (uint i = 0u; i < @THREAD_M@u; i++)
                [[unroll]] for (uint j = 0u; j < @THREAD_N@u; j++)
                    @ADD@
        }
    }
    if (step < @STEPS@u) {
@PUT@
    }
    barrier();
}
