//! The greatest of each row of attention, over all keys.
//! needs: attend_begin.glsl; N keys, of D elements; QUERIES, KEYS: statements that put 16 elements,
//!   from d0 on, of the tile's queries into tile_a, of the keys from key0 on into tile_b; TAKE:
//!   statements by which most takes in the thread's scores
//! threads: 256
//! leaves: most, the same in all threads of a row
[[dont_unroll]] for (uint key0 = 0u; key0 < @N@u; key0 += 64u) {
#include "attend_scores.glsl"
}
[[unroll]] for (uint i = 0u; i < 4u; i++)
    parts[(tm * 4u + i) * 16u + tn] = most[i];
barrier();
[[unroll]] for (uint i = 0u; i < 4u; i++)
    [[unroll]] for (uint j = 0u; j < 16u; j++)
        most[i] = @MOST@;
barrier();
