//! The scales of a product's operands, by what a workgroup loads first.
//! needs: matrix_split.glsl; next_a, next_b: EACH_A and EACH_B vectors of four
//! threads: all of the workgroup
//! leaves: scale_a, scale_b; most_a, least_a, most_b, least_b of what the thread loads
uint most_a = 0u, most_b = 0u, least_a = 0xffffffffu, least_b = 0xffffffffu;
if (lid < 5u)
    reach[lid] = lid % 2u != 0u ? 0xffffffffu : 0u;
barrier();
[[unroll]] for (uint i = 0u; i < @EACH_A@u; i++) {
    most_a = matrix_most(most_a, next_a[i]);
    least_a = matrix_least(least_a, next_a[i]);
}
[[unroll]] for (uint i = 0u; i < @EACH_B@u; i++) {
    most_b = matrix_most(most_b, next_b[i]);
    least_b = matrix_least(least_b, next_b[i]);
}
atomicMax(reach[0], most_a);
atomicMin(reach[1], least_a);
atomicMax(reach[2], most_b);
atomicMin(reach[3], least_b);
barrier();
float scale_a = split_scale(reach[0], reach[1]), scale_b = split_scale(reach[2], reach[3]);
