//! Attention on matrix units: the weighted values of all keys, and the sums of weights.
//! needs: matrix_unit.glsl, matrix_scale.glsl; queries: matrices; LANES of a subgroup, ROWS of its
//!   stripe, SHARING threads a row, and SCORES_EACH vectors of a tile's row for each; row, share: the
//!   thread's; N keys, KEYS of a tile; EACH: vectors of a tile that a thread moves; SUMS: matrices of results; FIRST:
//!   statements that fill `next` with the first keys; PUT: those that put it into shared memory;
//!   SCORES: those that fill it with values, and make the stripe from the keys; TAKE: those that put
//!   the values into shared memory, fill x with what the softmax is of, and raise `top` to it; WEIGH:
//!   those that put the weights into the stripe, add them to `part`, and put `turn` into shared
//!   memory; MULTIPLY: those that fill `next` with the keys of the next tile, and let sums take in the
//!   weighted values
//! threads: all of the workgroup
//! leaves: sums; parts: the sum of all weights of a row, at its number in the subgroup's part. A row
//!   without any weight, of negative infinities alone, has the sum 0, and one with a NaN or positive
//!   infinity NaN.
uvec4 next[@EACH@];
vec4 x[@SCORES_EACH@];
MatrixSum sums[@SUMS@];
[[unroll]] for (uint i = 0u; i < @SUMS@u; i++)
    sums[i] = matrix_fill(0.0);
// the least number: a difference from it is no NaN
float most = uintBitsToFloat(0xff7fffffu), all = 0.0;
@FIRST@
[[dont_unroll]] for (uint key0 = 0u; key0 < @N@u; key0 += @KEYS@u) {
    barrier();
@PUT@
    barrier();
@SCORES@
    barrier();
    float top = most;
@TAKE@
    if (@SHARING@u > 1u) {
        parts[gl_SubgroupID * @LANES@u + gl_SubgroupInvocationID] = top;
        barrier();
        [[unroll]] for (uint i = 0u; i < @SHARING@u; i++)
            top = max(top, parts[gl_SubgroupID * @LANES@u + i * @ROWS@u + row]);
    }
    float turn = exp2((most - top) * 1.44269504), part = 0.0;
    most = top;
@WEIGH@
    all = all * turn + part;
    barrier();
@MULTIPLY@
}
barrier();
parts[gl_SubgroupID * @LANES@u + gl_SubgroupInvocationID] = all;
barrier();
all = 0.0;
[[unroll]] for (uint i = 0u; i < @SHARING@u; i++)
    all += parts[gl_SubgroupID * @LANES@u + i * @ROWS@u + row];
barrier();
if (share == 0u)
    parts[gl_SubgroupID * @LANES@u + row] = all;
barrier();
