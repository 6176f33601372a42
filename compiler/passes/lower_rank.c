/* The order of short rows by counting. The rank of an element is how many come before it:

     rank[i]  = sum over j of (x[j] before x[i], or neither is and j < i)
     order[p] = sum over i of (rank[i] == p ? i : 0)

   where NaN is above every number and -0 equals 0. Ranks are a permutation, so each sum of the
   second line has one term. The tensors of pairs are never stored: code generation computes them
   inside the two sums.

   A row of n takes n^2 comparisons and n^2 tests of equality, without a branch and as plain
   reductions, which a workgroup program can hold. lower_sort.c has the choice, and what sorts
   longer rows.

   Floats of up to 32 bits are compared by an integer that orders as they do, so that no device
   flushes subnormals and NaN needs no test of its own; doubles as they are, since 64-bit
   integers may be missing. */
#include "passes/lower.h"

/* s32 that compares as the float does: the sign taken out of the magnitude, so both zeros are 0. */
static struct value float_key(struct build *b, struct value x)
{
    x = build_convert(b, x, TYPE_F32);
    if (!build_ok(b, x))
        return x;
    struct tensor t = {.type = TYPE_S32, .shape = build_tensor(b, x)->shape};
    struct value bits = build_bitcast(b, x, TYPE_S32), highest = build_number(b, &t, INT32_MAX);
    struct value magnitude = build_binary(b, OP_BITWISE_AND, bits, highest);
    struct value is_negative = build_binary(b, OP_LESS, bits, build_number(b, &t, 0));
    struct value key =
        build_select(b, is_negative, build_unary(b, OP_NEGATE, magnitude), magnitude);
    struct value is_nan = build_binary(b, OP_GREATER, magnitude, build_number(b, &t, 0x7f800000));
    return build_select(b, is_nan, highest, key);
}

struct value lower_counter(struct build *b, const struct shape *to, int64_t axis,
                           enum vkc_type type)
{
    struct tensor line = {.type = type, .shape = shape_of(1, &to->dim[axis])};
    return build_broadcast(b, build_iota(b, &line, 0), to, &axis);
}

/* x[outer, length, inner] as [outer, i, j, inner], constant along the axis that is missing. */
static struct value along(struct build *b, struct value x, const struct shape *pairs, int64_t axis)
{
    int64_t axes[3] = {0, axis, 3};
    return build_broadcast(b, x, pairs, axes);
}

static struct value sum_pairs(struct build *b, struct value x)
{
    int64_t axis = 2;
    return build_reduce(b, OP_SUM, x, &axis, 1);
}

struct value lower_rank(struct build *b, struct value x, const struct rows_of *r, bool descending)
{
    enum op is_before = descending ? OP_GREATER : OP_LESS;
    enum vkc_type type = build_ok(b, x) ? build_tensor(b, x)->type : TYPE_NONE;
    struct shape pairs = shape_of(4, (int64_t[4]){r->outer, r->length, r->length, r->inner});
    struct value key = type_is_float(type) && type != TYPE_F64 ? float_key(b, x) : x;
    struct value mine = along(b, key, &pairs, 1), other = along(b, key, &pairs, 2);
    struct value before = build_binary(b, is_before, other, mine),
                 equal = build_binary(b, OP_EQUAL, other, mine);
    if (type == TYPE_F64) {
        struct value nan = build_unary(b, OP_IS_NAN, key), mine_is = along(b, nan, &pairs, 1),
                     other_is = along(b, nan, &pairs, 2);
        before =
            build_binary(b, OP_BITWISE_OR, before, build_binary(b, is_before, other_is, mine_is));
        equal = build_binary(b, OP_BITWISE_OR, equal,
                             build_binary(b, OP_BITWISE_AND, other_is, mine_is));
    }
    struct value i = lower_counter(b, &pairs, 1, TYPE_S32),
                 j = lower_counter(b, &pairs, 2, TYPE_S32);
    struct value first = build_binary(b, OP_BITWISE_AND, equal, build_binary(b, OP_LESS, j, i));
    struct value rank =
        sum_pairs(b, build_convert(b, build_binary(b, OP_BITWISE_OR, before, first), TYPE_S32));
    struct value here = build_binary(b, OP_EQUAL, along(b, rank, &pairs, 2), i);
    return sum_pairs(b, build_select(b, here, j, build_splat_like(b, j, 0)));
}
