//! A running sum, or the like, of elements in shared memory: a thread its eight neighbours, then
//!   the LANES threads of a run together, in a fixed tree.
//! needs: TYPE SLOTS GROUP LANES PRECISE, COMBINE: what x and y come to
//! provides: get(uint) put(uint, TYPE) combine(TYPE, TYPE) scan_span(uint, TYPE)
//! threads: all of the workgroup, with what their run has come to before; a barrier is behind the
//!   elements
//! leaves: in place of each element what the run comes to with it, and a barrier behind that;
//!   returned, what the run has come to with the last
// Elements in shared memory, with a gap every 32 so that neighbours of a thread lie in different banks.
shared @TYPE@ elements[@SLOTS@], sums[@GROUP@];

@TYPE@ get(uint i)
{
    return elements[i + (i >> 5)];
}

void put(uint i, @TYPE@ x)
{
    elements[i + (i >> 5)] = x;
}

@TYPE@ combine(@TYPE@ x, @TYPE@ y)
{
    @PRECISE@@TYPE@ z = @COMBINE@;
    return z;
}

@TYPE@ scan_span(uint lid, @TYPE@ carry)
{
    uint mine = 8u * lid, lane = lid % @LANES@u;
    @TYPE@ own0 = get(mine), own1 = combine(own0, get(mine + 1u));
    @TYPE@ own2 = combine(own1, get(mine + 2u)), own3 = combine(own2, get(mine + 3u));
    @TYPE@ own4 = combine(own3, get(mine + 4u)), own5 = combine(own4, get(mine + 5u));
    @TYPE@ own6 = combine(own5, get(mine + 6u)), own7 = combine(own6, get(mine + 7u));
    sums[lid] = own7;
    barrier();
    for (uint apart = 1u; apart < @LANES@u; apart *= 2u) {
        @TYPE@ sum = sums[lid];
        if (lane >= apart)
            sum = combine(sums[lid - apart], sum);
        barrier();
        sums[lid] = sum;
        barrier();
    }
    @TYPE@ past = lane > 0u ? combine(carry, sums[lid - 1u]) : carry;
    put(mine, combine(past, own0)); put(mine + 1u, combine(past, own1));
    put(mine + 2u, combine(past, own2)); put(mine + 3u, combine(past, own3));
    put(mine + 4u, combine(past, own4)); put(mine + 5u, combine(past, own5));
    put(mine + 6u, combine(past, own6)); put(mine + 7u, combine(past, own7));
    carry = combine(carry, sums[lid - lane + @LANES@u - 1u]);
    barrier();
    return carry;
}
