//! A step of a matrix product on matrix units: the next tile of each operand begins its way into
//!   registers while this one is multiplied.
//! needs: PUT: statements that put next_a and next_b into the shared arrays; FETCH: statements that
//!   fill them with what lies at k0; AT: its k; MULTIPLY: statements that add the products of what
//!   lies in the arrays to sums
//! threads: all of the workgroup, each subgroup with its sums
barrier();
@PUT@
barrier();
{
    uint k0 = @AT@;
@FETCH@
}
@MULTIPLY@
