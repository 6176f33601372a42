//! Two sorted runs in shared memory become one.
//! needs: sort_item
//! provides: split(uint, uint, uint, uint, uint) merge(uint, uint, uint, uint, uint, uint)
//! threads: all of the workgroup, each for eight items of the result; a barrier is behind the items
//! leaves: the items in their places, of equal ones those of the first run before those of the
//!   second; a barrier has to stand before the next get
// How many of the first d elements of two merged runs, at a and b, are of the first: of equals, all.
uint split(uint a, uint a_size, uint b, uint b_size, uint d)
{
    uint lo = d > b_size ? d - b_size : 0u, hi = min(d, a_size);
    while (lo < hi) {
        uint middle = (lo + hi) / 2u;
        if (before(get(b + d - 1u - middle), get(a + middle)))
            hi = middle;
        else
            lo = middle + 1u;
    }
    return lo;
}

// The next element of two runs, whose heads are x and y. Without branches: one place is read, and drivers that turn
// branches into masks have half of the code to compile.
item next(inout uint a, uint a_end, inout uint b, uint b_end, inout item x, inout item y)
{
    bool first = b >= b_end || (a < a_end && !before(y, x));
    item taken = choose(first, x, y);
    a += uint(first);
    b += uint(!first);
    item after = get(first ? a : b);
    x = choose(first, after, x);
    y = choose(first, y, after);
    return taken;
}

// Puts elements d .. d+7 of two merged runs at `to`; every thread reads before one writes.
void merge(uint a, uint a_size, uint b, uint b_size, uint d, uint to)
{
    uint of_a = split(a, a_size, b, b_size, d), i = a + of_a, k = b + d - of_a, a_end = a + a_size, b_end = b + b_size;
    item x = get(i), y = get(k);
    item r0 = next(i, a_end, k, b_end, x, y), r1 = next(i, a_end, k, b_end, x, y);
    item r2 = next(i, a_end, k, b_end, x, y), r3 = next(i, a_end, k, b_end, x, y);
    item r4 = next(i, a_end, k, b_end, x, y), r5 = next(i, a_end, k, b_end, x, y);
    item r6 = next(i, a_end, k, b_end, x, y), r7 = next(i, a_end, k, b_end, x, y);
    barrier();
    put(to, r0); put(to + 1u, r1); put(to + 2u, r2); put(to + 3u, r3);
    put(to + 4u, r4); put(to + 5u, r5); put(to + 6u, r6); put(to + 7u, r7);
}
