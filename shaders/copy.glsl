//! Copies a buffer: neighbouring threads take neighbouring elements, words or four of them.
//! needs: NUMBER of the copy, COUNT of its elements, TO and FROM: element i of the target and of
//!   the source
//! provides: copyNUMBER(uint)
//! threads: all of the dispatch, with how many they are
void copy@NUMBER@(uint threads)
{
    for (uint i = gl_GlobalInvocationID.x; i < @COUNT@; i += threads)
        @TO@ = @FROM@;
}
