//! The end of row_tree.glsl for several sums of one row: there fewer and fewer threads would add up all
//!   of them, one after the other; here each sum has threads of its own.
//! needs: LEFT: threads that have parts of the sums, EACH: half as many, which a sum gets; SUMS: how many
//!   sums; TYPE; PART: the shared array, where APART elements belong to a sum, from FIRST on, their low
//!   parts LOW further; GIVE: statements that put a thread's parts into slot; ADD: such that add x to high, with
//!   low; IS_FINITE
//! threads: all of the workgroup, with part: which it is
//! leaves: the sums, their low parts added, in the first element of each, which all threads may read
if (part < @LEFT@u) {
    uint slot = part;
@GIVE@
}
{
    uint sum = part / @EACH@u, place = part % @EACH@u, slot = place + sum * @APART@u + @FIRST@u;
    precise @TYPE@ high, low;
    [[unroll]] for (uint half_sum = @EACH@u; half_sum > 0u; half_sum >>= 1) {
        barrier();
        if (sum < @SUMS@u && place < half_sum) {
            if (half_sum == @EACH@u) {
                high = @PART@[slot];
                low = @PART@[slot + @LOW@u];
            }
            @TYPE@ x = @PART@[slot + half_sum];
            low += @PART@[slot + half_sum + @LOW@u];
@ADD@
            if (half_sum > 1u)
                @PART@[slot + @LOW@u] = low;
            else if (@IS_FINITE@(low)) // an infinite or NaN sum has no low part
                high += low;
            @PART@[slot] = high;
        }
    }
}
barrier();
