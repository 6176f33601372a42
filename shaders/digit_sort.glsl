//! Keys that threads have in registers, put in the order of a digit: four bits at a time each thread counts its own
//!   keys, the counts are summed over digits and threads, and keys move through shared memory, a word at a time.
//! needs: digit_tile.glsl; WORDS, UNROLL
//! provides: sum_before(uint, uint) move(uint, item[], uint[], bool) rank(uint, item[], uint, uint, uint[])
//!   place_at(uint, uint) sort_tile(uint, item[]) find_offsets(uint, uint, item[])
//!   order_tile(uint, uint, item[], uint[], uint)
//! threads: all of the workgroup, each with EACH items
//! leaves: a barrier behind every use of shared memory
const uint PITCH = GROUP + GROUP / 32u; // in the tile, of GROUP neighbours
shared uint sums[GROUP], eights[GROUP / 8u], rest[GROUP / 64u];

// Where the tile has place i.
uint spot(uint i)
{
    return i + (i >> 5);
}

// The place of the thread's item i, before and after the tile is put in order.
uint place_at(uint lid, uint i)
{
    return i * GROUP + lid;
}

// Items to the places `to` in the tile. A thread then has neighbours, or with `across` every GROUP-th.
void move(uint lid, inout item own[EACH], uint to[EACH], bool across)
{
    uint mine = across ? spot(lid) : spot(EACH * lid), apart = across ? PITCH : 1u;
    @UNROLL@for (uint w = 0u; w < @WORDS@u; w++) {
        @UNROLL@for (uint i = 0u; i < EACH; i++)
            tile[spot(to[i])] = own[i].word[w];
        barrier();
        @UNROLL@for (uint i = 0u; i < EACH; i++)
            own[i].word[w] = tile[mine + i * apart];
        barrier();
    }
}

// The sum of `own` of all threads before this one, and of all: eights of threads, then eights of these.
uvec2 sum_before(uint lid, uint own)
{
    uint first = lid & ~7u, eight = lid >> 3, second = eight & ~7u, before = 0u, all = 0u;
    sums[lid] = own;
    barrier();
    @UNROLL@for (uint i = 0u; i < 8u; i++) {
        uint x = sums[first + i];
        before += first + i < lid ? x : 0u;
        all += x;
    }
    if (lid == first)
        eights[eight] = all;
    barrier();
    all = 0u;
    @UNROLL@for (uint i = 0u; i < 8u; i++) {
        uint x = eights[second + i];
        before += second + i < eight ? x : 0u;
        all += x;
    }
    if (lid % 64u == 0u)
        rest[lid / 64u] = all;
    barrier();
    all = 0u;
    @UNROLL@for (uint i = 0u; i < GROUP / 64u; i++) {
        uint x = rest[i];
        before += i < lid / 64u ? x : 0u;
        all += x;
    }
    return uvec2(before, all);
}

// Where in the tile each item goes by the bits `mask` from `bit` on of its word, equal ones in their order. A word of
// counts is for a thread's keys of digit d in the low half, of digit d + 8 in the high one.
void rank(uint lid, item own[EACH], uint bit, uint mask, out uint to[EACH])
{
    uint counts[8], mine = spot(lid), neighbours = spot(8u * lid);
    @UNROLL@for (uint d = 0u; d < 8u; d++)
        tile[d * PITCH + mine] = 0u;
    @UNROLL@for (uint i = 0u; i < EACH; i++) {
        uint digit = word_of(own[i]) >> bit & mask, at = (digit & 7u) * PITCH + mine;
        uint shift = (digit & 8u) << 1, count = tile[at];
        to[i] = count >> shift & 0xffffu;
        tile[at] = count + (1u << shift);
    }
    barrier();
    uint sum = 0u;
    @UNROLL@for (uint d = 0u; d < 8u; d++) {
        counts[d] = tile[neighbours + d];
        sum += counts[d];
    }
    uvec2 b = sum_before(lid, sum);
    sum = b.x + (b.y << 16);
    @UNROLL@for (uint d = 0u; d < 8u; d++) {
        tile[neighbours + d] = sum;
        sum += counts[d];
    }
    barrier();
    @UNROLL@for (uint i = 0u; i < EACH; i++) {
        uint digit = word_of(own[i]) >> bit & mask;
        to[i] += tile[(digit & 7u) * PITCH + mine] >> ((digit & 8u) << 1) & 0xffffu;
    }
    barrier();
}

void sort_tile(uint lid, inout item own[EACH])
{
    uint to[EACH];
    @UNROLL@for (uint i = 0u; i < EACH; i++)
        to[i] = i * GROUP + lid;
    move(lid, own, to, false);
    @UNROLL@for (uint bit = 0u; 1u << bit < RADIX; bit += 4u) {
        rank(lid, own, BIT + bit, min(RADIX - 1u >> bit, 15u), to);
        move(lid, own, to, RADIX - 1u >> bit < 16u);
    }
}

// A digit's first item in the tile goes to where `offsets` said, and the others behind it.
void find_offsets(uint lid, uint count, item own[EACH])
{
    uint mine = spot(lid), before = spot(max(lid, 1u) - 1u);
    @UNROLL@for (uint i = 0u; i < EACH; i++)
        tile[i * PITCH + mine] = digit_of(own[i]);
    barrier();
    @UNROLL@for (uint i = 0u; i < EACH; i++) {
        uint l = i * GROUP + lid, digit = digit_of(own[i]);
        uint last = tile[lid > 0u ? i * PITCH + before : max(i, 1u) * PITCH - 2u];
        if (l < count && (l == 0u || last != digit))
            offsets[digit] -= l;
    }
    barrier();
}

// `first`: where the tile's keys of each of the thread's digits would go if none of lower digits came before them;
// `all`: of its digits in the row.
void order_tile(uint lid, uint count, inout item own[EACH], uint first[DIGITS], uint all)
{
    uint lower = sum_before(lid, all).x;
    for (uint i = 0u; i < DIGITS; i++)
        if (lid * DIGITS + i < RADIX)
            offsets[lid * DIGITS + i] = lower + first[i];
    sort_tile(lid, own);
    find_offsets(lid, count, own);
}
