//! Sorts runs of SPAN items, one behind the other in shared memory: a thread eight of them by
//!   exchanging neighbours, then all threads merge runs of twice the size in every round.
//! needs: sort_item merge SPAN
//! provides: exchange(item, item) sort_runs(uint)
//! threads: all of the workgroup, each with the first of its eight places; a barrier is behind the
//!   items
//! leaves: every run sorted, equal items in their order; a barrier has to stand before the next get
void exchange(inout item a, inout item b)
{
    bool turned = before(b, a);
    item x = a;
    a = choose(turned, b, x);
    b = choose(turned, x, b);
}

void sort_runs(uint mine)
{
    item own0 = get(mine), own1 = get(mine + 1u), own2 = get(mine + 2u), own3 = get(mine + 3u);
    item own4 = get(mine + 4u), own5 = get(mine + 5u), own6 = get(mine + 6u), own7 = get(mine + 7u);
    exchange(own0, own1); exchange(own2, own3); exchange(own4, own5); exchange(own6, own7);
    exchange(own1, own2); exchange(own3, own4); exchange(own5, own6);
    exchange(own0, own1); exchange(own2, own3); exchange(own4, own5); exchange(own6, own7);
    exchange(own1, own2); exchange(own3, own4); exchange(own5, own6);
    exchange(own0, own1); exchange(own2, own3); exchange(own4, own5); exchange(own6, own7);
    exchange(own1, own2); exchange(own3, own4); exchange(own5, own6);
    exchange(own0, own1); exchange(own2, own3); exchange(own4, own5); exchange(own6, own7);
    exchange(own1, own2); exchange(own3, own4); exchange(own5, own6);
    put(mine, own0); put(mine + 1u, own1); put(mine + 2u, own2); put(mine + 3u, own3);
    put(mine + 4u, own4); put(mine + 5u, own5); put(mine + 6u, own6); put(mine + 7u, own7);
    for (uint width = 8u; width < @SPAN@u; width *= 2u) {
        barrier();
        uint pair = mine & ~(2u * width - 1u);
        merge(pair, width, pair + width, width, mine - pair, mine);
    }
}
