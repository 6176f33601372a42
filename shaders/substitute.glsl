//! Solves a triangular system T x = b of ORDER unknowns by substitution: each loses what those
//!   before it have in its row, and is divided by the diagonal.
//! needs: FROM: what stands before a count to make it an unknown's number, which is nothing if the
//!   first is solved first, "n - " if the last, n, is; BEGIN: statements that declare rest, element
//!   i of b; KNOWN: how many of the unknowns before BEGIN has already taken from it; TAKE:
//!   statements that take T[i][k] x[k] from it; END: such that compute T[i][i], PIVOT: what it is
//!   called; X: unknown i, DIVIDE; NOTE, a comment
//! threads: one a system, which finds the unknowns before where it has put them
//! leaves: all unknowns in their places
for (uint done = 0u; done < @ORDER@u; done++) {
    uint i = @FROM@done;
@BEGIN@
    for (uint before = @KNOWN@; before < done; before++) {
        uint k = @FROM@before;
@TAKE@
    }
@END@
    @X@ = @DIVIDE@(rest, @PIVOT@);@NOTE@
}
