//! Items that are sorted in shared memory: one or two words, and the place that each comes from.
//! needs: FIELDS of an item, SHARED with an array all_FIELD for each, or one of vectors; GET: returns what is
//!   at i, PUT: statements that store x there, CHOOSE: the fields of x if first, else of y, BEFORE: whether a comes
//!   before b
//! provides: get(uint) put(uint, item) before(item, item) choose(bool, item, item)
//! threads: any; a barrier has to stand between what one thread puts and another gets
// Elements in shared memory, with a gap every 32 so that neighbours of a thread lie in different banks.
struct item { uint @FIELDS@; };
@SHARED@
item get(uint i)
{
    i += i >> 5;
    @GET@
}

void put(uint i, item x)
{
    i += i >> 5;
    @PUT@
}

// Whether a comes first for certain. Where the zeros of floats are equal, the key of -0 counts as that of 0.
bool before(item a, item b)
{
    return @BEFORE@;
}

item choose(bool first, item x, item y)
{
    return item(@CHOOSE@);
}
