//! How many of COUNT sorted keys come before X, by halving.
//! needs: names LO HI AT, which are free; FETCH: statements that compute the key at AT, KEY: what
//!   it is called
//! threads: any
//! leaves: LO, the number
uint @LO@ = 0u, @HI@ = @COUNT@u;
while (@LO@ < @HI@) {
    uint @AT@ = (@LO@ + @HI@) / 2u;
@FETCH@
    if (@KEY@ < @X@) @LO@ = @AT@ + 1u; else @HI@ = @AT@;
}
