//! A part of two stored runs, merged. Half of the threads search where it begins in the runs, the
//!   other half where it ends, HALF places a round at a time; then its items are fetched and merged
//!   in shared memory. The number of rounds follows from the shorter run.
//! needs: sort_item merge GROUP HALF, FOUND: two words for each round that may be, UNROLL;
//!   fetch(uint): an item of the runs, which begin at a and b and have a_size and b_size items
//! provides: find_part(uint, uint, uint, uint, uint, uint, uint) merge_runs(uint, uint, uint, uint,
//!   uint, uint, uint)
//! threads: all of the workgroup, once
//! leaves: items start .. start + count - 1 of both runs, from place 0 on; a barrier has to stand
//!   before the next get
shared uint found[@FOUND@], of_first[2];

// How many items before the part's beginning and before its end are of the first run.
void find_part(uint lid, uint a, uint a_size, uint b, uint b_size, uint start, uint count)
{
    if (lid < @FOUND@u)
        found[lid] = 0u;
    barrier();
    uint side = lid / @HALF@u, lane = lid % @HALF@u, d = side == 0u ? start : start + count;
    uint lo = d > b_size ? d - b_size : 0u, hi = min(d, a_size);
    uint round = 0u;
    for (uint left = min(a_size, b_size); left > 0u; left = (left - 1u) / @HALF@u) {
        uint apart = (hi - lo + @HALF@u - 1u) / @HALF@u, probe = lo + lane * apart;
        if (probe < hi && !before(fetch(b + d - 1u - probe), fetch(a + probe)))
            atomicMax(found[2u * round + side], lane + 1u);
        barrier();
        uint passed = found[2u * round + side];
        if (passed > 0u) {
            lo += (passed - 1u) * apart + 1u;
            hi = min(hi, lo + apart - 1u);
        } else
            hi = lo;
        round++;
    }
    if (lane == 0u)
        of_first[side] = lo;
    barrier();
}

void merge_runs(uint lid, uint a, uint a_size, uint b, uint b_size, uint start, uint count)
{
    find_part(lid, a, a_size, b, b_size, start, count);
    uint a_part = of_first[1] - of_first[0], b_from = start - of_first[0];
    @UNROLL@for (uint i = 0u; i < 8u; i++) {
        uint l = i * @GROUP@u + lid;
        if (l < count)
            put(l, fetch(l < a_part ? a + of_first[0] + l : b + b_from + (l - a_part)));
    }
    barrier();
    merge(0u, a_part, a_part, count - a_part, min(8u * lid, count), 8u * lid);
}
