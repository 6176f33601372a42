//! Looks at a subgroup's sums, where the left operand lay: whether each is so large that what elements
//!   that are too small lack is within its share.
//! needs: matrix_count.glsl; VECTORS: of a matrix; PITCH: of its row; COUNT_N: matrices across; i, j:
//!   which of them; ROWS, COLUMNS of one; THREADS: of a subgroup; TILE_M; SHARE: what a sum of 1 may
//!   lack, counted in such elements times the largest that they meet
//! threads: all of a subgroup
//! leaves: stands
barrier();
matrix_store(tile_a[gl_SubgroupID * @VECTORS@u], sums[i * @COUNT_N@u + j], 0u, @PITCH@u, 40u, 2u);
barrier();
for (uint r = gl_SubgroupInvocationID; r < @ROWS@u * @COLUMNS@u; r += @THREADS@u) {
    uint at = gl_SubgroupID * @VECTORS@u + r / @COLUMNS@u * @PITCH@u + r % @COLUMNS@u / 4u;
    float sum = uintBitsToFloat(tile_a[at][r % 4u]);
    uvec4 row = tile_b[part_m + i * @ROWS@u + r / @COLUMNS@u];
    uvec4 column = tile_b[@TILE_M@u + part_n + j * @COLUMNS@u + r % @COLUMNS@u];
    float most_of_row = uintBitsToFloat(row.y) * scale_a, most_of_column = uintBitsToFloat(column.y) * scale_b;
    float lacks = float(row.x) * most_of_column + float(column.x) * most_of_row;
    stands = stands && lacks <= abs(sum) * @SHARE@;
}
