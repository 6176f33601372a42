//! Threads that share sums, each with its part of every one, add them up: some of the sums at a
//!   time go through shared memory. Of a sum each of HELPERS takes in some parts, and one of them
//!   what they have; always in the same order.
//! needs: TYPE, shared array parts of it: RESULTS times PITCH, which is more than SLICES, so that
//!   neither side meets in a bank; shared array helped: HELPERS times RESULTS, no more than threads;
//!   shared array sums: ROUNDS times RESULTS; EACH: SLICES / HELPERS; ROUND: sums of a thread that
//!   go at a time, RESULTS: ROUND times ACROSS
//! threads: all of the workgroup, with lid, `slice` of SLICES that share sums, `place` of ACROSS
//!   that have others, and their parts acc
//! leaves: sum i of place t in sums[i * ACROSS + t], and a barrier
[[unroll]] for (uint turn = 0u; turn < @ROUNDS@u; turn++) {
    [[unroll]] for (uint i = 0u; i < @ROUND@u; i++)
        parts[(i * @ACROSS@u + place) * @PITCH@u + slice] = acc[turn * @ROUND@u + i];
    barrier();
    if (lid < @HELPERS@u * @RESULTS@u) {
        uint part = lid % @RESULTS@u * @PITCH@u + lid / @RESULTS@u * @EACH@u;
        @TYPE@ sum = parts[part];
        [[unroll]] for (uint i = 1u; i < @EACH@u; i++)
            sum += parts[part + i];
        helped[lid] = sum;
    }
    barrier();
    if (lid < @RESULTS@u) {
        @TYPE@ sum = helped[lid];
        [[unroll]] for (uint i = 1u; i < @HELPERS@u; i++)
            sum += helped[i * @RESULTS@u + lid];
        sums[turn * @RESULTS@u + lid] = sum;
    }
}
barrier();
