//! A tile of keys that threads have in registers, and what both ways to put it in the order of a digit share.
//! needs: GROUP, at least 64; WORDS of an item, RADIX, BIT of the digit, DIGIT: the word of x that has it; LENGTH of a
//!   row; UNROLL
//! provides: item digit_of(item)
//! threads: all of the workgroup, each with EACH items and DIGITS digits, or none where there are fewer
const uint EACH = 16u, GROUP = @GROUP@u, RADIX = @RADIX@u, BIT = @BIT@u, LENGTH = @LENGTH@u;
const uint LANES = 32u; // of a subgroup, where that matters
const uint DIGITS = (RADIX + GROUP - 1u) / GROUP;
struct item { uint word[@WORDS@]; }; // of a key, and its place if that is carried along
shared uint tile[EACH * (GROUP + GROUP / 32u)]; // a word of each item, or counts: with room for a gap every 32
shared uint offsets[RADIX];                     // what a place in the tile lacks to the place in the row

uint word_of(item x)
{
    return @DIGIT@;
}

uint digit_of(item x)
{
    return word_of(x) >> BIT & RADIX - 1u;
}
