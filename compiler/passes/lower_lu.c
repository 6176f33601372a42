/* LinAlg.LU, the block of that name, of real matrices: P, L, U with A = P L U. Nx's expansion
   eliminates column by column, with the whole matrix in each round of a loop. Here columns are cut
   in halves until a workgroup has one, `width` columns with all rows: panel_lu, which searches for
   pivots. For halves [x, y] of columns,

     x's columns are eliminated       with p, the rows that are its pivots
     u = l^-1 y[p]                    a product with the inverse of x's pivot rows' triangle, while
                                      that is small, then block by block
     y - x u is eliminated            a product first: in rows that are no pivots yet

   Rows never move, and every panel has all of them: a row has a place, less the columns that are
   done, and below 0 it is settled. So panels are one kernel, and so are the products of a size; the
   sizes are few. Long columns leave room for few of them in registers. So a matrix whose panels
   are narrow is cut once by rows, too: when half of the columns are done, the rest is a matrix of
   half as many rows, which are put in the order of their places.

   Ties go to the row that would stand first if rows had moved, and a column of zeros is left as it
   is, both as in the expansion. That is kept for few small matrices. Narrow floats are factored in
   f32 and rounded once. A panel of complex matrices is a loop: lower_columns.c. */
#include "passes/lower.h"
#include "passes/passes.h"
#include "target/limits.h"

enum {
    LEAST_ORDER = 16, /* the expansion of smaller ones is one workgroup program, with its readers */
    MOST_PANELS = 8192, /* that are written out */
    INVERTED = 256      /* columns whose pivot rows' triangle is inverted whole */
};

/* Columns that are eliminated. */
struct part {
    int64_t columns;
    struct value x;       /* [batch, rows, columns]: rows where they were */
    struct value order;   /* [batch, columns]: which rows are the pivots, s32 */
    struct value inverse; /* [batch, columns, columns]; BUILD_NONE above INVERTED: then halves */
    struct value upper;   /* the pivot rows right of their panels' columns, zeros elsewhere */
    struct value across;  /* the pivot rows of the right half in columns of the left one */
    struct part *left, *right;
};

/* A matrix that is factored. */
struct factored {
    struct value packed; /* [batch, n, n]: L below the diagonal, and U */
    struct value order;  /* [batch, n]: which row of the matrix is row i of that, s32 */
};

struct lu {
    struct build *b;
    enum vkc_type type;
    int64_t batch, rows, width;
    struct value places; /* [batch, rows], s32 of complex matrices, else of their type */
    struct value last;   /* the last panel, which has the places in its last column */
};

/* What a panel of so many columns gives. */
static struct tensor panel_tensor(const struct lu *s, int64_t columns)
{
    return (struct tensor){.type = s->type,
                           .shape =
                               shape_of(3, (int64_t[3]){s->batch, s->rows + columns, columns + 1})};
}

static struct value panel(const struct lu *s, struct value columns, int64_t size)
{
    struct value ins[2] = {columns, s->last};
    struct tensor out = panel_tensor(s, size);
    struct node n = {.op = OP_PANEL_LU, .nins = 2, .nouts = 1, .ins = ins, .outs = &out};
    return build_ok(s->b, columns) && build_ok(s->b, s->last) ? build_node(s->b, &n) : BUILD_NONE;
}

/* The places that a panel of so many columns leaves. */
static struct value places_of(const struct lu *s, struct value p, int64_t columns)
{
    struct shape places = shape_of(2, (int64_t[2]){s->batch, s->rows});
    return build_reshape(s->b, lower_part(s->b, p, 0, columns, s->rows, 1), &places);
}

/* Rows `which` [batch, count] of x [batch, rows, columns]. */
static struct value rows_of_each(const struct lu *s, struct value x, struct value which)
{
    struct build *b = s->b;
    if (!build_ok(b, x) || !build_ok(b, which))
        return BUILD_NONE;
    struct tensor index = *build_tensor(b, which);
    int64_t rows = build_tensor(b, x)->shape.dim[1], columns = build_tensor(b, x)->shape.dim[2],
            count = shape_size(&index.shape);
    struct value each = build_number(b, &index, (double)rows),
                 first = build_binary(b, OP_MULTIPLY, build_iota(b, &index, 0), each);
    struct shape flat = shape_of(1, &count),
                 all = shape_of(2, (int64_t[2]){s->batch * rows, columns}),
                 to = shape_of(3, (int64_t[3]){s->batch, index.shape.dim[1], columns});
    which = build_reshape(b, build_binary(b, OP_ADD, which, first), &flat);
    return build_reshape(b, build_gather(b, build_reshape(b, x, &all), which), &to);
}

/* So many of the numbers from `first` on, of each matrix. */
static struct value some_of(const struct lu *s, struct value numbers, int64_t first, int64_t count)
{
    int64_t starts[2] = {0, first}, lengths[2] = {s->batch, count}, ones[2] = {1, 1};
    return build_ok(s->b, numbers) ? build_slice(s->b, numbers, starts, lengths, ones) : BUILD_NONE;
}

/* Of numbers [batch, some], those at `which` [batch, count]. */
static struct value numbers_of_each(const struct lu *s, struct value numbers, struct value which)
{
    struct build *b = s->b;
    if (!build_ok(b, numbers) || !build_ok(b, which))
        return BUILD_NONE;
    struct shape to = build_tensor(b, which)->shape,
                 column =
                     shape_of(3, (int64_t[3]){s->batch, build_tensor(b, numbers)->shape.dim[1], 1});
    return build_reshape(b, rows_of_each(s, build_reshape(b, numbers, &column), which), &to);
}

/* The same as of a panel_lu, of which the inverse is a triangular system. */
static void eliminate_columns(struct lu *s, struct value x, struct part *out)
{
    struct build *b = s->b;
    int64_t size = out->columns;
    out->x = lower_lu_columns(b, x, &s->places, &out->order);
    struct value pivots = rows_of_each(s, out->x, out->order),
                 eye = lower_eye(b, pivots, size, size);
    out->inverse = lower_solved(b, lower_where(b, OP_GREATER, pivots, eye), eye, true, true);
    out->upper = lower_filled(b, pivots, size, size, 0);
}

static void eliminate_panel(struct lu *s, struct value x, struct part *out)
{
    struct build *b = s->b;
    int64_t size = out->columns;
    if (type_is_complex(s->type)) {
        eliminate_columns(s, x, out);
        return;
    }
    struct value p = panel(s, x, size);
    struct shape order = shape_of(2, (int64_t[2]){s->batch, size});
    out->x = lower_part(b, p, 0, 0, s->rows, size);
    s->last = p;
    s->places = places_of(s, p, size);
    out->order = build_convert(
        b, build_reshape(b, lower_part(b, p, s->rows, size, size, 1), &order), TYPE_S32);
    out->inverse = lower_part(b, p, s->rows, 0, size, size);
    out->upper = lower_filled(b, p, size, size, 0);
}

/* x with zeros in settled rows. */
static struct value unsettled(const struct lu *s, struct value x)
{
    struct build *b = s->b;
    if (!build_ok(b, x) || !build_ok(b, s->places))
        return BUILD_NONE;
    struct tensor places = *build_tensor(b, s->places), t = *build_tensor(b, x);
    struct value is_left =
        build_binary(b, OP_GREATER_EQUAL, s->places, build_number(b, &places, 0));
    struct value zero = build_number(b, &t, 0);
    is_left = build_broadcast(b, is_left, &t.shape, (int64_t[2]){0, 1});
    return build_select(b, is_left, x, zero);
}

static struct value square_of(const struct lu *s, struct value top_left, struct value top_right,
                              struct value bottom_left, struct value bottom_right)
{
    struct build *b = s->b;
    struct value left[2] = {top_left, bottom_left}, right[2] = {top_right, bottom_right};
    for (int i = 0; i < 2; i++)
        if (!build_ok(b, left[i]) || !build_ok(b, right[i]))
            return BUILD_NONE;
    struct value to_the_right = build_concatenate(b, right, 2, 1);
    return lower_beside(b, build_concatenate(b, left, 2, 1), to_the_right);
}

/* What is above the pivots of the part in columns y, of which these are the pivot rows. */
static struct value above(const struct lu *s, const struct part *p, struct value y, int64_t columns)
{
    struct build *b = s->b;
    if (p->inverse.node != BUILD_NONE.node)
        return lower_times(b, p->inverse, y);
    int64_t first = p->left->columns, rest = p->right->columns;
    struct value top = above(s, p->left, lower_part(b, y, 0, 0, first, columns), columns);
    struct value explained = lower_times(b, p->across, top);
    y = build_binary(b, OP_SUBTRACT, lower_part(b, y, first, 0, rest, columns), explained);
    struct value both[2] = {top, above(s, p->right, y, columns)};
    return build_ok(b, both[0]) && build_ok(b, both[1]) ? build_concatenate(b, both, 2, 1)
                                                        : BUILD_NONE;
}

/* Recursive, by halves. Of columns x [batch, rows, columns]. */
static struct part *eliminate(struct lu *s, struct value x, int64_t columns)
{
    struct build *b = s->b;
    struct part *out = ARENA_NEW(&b->r->scratch, struct part);
    if (!out) {
        build_fail_memory(b);
        return NULL;
    }
    *out = (struct part){.columns = columns, .inverse = BUILD_NONE};
    if (columns <= s->width) {
        eliminate_panel(s, x, out);
        return out;
    }
    int64_t first = s->width;
    while (2 * first < columns)
        first *= 2;
    int64_t rest = columns - first;
    struct part *left = eliminate(s, lower_part(b, x, 0, 0, s->rows, first), first);
    if (!left)
        return NULL;
    struct value y = lower_part(b, x, 0, first, s->rows, rest),
                 u = above(s, left, rows_of_each(s, y, left->order), rest);
    y = build_binary(b, OP_SUBTRACT, y, lower_times(b, unsettled(s, left->x), u));
    struct part *right = eliminate(s, y, rest);
    if (!right || !build_ok(b, left->x) || !build_ok(b, right->x))
        return NULL;
    out->left = left;
    out->right = right;
    out->x = lower_beside(b, left->x, right->x);
    out->order = build_concatenate(b, (struct value[2]){left->order, right->order}, 2, 1);
    out->across = rows_of_each(s, left->x, right->order);
    struct value zero = lower_filled(b, out->across, rest, first, 0);
    out->upper = square_of(s, left->upper, u, zero, right->upper);
    if (columns <= INVERTED) {
        struct value under = lower_times(b, out->across, left->inverse);
        under = build_unary(b, OP_NEGATE, lower_times(b, right->inverse, under));
        zero = lower_filled(b, out->across, first, rest, 0);
        out->inverse = square_of(s, left->inverse, zero, under, right->inverse);
    }
    return out;
}

static int64_t width_of(const struct lu *s, int64_t rows)
{
    return type_is_complex(s->type)
               ? LOWER_COLUMNS
               : lu_width(rows, type_bytes(s->type), s->b->r->options->target->max_invocations);
}

/* Columns of a matrix of so many rows that are eliminated before the rest of its rows are a matrix
   of their own. */
static int64_t columns_at_once(const struct lu *s, int64_t rows)
{
    int64_t width = width_of(s, rows), first = width;
    if (width == 0 || width == width_of(s, (rows + 1) / 2))
        return rows;
    while (2 * first <= rows / 2)
        first *= 2;
    return first;
}

/* Recursive, by halves of rows. */
static struct factored factor(const struct lu *s, struct value a, int64_t n)
{
    struct build *b = s->b;
    const struct factored none = {BUILD_NONE, BUILD_NONE};
    int64_t first = columns_at_once(s, n), rest = n - first;
    struct lu half = {.b = b, .type = s->type, .batch = s->batch, .rows = n};
    struct tensor order = {.type = TYPE_S32, .shape = shape_of(2, (int64_t[2]){s->batch, n})};
    half.width = width_of(s, n);
    if (type_is_complex(s->type)) {
        half.places = build_iota(b, &order, 1);
    } else {
        /* as if a panel came before the first: then the first is as the others */
        int64_t columns = half.width < first ? half.width : first;
        struct tensor before = panel_tensor(&half, columns);
        half.last = build_iota(b, &before, 1);
        half.places = places_of(&half, half.last, columns);
    }
    struct part *p = eliminate(&half, lower_part(b, a, 0, 0, n, first), first);
    if (!p || !build_ok(b, p->x))
        return none;
    /* of panels, what is right of them is not in x but zeros */
    struct value packed = build_binary(b, OP_ADD, rows_of_each(s, p->x, p->order), p->upper);
    if (rest == 0)
        return (struct factored){packed, p->order};
    /* settled rows have the lowest places */
    struct value left = some_of(s, lower_argsort(b, half.places, false), first, rest),
                 right = lower_part(b, a, 0, first, n, rest);
    struct value u = above(&half, p, rows_of_each(s, right, p->order), rest);
    struct value explained = lower_times(b, rows_of_each(s, p->x, left), u);
    right = build_binary(b, OP_SUBTRACT, rows_of_each(s, right, left), explained);
    struct factored below = factor(s, right, rest);
    struct value rows = numbers_of_each(s, left, below.order);
    if (!build_ok(b, rows) || !build_ok(b, packed))
        return none;
    return (struct factored){square_of(s, packed, u, rows_of_each(s, p->x, rows), below.packed),
                             build_concatenate(b, (struct value[2]){p->order, rows}, 2, 1)};
}

/* Panels that are written out for a matrix of n rows. */
static int64_t panels_of(const struct lu *s, int64_t n)
{
    int64_t count = 0;
    while (n > 0) {
        int64_t width = width_of(s, n), first = columns_at_once(s, n);
        if (width == 0)
            return INT64_MAX;
        count += (first + width - 1) / width;
        n -= first;
    }
    return count;
}

bool lower_lu(struct build *b, const struct node *n, const struct value *ins, struct value *outs)
{
    const struct tensor from = *build_tensor(b, ins[0]);
    const struct tensor to[3] = {n->outs[0], n->outs[1], n->outs[2]};
    uint32_t rank = from.shape.rank;
    struct lu s = {.b = b, .type = build_sum_type(to[1].type)};
    if (rank < 2 || from.shape.dim[rank - 1] != from.shape.dim[rank - 2] || type_is_int(s.type) ||
        to[1].type != to[2].type)
        return false;
    for (int i = 0; i < 3; i++)
        if (!shape_equal(&to[i].shape, &from.shape))
            return false;
    int64_t all = shape_size(&from.shape), order = from.shape.dim[rank - 1];
    s.batch = all / (order * order);
    if (panels_of(&s, order) > MOST_PANELS ||
        (all <= PROGRAM_ELEMENTS && (b->in_region || order < LEAST_ORDER)))
        return false;
    struct shape matrices = shape_of(3, (int64_t[3]){s.batch, order, order});
    struct tensor wide = {.type = TYPE_S32, .shape = matrices};
    struct factored f =
        factor(&s, build_reshape(b, build_convert(b, ins[0], s.type), &matrices), order);
    for (int i = 0; i < 3; i++)
        outs[i] = BUILD_NONE;
    if (!build_ok(b, f.packed) || !build_ok(b, f.order))
        return true;
    struct value l = lower_where(b, OP_GREATER, f.packed, lower_eye(b, f.packed, order, order)),
                 u = lower_where(b, OP_LESS_EQUAL, f.packed,
                                 lower_filled(b, f.packed, order, order, 0));
    /* row j of L U is row order[j] of A */
    struct value row = build_broadcast(b, f.order, &matrices, (int64_t[2]){0, 2}),
                 p = build_binary(b, OP_EQUAL, row, build_iota(b, &wide, 1));
    outs[0] = build_reshape(b, build_convert(b, p, to[0].type), &to[0].shape);
    outs[1] = build_reshape(b, build_convert(b, l, to[1].type), &to[1].shape);
    outs[2] = build_reshape(b, build_convert(b, u, to[2].type), &to[2].shape);
    return true;
}
