//! The loop of a matrix product whose threads read the operands themselves: a CPU has no shared
//!   memory worth using.
//! needs: TYPE, K: how many products are added, THREAD_M, THREAD_N: a thread's results, ADD: of
//!   element i of a and j of b to their sum; FETCH: statements that fill a and b at k
//! threads: any, each with its sums acc
//! leaves: the products added to acc
for (uint k = 0u; k < @K@u; k++) {
    @TYPE@ a[@THREAD_M@], b[@THREAD_N@];
@FETCH@
    [[unroll]] for (uint i = 0u; i < @THREAD_M@u; i++)
        [[unroll]] for (uint j = 0u; j < @THREAD_N@u; j++)
            @ADD@
}
