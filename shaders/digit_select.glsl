//! Which keys of a tile are among the first of them. Digit by digit from the highest, those that may be the last of these
//!   are counted; what has a lower digit than that one is taken. Then a place for each, in the order of the tile.
//! needs: GROUP, from 64 to 512; WORDS of an item, of which KEYS are its key, from bit LOW of the last to below HIGH of
//!   the first; KEY: word w of the key of x; UNROLL
//! provides: select_keys(uint, item[], uint, uint, uint) find_places(uint, uint, uint) place_of(uint, uint)
//!   is_taken(uint, uint)
//! threads: all of the workgroup, each with every GROUP-th item, EACH of them
//! leaves: a barrier behind every use of shared memory
const uint EACH = 16u, GROUP = @GROUP@u, RADIX = 256u, PARTS = 16u;
const uint KEYS = @KEYS@u, LOW = @LOW@u, HIGH = @HIGH@u;
struct item { uint word[@WORDS@]; }; // of a key, and its place if that is carried along
shared uint counts[RADIX], parts[PARTS];
shared uint found[2];                                  // the digit of the last that is taken, and how many come before
shared uint all_taken[GROUP / 2u], all_open[GROUP / 2u]; // a bit for each item of the tile

uint key_word(item x, uint w)
{
    return @KEY@;
}

void clear_counts(uint lid)
{
    for (uint d = lid; d < RADIX; d += GROUP)
        counts[d] = 0u;
    barrier();
}

// The sums of sixteen counts each, for sum_before.
void sum_parts(uint lid)
{
    barrier();
    if (lid < PARTS) {
        uint sum = 0u;
        @UNROLL@for (uint i = 0u; i < RADIX / PARTS; i++)
            sum += counts[lid * (RADIX / PARTS) + i];
        parts[lid] = sum;
    }
    barrier();
}

uint sum_before(uint d)
{
    uint part = d / (RADIX / PARTS), first = part * (RADIX / PARTS), sum = 0u;
    @UNROLL@for (uint i = 0u; i < PARTS; i++) {
        uint x = parts[i], y = counts[first + i];
        sum += (i < part ? x : 0u) + (first + i < d ? y : 0u);
    }
    return sum;
}

// Of the items `open`, the first `left` in the order of their keys. Bit i is for own[i]. A key that is like the last of
// these stays open, and `left` is how many of such are to be taken.
void select_keys(uint lid, item own[EACH], inout uint open, inout uint left, out uint taken)
{
    taken = 0u;
    @UNROLL@for (uint w = 0u; w < KEYS; w++) {
        uint low = w + 1u < KEYS ? 0u : LOW, top = w == 0u ? HIGH : 32u;
        while (top > low) {
            uint bits = min(8u, top - low), mask = (1u << bits) - 1u;
            top -= bits;
            clear_counts(lid);
            @UNROLL@for (uint i = 0u; i < EACH; i++)
                if ((open >> i & 1u) != 0u)
                    atomicAdd(counts[key_word(own[i], w) >> top & mask], 1u);
            sum_parts(lid);
            for (uint d = lid; d < RADIX; d += GROUP) {
                uint sum = sum_before(d);
                if (sum < left && left <= sum + counts[d]) {
                    found[0] = d;
                    found[1] = sum;
                }
            }
            barrier();
            uint digit = found[0];
            left -= found[1];
            @UNROLL@for (uint i = 0u; i < EACH; i++) {
                uint mine = key_word(own[i], w) >> top & mask, is_open = open >> i & 1u;
                taken |= is_open * uint(mine < digit) << i;
                open &= ~(uint(mine != digit) << i);
            }
        }
    }
}

// For place_of: how many of the items before each are taken, in the low half of a word, or open.
void find_places(uint lid, uint taken, uint open)
{
    if (lid < GROUP / 2u) {
        all_taken[lid] = 0u;
        all_open[lid] = 0u;
    }
    clear_counts(lid);
    @UNROLL@for (uint i = 0u; i < EACH; i++) {
        uint at = i * (GROUP / 32u) + lid / 32u, bit = 1u << (lid & 31u);
        if ((taken >> i & 1u) != 0u)
            atomicAdd(all_taken[at], bit);
        if ((open >> i & 1u) != 0u)
            atomicAdd(all_open[at], bit);
    }
    barrier();
    if (lid < GROUP / 2u)
        counts[lid] = uint(bitCount(all_taken[lid])) + (uint(bitCount(all_open[lid])) << 16);
    sum_parts(lid);
}

// How many of the tile's items before number l are taken, with the first `left` of the open ones.
uint place_of(uint l, uint left)
{
    uint word = l / 32u, below = (1u << (l & 31u)) - 1u, sum = sum_before(word);
    return (sum & 0xffffu) + uint(bitCount(all_taken[word] & below)) +
        min((sum >> 16) + uint(bitCount(all_open[word] & below)), left);
}

// Whether it is one of them, by its bits in both.
bool is_taken(uint l, uint taken, uint open, uint left)
{
    uint word = l / 32u, below = (1u << (l & 31u)) - 1u;
    return taken != 0u ||
        (open != 0u && (sum_before(word) >> 16) + uint(bitCount(all_open[word] & below)) < left);
}
