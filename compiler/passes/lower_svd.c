/* LinAlg.SVD, the block of that name: singular values and vectors of real matrices by one-sided
   Jacobi. Nx's expansion is an iteration of QR and Cholesky factors, loops in a loop, and eigh;
   here, for A of m rows and n <= m columns (else the transposed one)

     A / max|a| = Q R                           of the columns that U is to have
     the rows of R, made orthogonal             jacobi, with J what is done to them: J* R = S V*
     s = lengths of those rows, sorted
     V = the rows over their lengths, U = Q J   since A = Q J S V*

   R is closer to a diagonal than A, so it takes fewer sweeps. A row whose length is rounding (below
   n eps of the greatest) has no direction. Such columns of V are those of the Q of V, which is V
   but there: a column of zeros is not reflected, and gets what is orthogonal to all others.

   On GPUs a kernel does all of it for matrices of few rows: singular.

   A result whose columns are not orthogonal in the end, or whose input is not finite, is NaN. */
#include <float.h>
#include <math.h>

#include "passes/lower.h"
#include "passes/lower_jacobi.h"
#include "passes/passes.h"
#include "target/limits.h"

/* A single matrix of fewer is a workgroup program of the expansion, where no kernel has all of it:
   of 3 x 3 an H100 takes 131 us for it, 133 for these kernels. Several would be done one by one. */
enum { LEAST_COLUMNS = 4 };
/* In f32. Matrices of 256 take at most 11: random, ill-conditioned, Hilbert's, with clusters,
   Kahan's. */
enum { SWEEPS = 13 };

struct svd {
    struct jacobi j;
    int64_t rows, columns, wanted; /* m, n, and columns of U */
    struct value left, right, values;
    struct value good; /* whether a value is more than rounding, u8 [batch, n] */
    struct value done; /* u8 [batch] */
};

/* Of rows x, elements `first` to first + count. */
static struct value elements(const struct svd *s, struct value x, int64_t first, int64_t count)
{
    return build_ok(s->j.b, x)
               ? lower_part(s->j.b, x, 0, first, build_tensor(s->j.b, x)->shape.dim[1], count)
               : x;
}

/* s and V of r, as rows, those without a direction 0; and what was done to the rows of r. */
static struct value turn(struct svd *s, struct value r, struct value scale)
{
    struct build *b = s->j.b;
    bool wide = s->j.real == TYPE_F64;
    int64_t along = 1;
    struct value x = lower_beside(b, r, lower_eye(b, r, s->columns, s->columns));
    x = jacobi_orthogonal(&s->j, jacobi_turned_in_half(&s->j, x, s->columns));
    struct value right = elements(s, x, 0, s->columns),
                 turns = elements(s, x, s->columns, s->columns);
    /* thousands of rotations round: rows of J* are not quite orthonormal, and those of J* R as much
       longer or shorter */
    struct value one = build_unary(b, OP_SQRT, jacobi_squares(b, turns, 1));
    turns = build_binary(b, OP_DIVIDE, turns, jacobi_spread(b, one, turns));
    right = build_binary(b, OP_DIVIDE, right, jacobi_spread(b, one, right));
    turns = jacobi_orthonormal(b, turns);
    struct value length = build_unary(b, OP_SQRT, jacobi_squares(b, right, 1));
    struct value order = jacobi_order(b, length);
    right = jacobi_sorted(b, right, order);
    length = jacobi_sorted(b, length, order);
    struct value most = build_reduce(b, OP_REDUCE_MAX, length, &along, 1);
    struct value least = build_binary(
        b, OP_MULTIPLY, most,
        lower_number(b, most, (double)s->columns * (wide ? DBL_EPSILON : FLT_EPSILON)));
    s->good = build_binary(b, OP_GREATER, length, jacobi_spread(b, least, length));
    struct value unit = build_select(b, s->good, length, lower_number(b, length, 1));
    right = build_binary(b, OP_DIVIDE, right, jacobi_spread(b, unit, right));
    s->right = jacobi_select(b, s->good, right, lower_number(b, right, 0));
    s->done = jacobi_is_done(&s->j, s->right);
    s->values = build_binary(b, OP_MULTIPLY, length, jacobi_spread(b, scale, length));
    return jacobi_sorted(b, turns, order);
}

/* V's rows, all of them. */
static bool complete(struct svd *s)
{
    struct build *b = s->j.b;
    struct value q, r, columns = lower_transposed(b, s->right);
    if (build_ok(b, columns) && !lower_qr_factors(b, columns, s->columns, &q, &r))
        return false;
    if (!b->failed)
        s->right = jacobi_select(b, s->good, s->right, lower_transposed(b, q));
    return true;
}

/* Of a kernel that has all of a matrix: sweeps, at most, as LAPACK's dgesvj has them. */
enum { MOST_SWEEPS = 30 };

static bool is_small(const struct svd *s)
{
    const struct pass_options *o = s->j.b->r->options;
    return s->rows <= o->tuning->svd_rows &&
           singular_threads(s->rows, s->columns) <= o->target->max_invocations &&
           singular_bytes(s->rows, s->columns, s->wanted, type_bytes(s->j.type)) +
                   4 * SINGULAR_WORDS <=
               o->target->max_shared_bytes;
}

/* What decompose gives, by one kernel. */
static void decompose_small(struct svd *s, struct value x, struct value scale)
{
    struct build *b = s->j.b;
    int64_t m = s->rows, n = s->columns;
    if (!build_ok(b, x))
        return;
    struct tensor out = *build_tensor(b, x);
    out.shape = shape_of(3, (int64_t[3]){s->j.batch, s->wanted, m + n + 1});
    struct attr attrs[2] = {{.key = ATTR_full, .kind = 'b', .i = s->wanted != n},
                            {.key = ATTR_sweeps, .kind = 'i', .i = MOST_SWEEPS}};
    struct node node = {.op = OP_SINGULAR,
                        .nins = 1,
                        .nouts = 1,
                        .nattrs = 2,
                        .ins = &x,
                        .outs = &out,
                        .attrs = attrs};
    struct value all = build_node(b, &node), values = lower_part(b, all, 0, m + n, n, 1),
                 first = lower_part(b, all, 0, m + n, 1, 1);
    struct shape by_matrix = shape_of(1, &s->j.batch),
                 by_value = shape_of(2, (int64_t[2]){s->j.batch, n});
    s->left = lower_part(b, all, 0, 0, s->wanted, m);
    s->right = lower_part(b, all, 0, m, n, n);
    s->values = build_reshape(b, values, &by_value);
    s->values = build_binary(b, OP_MULTIPLY, s->values, jacobi_spread(b, scale, s->values));
    first = build_reshape(b, first, &by_matrix);
    s->done = build_binary(b, OP_GREATER_EQUAL, first, lower_number(b, first, 0));
}

/* By QR and rounds of rotations. False where that does not fit. */
static bool decompose_large(struct svd *s, struct value x, struct value scale)
{
    struct build *b = s->j.b;
    struct value q, r;
    if (build_ok(b, x) && !lower_qr_factors(b, x, s->wanted, &q, &r))
        return false;
    if (b->failed)
        return true;
    struct value turns = turn(s, r, scale), rows = lower_transposed(b, q);
    s->left = lower_times(b, turns, lower_part(b, rows, 0, 0, s->columns, s->rows));
    if (s->wanted > s->columns && build_ok(b, s->left)) {
        int64_t more = s->wanted - s->columns;
        struct value all[2] = {s->left, lower_part(b, rows, s->columns, 0, more, s->rows)};
        s->left = build_concatenate(b, all, 2, 1);
    }
    return complete(s);
}

/* U, s and V of a [batch, m, n], as rows. False where that does not fit. */
static bool decompose(struct svd *s, struct value a)
{
    struct build *b = s->j.b;
    bool wide = s->j.real == TYPE_F64;
    struct value scale = jacobi_scale(b, a),
                 x = build_binary(b, OP_DIVIDE, a, jacobi_spread(b, scale, a));
    if (is_small(s))
        decompose_small(s, x, scale);
    else if (!decompose_large(s, x, scale))
        return false;
    struct value greatest =
        build_reduce(b, OP_REDUCE_MAX, build_unary(b, OP_ABS, a), (int64_t[2]){1, 2}, 2);
    struct value finite = build_binary(b, OP_LESS_EQUAL, greatest,
                                       lower_number(b, greatest, wide ? DBL_MAX : FLT_MAX));
    s->done = build_binary(b, OP_LOGICAL_AND, s->done, finite);
    return true;
}

static struct value given(const struct svd *s, struct value rows, bool as_columns,
                          const struct tensor *to)
{
    struct build *b = s->j.b;
    rows = jacobi_select(b, s->done, rows, lower_number(b, rows, NAN));
    if (as_columns)
        rows = build_transpose(b, rows, (int64_t[3]){0, 2, 1});
    return build_reshape(b, build_convert(b, rows, to->type), &to->shape);
}

bool lower_svd(struct build *b, const struct node *n, const struct value *ins, struct value *outs)
{
    const struct tensor from = *build_tensor(b, ins[0]);
    const struct tensor to[3] = {n->outs[0], n->outs[1], n->outs[2]};
    enum vkc_type type = build_sum_type(to[1].type);
    uint32_t rank = from.shape.rank;
    if (rank < 2 || to[0].shape.rank != rank || to[2].shape.rank != rank || !type_is_float(type))
        return false;
    int64_t m = from.shape.dim[rank - 2], columns = from.shape.dim[rank - 1],
            all = shape_size(&from.shape);
    bool tall = m >= columns;
    struct svd s = {.rows = tall ? m : columns,
                    .columns = tall ? columns : m,
                    .wanted = tall ? to[0].shape.dim[rank - 1] : to[2].shape.dim[rank - 2]};
    s.j = (struct jacobi){.b = b,
                          .type = type,
                          .real = type,
                          .batch = all / (m * columns),
                          .n = s.columns,
                          .rows = s.columns,
                          .length = 2 * s.columns,
                          .sweeps = jacobi_sweeps(SWEEPS, type, s.columns)};
    bool few = s.columns < LEAST_COLUMNS && s.j.batch == 1 && !is_small(&s);
    if (few || s.columns < 2 || (s.wanted != s.columns && s.wanted != s.rows) ||
        (b->in_region && all <= PROGRAM_ELEMENTS) || !jacobi_cut(&s.j))
        return false;
    struct build_mark mark = build_mark(b);
    struct shape matrices = shape_of(3, (int64_t[3]){s.j.batch, m, columns});
    struct value a = build_reshape(b, build_convert(b, ins[0], type), &matrices);
    if (!decompose(&s, tall ? a : lower_transposed(b, a))) {
        build_undo(b, mark);
        return false;
    }
    outs[0] = given(&s, tall ? s.left : s.right, true, &to[0]);
    outs[1] = given(&s, s.values, false, &to[1]);
    outs[2] = given(&s, tall ? s.right : s.left, false, &to[2]);
    return true;
}
