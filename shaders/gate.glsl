//! Steers dispatches: their group counts lie in the words after those that say what runs.
//! needs: buffer of uint w[]
//! provides: gate(uint, uint, uint, uint, uint)
//! threads: one
//! leaves: at w[at] the group counts of a dispatch where its word, runs, is 1, and none where it is
//!   0
void gate(uint at, uint runs, uint x, uint y, uint z)
{
    w[at] = runs * x;
    w[at + 1u] = runs * y;
    w[at + 2u] = runs * z;
}
