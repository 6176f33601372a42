//! The first thread of a row gives its results to all of them.
//! needs: GIVE: statements that put the results into a slot of the row
//! threads: all of the workgroup, with part: which of the row's
//! leaves: the results in the slot, which all threads may read
if (part == 0u) {
@GIVE@
}
barrier();
