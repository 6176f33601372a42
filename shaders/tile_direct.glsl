//! The loop of a matrix product whose threads read the operands themselves: a CPU has no shared
//!   memory worth using.
//! needs: TYPE, LOOP: the head of the loop over k, STEP: a statement that declares k, or nothing;
//!   THREAD_M, THREAD_N: a thread's results; FETCH: statements that fill a and b at k, ADD_EACH: such
//!   that add their products
//! threads: any, each with its sums acc
//! leaves: the products added to acc
@LOOP@ {
@STEP@
    @TYPE@ a[@THREAD_M@], b[@THREAD_N@];
@FETCH@
@ADD_EACH@
}
