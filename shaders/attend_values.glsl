//! The weighted values of attention, and the sums of weights.
//! needs: attend_most.glsl, with its names; TAKE: statements that put the weights of the thread's
//!   scores into weights, a column of keys after the other, and add them to part; VALUES: statements
//!   that put the values of 16 keys, from key0 + k0 on, into tile_b, WIDTH of each; EACH_COLUMNS of
//!   a thread
//! threads: 256
//! leaves: sums; weight: the sums of the weights of its rows
[[dont_unroll]] for (uint key0 = 0u; key0 < @N@u; key0 += 64u) {
    [[unroll]] for (uint i = 0u; i < 4u; i++)
        part[i] = 0.0;
#include "attend_scores.glsl"
    [[unroll]] for (uint i = 0u; i < 4u; i++) {
        precise float x = part[i] - rest[i], sum = all[i] + x;
        rest[i] = (sum - all[i]) - x;
        all[i] = sum;
    }
    [[dont_unroll]] for (uint k0 = 0u; k0 < 64u; k0 += 16u) {
        barrier();
@VALUES@
        barrier();
        [[unroll]] for (uint k = 0u; k < 16u; k++) {
            float a[4];
            [[unroll]] for (uint i = 0u; i < 4u; i++)
                a[i] = weights[(k0 + k) * 68u + tm * 4u + i];
            [[unroll]] for (uint j = 0u; j < @EACH_COLUMNS@u; j++) {
                float b = tile_b[k * @WIDTH@u + j * 16u + tn];
                [[unroll]] for (uint i = 0u; i < 4u; i++)
                    sums[i * @EACH_COLUMNS@u + j] = fma(a[i], b, sums[i * @EACH_COLUMNS@u + j]);
            }
        }
    }
}
barrier();
[[unroll]] for (uint i = 0u; i < 4u; i++)
    parts[(tm * 4u + i) * 16u + tn] = all[i];
barrier();
float weight[4];
[[unroll]] for (uint i = 0u; i < 4u; i++) {
    weight[i] = 0.0;
    [[unroll]] for (uint j = 0u; j < 16u; j++)
        weight[i] += parts[(tm * 4u + i) * 16u + j];
}
