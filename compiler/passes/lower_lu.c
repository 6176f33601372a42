/* LinAlg.LU, the block of that name, of real matrices: P, L, U with A = P L U. Nx's expansion
   eliminates column by column, with the whole matrix in each round of a loop. Here, for each
   `width` columns of those that remain, [c, r],

     panel_lu c          columns eliminated, with a search for pivots, a workgroup per matrix
     u = inverse r[p]    rows of U: of the new pivot rows p, by the inverse of their triangle
     r - l u             a product: what remains, l being c without rows that are pivots

   Rows never move, and every panel has all of them: a row has a place, less the columns that are
   done, and below 0 it is settled. So all panels but the last are one kernel. The rows are put in
   order at the end. Steps are written out, so their number is limited.

   Ties go to the row that would stand first if rows had moved, and a column of zeros is left as it
   is, both as in the expansion. That is kept for few small matrices, and for complex ones, whose
   pivot rows it conjugates. Narrow floats are factored in f32 and rounded once. */
#include "passes/lower.h"
#include "passes/passes.h"
#include "target/limits.h"

/* Steps that are written out: two products each, with sizes of their own. */
enum { MOST_STEPS = 64 };
/* The expansion of smaller ones is one workgroup program, with what is around it. */
enum { LEAST_ORDER = 16 };

struct lu {
    struct build *b;
    enum vkc_type type;
    int64_t batch, n, width;
    struct value columns[MOST_STEPS]; /* [batch, n, size]: rows where they were */
    struct value order[MOST_STEPS];   /* [batch, size]: which rows are the pivots, s32 */
    struct value upper[MOST_STEPS];   /* [batch, size, rest]: right of the pivots' columns */
    struct value places;              /* [batch, n] */
};

static struct value panel(const struct lu *s, struct value columns, int64_t size)
{
    struct value ins[2] = {columns, s->places};
    struct tensor out = {.type = s->type,
                         .shape = shape_of(3, (int64_t[3]){s->batch, s->n + size, size + 1})};
    struct node n = {.op = OP_PANEL_LU, .nins = 2, .nouts = 1, .ins = ins, .outs = &out};
    return build_ok(s->b, columns) && build_ok(s->b, s->places) ? build_node(s->b, &n) : BUILD_NONE;
}

/* Rows `which` [batch, count] of x [batch, n, columns]. */
static struct value rows_of_each(const struct lu *s, struct value x, struct value which)
{
    struct build *b = s->b;
    if (!build_ok(b, x) || !build_ok(b, which))
        return BUILD_NONE;
    struct tensor index = *build_tensor(b, which);
    int64_t columns = build_tensor(b, x)->shape.dim[2], count = shape_size(&index.shape);
    struct value first = build_binary(b, OP_MULTIPLY, build_iota(b, &index, 0),
                                      build_number(b, &index, (double)s->n));
    struct shape flat = shape_of(1, &count),
                 rows = shape_of(2, (int64_t[2]){s->batch * s->n, columns}),
                 to = shape_of(3, (int64_t[3]){s->batch, index.shape.dim[1], columns});
    which = build_reshape(b, build_binary(b, OP_ADD, which, first), &flat);
    return build_reshape(b, build_gather(b, build_reshape(b, x, &rows), which), &to);
}

/* One step on `rest`, the columns that remain; gives those that remain then. */
static struct value step(struct lu *s, uint32_t k, struct value rest, int64_t size, int64_t columns)
{
    struct build *b = s->b;
    int64_t more = columns - size;
    struct value p = panel(s, lower_part(b, rest, 0, 0, s->n, size), size);
    struct shape places = shape_of(2, (int64_t[2]){s->batch, s->n}),
                 order = shape_of(2, (int64_t[2]){s->batch, size}),
                 all = shape_of(3, (int64_t[3]){s->batch, s->n, size});
    s->columns[k] = lower_part(b, p, 0, 0, s->n, size);
    s->places = build_reshape(b, lower_part(b, p, 0, size, s->n, 1), &places);
    s->order[k] =
        build_convert(b, build_reshape(b, lower_part(b, p, s->n, size, size, 1), &order), TYPE_S32);
    if (more == 0 || !build_ok(b, s->places))
        return rest;
    struct tensor t = *build_tensor(b, s->places);
    struct value is_below = build_binary(b, OP_GREATER_EQUAL, s->places, build_number(b, &t, 0));
    struct value l = build_select(b, build_broadcast(b, is_below, &all, (int64_t[2]){0, 1}),
                                  s->columns[k], lower_filled(b, p, s->n, size, 0));
    rest = lower_part(b, rest, 0, size, s->n, more);
    s->upper[k] =
        lower_times(b, lower_part(b, p, s->n, 0, size, size), rows_of_each(s, rest, s->order[k]));
    return build_binary(b, OP_SUBTRACT, rest, lower_times(b, l, s->upper[k]));
}

/* The rows of U from step k: zeros, the triangle (of `packed`), what is right of it. */
static struct value upper_rows(const struct lu *s, uint32_t k, struct value packed)
{
    struct build *b = s->b;
    int64_t done = k * s->width, size = s->n - done < s->width ? s->n - done : s->width;
    struct value parts[3] = {lower_filled(b, packed, size, done, 0),
                             lower_where(b, OP_LESS_EQUAL,
                                         lower_part(b, packed, done, done, size, size),
                                         lower_filled(b, packed, size, size, 0)),
                             s->upper[k]};
    uint32_t first = done == 0, end = done + size == s->n ? 2 : 3;
    return build_concatenate(b, parts + first, end - first, 2);
}

bool lower_lu(struct build *b, const struct node *n, const struct value *ins, struct value *outs)
{
    const struct tensor from = *build_tensor(b, ins[0]);
    const struct tensor to[3] = {n->outs[0], n->outs[1], n->outs[2]};
    uint32_t rank = from.shape.rank;
    struct lu s = {.b = b, .type = build_sum_type(to[1].type)};
    if (rank < 2 || from.shape.dim[rank - 1] != from.shape.dim[rank - 2] ||
        !type_is_float(s.type) || to[1].type != to[2].type)
        return false;
    for (int i = 0; i < 3; i++)
        if (!shape_equal(&to[i].shape, &from.shape))
            return false;
    int64_t all = shape_size(&from.shape);
    s.n = from.shape.dim[rank - 1];
    s.batch = all / (s.n * s.n);
    s.width = lu_width(s.n, type_bytes(s.type), b->r->options->target->max_invocations);
    if (s.width == 0 || (s.n + s.width - 1) / s.width > MOST_STEPS ||
        (all <= PROGRAM_ELEMENTS && (b->in_region || s.n < LEAST_ORDER)))
        return false;
    uint32_t steps = (uint32_t)((s.n + s.width - 1) / s.width);
    struct shape matrices = shape_of(3, (int64_t[3]){s.batch, s.n, s.n});
    struct tensor places = {.type = s.type, .shape = shape_of(2, (int64_t[2]){s.batch, s.n})};
    struct value rest = build_reshape(b, build_convert(b, ins[0], s.type), &matrices);
    s.places = build_iota(b, &places, 1);
    for (uint32_t k = 0; k < steps; k++) {
        int64_t columns = s.n - k * s.width;
        rest = step(&s, k, rest, columns < s.width ? columns : s.width, columns);
    }
    struct value order = build_concatenate(b, s.order, steps, 1),
                 packed = rows_of_each(&s, build_concatenate(b, s.columns, steps, 2), order);
    for (uint32_t k = 0; k < steps; k++)
        s.upper[k] = upper_rows(&s, k, packed);
    struct value l = lower_where(b, OP_GREATER, packed, lower_eye(b, packed, s.n, s.n));
    struct value u = build_concatenate(b, s.upper, steps, 1);
    /* row i of A is row places[i] + n of L U */
    struct tensor wide = {.type = s.type, .shape = matrices};
    struct value row =
        build_broadcast(b, build_binary(b, OP_ADD, s.places, build_number(b, &places, (double)s.n)),
                        &matrices, (int64_t[2]){0, 1});
    struct value p = build_binary(b, OP_EQUAL, row, build_iota(b, &wide, 2));
    outs[0] = build_reshape(b, build_convert(b, p, to[0].type), &to[0].shape);
    outs[1] = build_reshape(b, build_convert(b, l, to[1].type), &to[1].shape);
    outs[2] = build_reshape(b, build_convert(b, u, to[2].type), &to[2].shape);
    return true;
}
