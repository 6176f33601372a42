//! The loop of a matrix product on matrix units: a tile of each operand through shared memory. Nothing
//!   in it is a branch: with one, NVIDIA's driver does not move loads past products, and these take
//!   twice as long. So the last step loads its own tile once more, for nothing, or stands
//!   behind it.
//! needs: matrix_unit.glsl; shared arrays tile_a and tile_b; EACH_A, EACH_B: vectors that a thread
//!   loads a step; FETCH: as in matrix_step.glsl; TURN: statements of EACH steps from number `step`
//!   on; TURNS: of them; REST: the steps that are left; BEGIN: statements behind the first loads; TYPE
//!   of these
//! threads: all of the workgroup, each subgroup with its sums
//! leaves: the products added to sums; other subgroups may still read the arrays
@TYPE@ next_a[@EACH_A@];
@TYPE@ next_b[@EACH_B@];
{
    const uint k0 = 0u;
@FETCH@
}
@BEGIN@
[[dont_unroll]] for (uint turn = 0u; turn < @TURNS@u; turn++) {
    uint step = turn * @EACH@u + 1u;
@TURN@
}
@REST@
