//! The loop of a matrix product whose threads read the operands themselves, some products at a
//!   time: of an operand whose memory runs along k, whole vectors are loaded.
//! needs: TYPE, RUN: how many products are added at a time, LOOP: the head of the loop over such
//!   runs, STEP: a statement that declares k4 or k8, the run's number, or nothing; THREAD_M,
//!   THREAD_N: a thread's results; FETCH_RUN: statements that fill the operands that hold all k of
//!   the run; FETCH: those that fill the others at k, the l-th of them; ADD_EACH, ADD_RUN:
//!   statements that add the products of l, once it is fetched, or those of all l at the end; one
//!   of the two is empty
//! threads: any, each with its sums acc
//! leaves: the products added to acc
@LOOP@ {
@STEP@
    @TYPE@ a[@RUN@u * @THREAD_M@u], b[@RUN@u * @THREAD_N@u];
@FETCH_RUN@
    [[unroll]] for (uint l = 0u; l < @RUN@u; l++) {
        uint k = @RUN@u * k@RUN@ + l;
@FETCH@
@ADD_EACH@
    }
@ADD_RUN@
}
