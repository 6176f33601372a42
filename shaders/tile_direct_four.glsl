//! The loop of a matrix product whose threads read the operands themselves, four products at a
//!   time: of an operand whose memory runs along k, whole vectors are loaded. A sum takes in its four
//!   products one after the other, since a CPU has registers for few of the sums.
//! needs: TYPE, STEPS: how many fours of products are added, THREAD_M, THREAD_N: a thread's results,
//!   ADD: of element i of a and j of b at l to their sum; FETCH_FOUR: statements that fill the
//!   operands that hold four k at k4; FETCH: those that fill the others at k, the l-th of them
//! threads: any, each with its sums acc
//! leaves: the products added to acc
for (uint k4 = 0u; k4 < @STEPS@u; k4++) {
    @TYPE@ a[4u * @THREAD_M@u], b[4u * @THREAD_N@u];
@FETCH_FOUR@
    [[unroll]] for (uint l = 0u; l < 4u; l++) {
        uint k = 4u * k4 + l;
@FETCH@
    }
    [[unroll]] for (uint i = 0u; i < @THREAD_M@u; i++)
        [[unroll]] for (uint j = 0u; j < @THREAD_N@u; j++)
            [[unroll]] for (uint l = 0u; l < 4u; l++)
                @ADD@
}
