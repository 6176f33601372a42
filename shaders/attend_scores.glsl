//! A tile of attention's scores, by the threads' own arithmetic.
//! needs: attend_begin.glsl; D: elements of a query; QUERIES, KEYS, TAKE: as in attend_most.glsl
//! threads: 256
//! leaves: whatever TAKE does
float score[16];
[[unroll]] for (uint i = 0u; i < 16u; i++)
    score[i] = 0.0;
[[dont_unroll]] for (uint d0 = 0u; d0 < @D@u; d0 += 16u) {
    barrier();
@QUERIES@
@KEYS@
    barrier();
    [[unroll]] for (uint k = 0u; k < 16u; k++) {
        float a[4], b[4];
        [[unroll]] for (uint i = 0u; i < 4u; i++) {
            a[i] = tile_a[k * 68u + tm * 4u + i];
            b[i] = tile_b[k * 68u + tn * 4u + i];
        }
        [[unroll]] for (uint i = 0u; i < 16u; i++)
            score[i] = fma(a[i / 4u], b[i % 4u], score[i]);
    }
}
@TAKE@
