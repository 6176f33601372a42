//! Keys that threads have in registers, put in the order of a digit: a subgroup ranks 32 neighbours at a time among
//!   those of the same digit, in counts of its own in shared memory; these are summed over digits and subgroups, and
//!   keys move through shared memory, a word at a time.
//! needs: digit_tile.glsl, digit_lanes.glsl or emulated_lanes.glsl; WORDS, UNROLL, ROLLED
//! provides: place_at(uint, uint) sum_before(uint, uvec2) order_tile(uint, uint, item[], uint[], uint)
//! threads: all of the workgroup, each with EACH items
const uint SUBGROUPS = GROUP / LANES;
shared uvec2 parts[SUBGROUPS];

// The place of the thread's item i before the tile is put in order: a subgroup has neighbours.
uint place_at(uint lid, uint i)
{
    uint lane = lid % LANES;
    return (lid - lane) * EACH + i * LANES + lane;
}

// The sum of `own` of all threads before this one.
uvec2 sum_before(uint lid, uvec2 own)
{
    uvec2 before = sum_of_lanes(lid, own);
    if (lid % LANES == LANES - 1u)
        parts[lid / LANES] = before + own;
    barrier();
    @UNROLL@for (uint i = 0u; i < SUBGROUPS@ROLLED@; i++)
        before += i < lid / LANES ? parts[i] : uvec2(0u);
    return before;
}

// `first`: where the tile's keys of each of the thread's digits would go if none of lower digits came before them;
// `all`: of its digits in the row. A thread has every GROUP-th item of the tile after that.
void order_tile(uint lid, uint count, inout item own[EACH], uint first[DIGITS], uint all)
{
    uint to[EACH], lane = lid % LANES, counts = lid / LANES * RADIX, of_digit[DIGITS * SUBGROUPS], sum = 0u;
    @UNROLL@for (uint i = 0u; i < EACH@ROLLED@; i++)
        to[i] = equal_digits(lid, digit_of(own[i]));
    @UNROLL@for (uint i = lid; i < SUBGROUPS * RADIX; i += GROUP)
        tile[i] = 0u;
    barrier();
    @UNROLL@for (uint i = 0u; i < EACH@ROLLED@; i++) {
        uint digit = digit_of(own[i]), mask = to[i];
        to[i] = tile[counts + digit] + uint(bitCount(mask & (1u << lane) - 1u));
        wait_for_lanes();
        if (mask >> lane == 1u) // the last of them
            tile[counts + digit] = to[i] + 1u;
        wait_for_lanes();
    }
    barrier();
    @UNROLL@for (uint i = 0u; i < DIGITS * SUBGROUPS@ROLLED@; i++) {
        uint d = lid * DIGITS + i / SUBGROUPS;
        of_digit[i] = d < RADIX ? tile[i % SUBGROUPS * RADIX + d] : 0u;
        sum += of_digit[i];
    }
    uvec2 before = sum_before(lid, uvec2(sum, all));
    @UNROLL@for (uint i = 0u; i < DIGITS * SUBGROUPS@ROLLED@; i++) {
        uint d = lid * DIGITS + i / SUBGROUPS;
        if (d < RADIX) {
            if (i % SUBGROUPS == 0u)
                offsets[d] = before.y + first[i / SUBGROUPS] - before.x;
            tile[i % SUBGROUPS * RADIX + d] = before.x;
        }
        before.x += of_digit[i];
    }
    barrier();
    @UNROLL@for (uint i = 0u; i < EACH@ROLLED@; i++)
        to[i] += tile[counts + digit_of(own[i])];
    @UNROLL@for (uint w = 0u; w < @WORDS@u; w++) {
        barrier();
        @UNROLL@for (uint i = 0u; i < EACH@ROLLED@; i++)
            tile[to[i]] = own[i].word[w];
        barrier();
        @UNROLL@for (uint i = 0u; i < EACH@ROLLED@; i++)
            own[i].word[w] = tile[i * GROUP + lid];
    }
}
