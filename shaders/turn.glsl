//! A tile of elements through shared memory. Its rows lie along u, the direction in which the
//!   results run, its columns along y, that of the operands. Both are reached by neighbouring
//!   threads: they read along y, and after a barrier use what they find along u.
//! needs: TILE elements a side; WIDE and HIGH, how many tiles there are along u and y; LANES
//!   neighbouring elements of a row that are one step of u; READS and USES, how many rounds the
//!   threads take, ROWS and COLUMNS of the tile a round, ACROSS threads along u; FILL: statements
//!   that read at y and u, element r % LANES, and put that into the tile at row r, column c; USE:
//!   such that use the elements from row r on at column c. A tile at the edge has y and u past it
//! threads: all of the workgroup, with lid and the number of the tile
//! leaves: a barrier between FILL and USE, and none behind USE
uint u0 = tile % @WIDE@u * (@TILE@u / @LANES@u), y0 = tile / @WIDE@u % @HIGH@u * @TILE@u;
[[unroll]] for (uint j = 0u; j < @READS@u; j++) {
    uint r = j * @ROWS@u + lid / @TILE@u, c = lid % @TILE@u;
    uint y = y0 + c, u = u0 + r / @LANES@u;
@FILL@
}
barrier();
[[unroll]] for (uint j = 0u; j < @USES@u; j++) {
    uint v = lid % @ACROSS@u, r = @LANES@u * v, c = j * @COLUMNS@u + lid / @ACROSS@u;
    uint y = y0 + c, u = u0 + v;
@USE@
}
