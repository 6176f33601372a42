//! Combines the partial results of a row's threads in a fixed tree. At each step thread p hands its
//!   result to thread p - half_row through a slot. Only p itself has read that slot since it was
//!   last written, so one barrier per step is enough.
//! needs: SLOTS: half as many as a row has threads, a power of two, MASK: SLOTS - 1, AT: from the
//!   slot of a row to that of the workgroup; DOWN_TO: threads that have results in the end, a power
//!   of two; GIVE: statements that put a thread's results into
//!   slot, TAKE: such that join it with them
//! threads: all of the workgroup, with row and, of its threads, part
//! leaves: the results of the row in its first thread, or parts of them in its first DOWN_TO
[[unroll]] for (uint half_row = @SLOTS@u; half_row >= @DOWN_TO@u; half_row >>= 1) {
    if (part >= half_row && part < 2u * half_row) {
        uint slot = (part & @MASK@u) @AT@;
@GIVE@
    }
    barrier();
    if (part < half_row) {
        uint slot = ((part + half_row) & @MASK@u) @AT@;
@TAKE@
    }
}
