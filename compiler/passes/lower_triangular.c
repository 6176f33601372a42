/* triangular_solve of large matrices. A kernel for it substitutes, a thread for each right side,
   and every step waits for the one before. Here, for M x = b with M lower, of order n and cut in
   blocks of s rows,

     the blocks on the diagonal are inverted    32 rows by substitution for the identity, in one
                                                dispatch, then by products, two of s/2 in one of s:
                                                [a, 0; c, d]^-1 = [a^-1, 0; -d^-1 c a^-1, d^-1]
     for each block: x_k = M_kk^-1 b_k          a product
                     b -= M_k x_k               of the rows below: a product

   and the same from the last block up where M is upper. The last block is made whole with ones on
   the diagonal. No element beyond the diagonal is read. Behind a pivot of zero nothing is finite
   in the rows of its block and those that follow, where substitution leaves the rows before it as
   they are. Why inverses: DECISIONS.md. Narrow floats are solved in f32 and rounded once. */
#include <string.h>

#include "passes/lower.h"
#include "passes/passes.h"
#include "target/limits.h"

enum {
    SUBSTITUTED = 32,  /* rows of the blocks that are inverted by substitution */
    LEAST_ORDER = 64,  /* up to that a system is substituted whole */
    LEAST_BLOCK = 256, /* rows of a step, if there are so many; more from MOST_STEPS on */
    MOST_STEPS = 32    /* that are written out, two products each with sizes of their own */
};

struct triangle {
    struct build *b;
    struct value matrix; /* [batch, order, order] */
    enum vkc_type type;
    bool lower;
    int64_t batch, order;
    int64_t block;  /* rows of a step: a power of two times SUBSTITUTED */
    int64_t padded; /* the order, up to a multiple of that */
};

static struct value rows_of_eye(const struct triangle *t, const struct tensor *like, int64_t from,
                                struct value other)
{
    struct build *b = t->b;
    struct tensor count = {.type = TYPE_S32, .shape = like->shape};
    struct value row = build_iota(b, &count, 1), column = build_iota(b, &count, 2);
    struct value is_one = build_binary(b, OP_EQUAL, row, column);
    if (from > 0)
        is_one = build_binary(
            b, OP_LOGICAL_AND, is_one,
            build_binary(b, OP_GREATER_EQUAL, row, build_number(b, &count, (double)from)));
    return build_select(b, is_one, build_number(b, like, 1), other);
}

/* With ones on the diagonal behind the last row. */
static struct value whole_blocks(const struct triangle *t)
{
    struct build *b = t->b;
    if (t->padded == t->order)
        return t->matrix;
    struct value x = lower_padded(b, t->matrix, t->padded, t->padded);
    if (!build_ok(b, x))
        return x;
    struct tensor like = *build_tensor(b, x);
    return rows_of_eye(t, &like, t->order, x);
}

/* Of each block of `size` rows on the diagonal of x, the square of `part` rows that begins at
   (row, column) in it: [batch * blocks, part, part]. */
static struct value squares(const struct triangle *t, struct value x, int64_t size, int64_t row,
                            int64_t column, int64_t part)
{
    struct build *b = t->b;
    int64_t n = t->padded / size;
    struct shape cut = shape_of(5, (int64_t[5]){t->batch, n, size, n, size}),
                 flat = shape_of(3, (int64_t[3]){t->batch, n * n, part * part}),
                 to = shape_of(3, (int64_t[3]){t->batch * n, part, part});
    x = build_slice(b, build_reshape(b, x, &cut), (int64_t[5]){0, 0, row, 0, column},
                    (int64_t[5]){t->batch, n, part, n, part}, (int64_t[5]){1, 1, 1, 1, 1});
    x = build_reshape(b, build_transpose(b, x, (int64_t[5]){0, 1, 3, 2, 4}), &flat);
    x = build_slice(b, x, (int64_t[3]){0, 0, 0}, (int64_t[3]){t->batch, n * n, part * part},
                    (int64_t[3]){1, n + 1, 1});
    return build_reshape(b, x, &to);
}

/* Inverses of x's blocks of SUBSTITUTED rows. */
static struct value substituted(const struct triangle *t, struct value x)
{
    struct build *b = t->b;
    struct value blocks = squares(t, x, SUBSTITUTED, 0, 0, SUBSTITUTED);
    if (!build_ok(b, blocks))
        return BUILD_NONE;
    struct tensor like = *build_tensor(b, blocks);
    return lower_solved(b, blocks, rows_of_eye(t, &like, 0, build_number(b, &like, 0)), true,
                        t->lower);
}

static struct value part_of_pair(const struct triangle *t, struct value x, int64_t pairs,
                                 int64_t size, int64_t which)
{
    struct build *b = t->b;
    struct shape cut = shape_of(4, (int64_t[4]){pairs, 2, size, size}),
                 to = shape_of(3, (int64_t[3]){pairs, size, size});
    x = build_slice(b, build_reshape(b, x, &cut), (int64_t[4]){0, which, 0, 0},
                    (int64_t[4]){pairs, 1, size, size}, (int64_t[4]){1, 1, 1, 1});
    return build_reshape(b, x, &to);
}

/* Of the inverses of blocks of `size` rows, those of twice as many. */
static struct value merged(const struct triangle *t, struct value whole, struct value inverses,
                           int64_t size)
{
    struct build *b = t->b;
    int64_t pairs = t->batch * t->padded / (2 * size);
    struct value first = part_of_pair(t, inverses, pairs, size, 0),
                 second = part_of_pair(t, inverses, pairs, size, 1);
    struct value off = t->lower ? squares(t, whole, 2 * size, size, 0, size)
                                : squares(t, whole, 2 * size, 0, size, size);
    struct value left = t->lower ? second : first, right = t->lower ? first : second;
    struct value corner =
        build_unary(b, OP_NEGATE, lower_times(b, left, lower_times(b, off, right)));
    if (!build_ok(b, corner))
        return BUILD_NONE;
    struct value zero = lower_filled(b, corner, size, size, 0);
    struct value top = lower_beside(b, first, t->lower ? zero : corner),
                 bottom = lower_beside(b, t->lower ? corner : zero, second);
    return build_concatenate(b, (struct value[2]){top, bottom}, 2, 1);
}

/* The inverse of block k, without what made it whole. */
static struct value inverse_of(const struct triangle *t, struct value inverses, int64_t k,
                               int64_t rows)
{
    struct shape cut =
        shape_of(4, (int64_t[4]){t->batch, t->padded / t->block, t->block, t->block});
    struct shape to = shape_of(3, (int64_t[3]){t->batch, rows, rows});
    struct value x =
        build_slice(t->b, build_reshape(t->b, inverses, &cut), (int64_t[4]){0, k, 0, 0},
                    (int64_t[4]){t->batch, 1, rows, rows}, (int64_t[4]){1, 1, 1, 1});
    return build_reshape(t->b, x, &to);
}

/* x [batch, order, columns] of M x = right. */
static struct value solved(const struct triangle *t, struct value right, int64_t columns)
{
    struct build *b = t->b;
    struct value whole = whole_blocks(t), inverses = substituted(t, whole);
    struct value found[MOST_STEPS];
    int64_t steps = t->padded / t->block;
    for (int64_t size = SUBSTITUTED; size < t->block; size *= 2)
        inverses = merged(t, whole, inverses, size);
    for (int64_t i = 0; i < steps && build_ok(b, inverses); i++) {
        int64_t k = t->lower ? i : steps - 1 - i, from = k * t->block;
        int64_t end = from + t->block < t->order ? from + t->block : t->order, rows = end - from;
        int64_t rest = t->lower ? t->order - end : from; /* rows that remain */
        struct value here = lower_part(b, right, t->lower ? 0 : from, 0, rows, columns);
        found[k] = lower_times(b, inverse_of(t, inverses, k, rows), here);
        if (rest > 0) {
            struct value beside = lower_part(b, t->matrix, t->lower ? end : 0, from, rest, rows),
                         explained = lower_times(b, beside, found[k]);
            right = lower_part(b, right, t->lower ? rows : 0, 0, rest, columns);
            right = build_binary(b, OP_SUBTRACT, right, explained);
        }
    }
    return build_ok(b, inverses) ? build_concatenate(b, found, (uint32_t)steps, 1) : BUILD_NONE;
}

/* Narrow floats in f32. */
static bool widened(struct build *b, const struct node *n, const struct value *ins,
                    struct value *outs)
{
    enum vkc_type type = n->outs[0].type;
    struct value wide[2] = {build_convert(b, ins[0], TYPE_F32), build_convert(b, ins[1], TYPE_F32)};
    struct tensor out = {.type = TYPE_F32, .shape = n->outs[0].shape};
    struct node solve = *n;
    solve.ins = wide;
    solve.outs = &out;
    struct value x;
    if (!build_ok(b, wide[0]) || !build_ok(b, wide[1]))
        return true;
    if (!lower_triangular(b, &solve, wide, &x))
        x = build_node(b, &solve);
    outs[0] = build_convert(b, x, type);
    return true;
}

bool lower_triangular(struct build *b, const struct node *n, const struct value *ins,
                      struct value *outs)
{
    const struct tensor a = *build_tensor(b, ins[0]), to = n->outs[0];
    struct triangle t = {
        .b = b, .type = to.type, .order = a.shape.dim[a.shape.rank - 1], .block = SUBSTITUTED};
    if (type_is_float(t.type) && vkc_types[t.type].bits < 32)
        return widened(b, n, ins, outs);
    int64_t all = shape_size(&a.shape);
    if (t.order <= LEAST_ORDER || all == 0 || shape_size(&to.shape) == 0 ||
        (b->in_region && all <= PROGRAM_ELEMENTS))
        return false;
    /* left: x [order, columns]; else the rows of x are systems, and M is a transposed */
    bool vector = to.shape.rank + 1 == a.shape.rank, left = attr_bool(n, ATTR_left_side) || vector,
         transposed = strcmp(attr_text(n, ATTR_transform), "transpose") == 0,
         swap = transposed != !attr_bool(n, ATTR_left_side);
    t.batch = all / (t.order * t.order);
    t.lower = attr_bool(n, ATTR_lower) != swap;
    while (t.block < t.order && (t.block < LEAST_BLOCK || t.block * MOST_STEPS < t.order))
        t.block *= 2;
    t.padded = (t.order + t.block - 1) / t.block * t.block;
    int64_t columns = shape_size(&to.shape) / (t.batch * t.order);
    struct shape square = shape_of(3, (int64_t[3]){t.batch, t.order, t.order}),
                 side = shape_of(3, left ? (int64_t[3]){t.batch, t.order, columns}
                                         : (int64_t[3]){t.batch, columns, t.order});
    int64_t turn[3] = {0, 2, 1};
    struct value right = build_reshape(b, ins[1], &side);
    t.matrix = build_reshape(b, ins[0], &square);
    if (swap)
        t.matrix = build_transpose(b, t.matrix, turn);
    if (type_is_complex(t.type) && strcmp(attr_text(n, ATTR_transform), "conjugate") == 0)
        t.matrix = build_unary(b, OP_CONJUGATE, t.matrix);
    struct value x = solved(&t, left ? right : build_transpose(b, right, turn), columns);
    outs[0] = build_reshape(b, left ? x : build_transpose(b, x, turn), &to.shape);
    return true;
}
