//! The elements from FIRST to END, those of whole tiles at once: where TILE of them begin at a
//!   multiple of TILE, and end before END.
//! needs: name J, which is free; TAKE_TILE: statements that take in the tile from J on, TAKE: the
//!   element J
//! threads: any
//! leaves: each element taken in once, in their order
for (uint @J@ = @FIRST@; @J@ < @END@;) {
    if (@J@ % @TILE@u == 0u && @J@ + @TILE@u <= @END@) {
@TAKE_TILE@
        @J@ += @TILE@u;
    } else {
@TAKE@
        @J@++;
    }
}
