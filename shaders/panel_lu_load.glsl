//! Rows of a chunk of a matrix on their way from memory to `stage`.
//! needs: panel_lu.glsl; base: the first row; TYPE GROUP AT_ONCE; LOAD: next[t] becomes element i, j
//! threads: all of the workgroup, with their number lid
//! leaves: no barrier; element i, j of the chunk in stage[i * PITCH + j], anything behind the last row
// First all loads, then all stores: drivers keep their order, and a store waits for its load.
        for (uint first = lid; first < CHUNK * WIDTH; first += @AT_ONCE@u * @GROUP@u) {
            @TYPE@ next[@AT_ONCE@];
            [[unroll]] for (uint t = 0u; t < @AT_ONCE@u; t++) {
                uint l = first + t * @GROUP@u, i = min(base + l / WIDTH, ROWS - 1u), j = l % WIDTH;
@LOAD@            }
            [[unroll]] for (uint t = 0u; t < @AT_ONCE@u; t++) {
                uint l = first + t * @GROUP@u;
                if (l < CHUNK * WIDTH)
                    stage[l / WIDTH * PITCH + l % WIDTH] = next[t];
            }
        }
