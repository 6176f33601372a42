//! Where in an operand's tile what a thread loads begins.
//! needs: GROUP; the tile's direction ALONG which memory runs, tk or tf, and ACROSS, the other;
//!   RUN: loads along it; WIDTH: elements of a load, as a factor
//! threads: all of the workgroup, with load: which of the thread's
uint at = load * @GROUP@u + lid;
uint @ALONG@ = at % @RUN@u@WIDTH@, @ACROSS@ = at / @RUN@u;
