/* LinAlg.SVD, the block of that name: singular values and vectors of real matrices by one-sided
   Jacobi. Nx's expansion is an iteration of QR and Cholesky factors, loops in a loop, and eigh;
   here, for A = U S V* of m rows and n <= m columns (else the transposed one)

     X = [A; I] / max|a|                        vectors are columns, and what was done to them below
     its columns, made orthogonal in A's rows   jacobi: A V = U S above, V below
     s = lengths of A V's columns, sorted
     U = those columns over their lengths

   A column whose length is rounding (below n eps of the greatest) has no direction. Such columns of
   U, and those that full matrices have beyond n, are any that complete a basis: of the first c rows
   and columns of I - U U*, c columns wanted, at least as many eigenvalues are 1 as columns are
   missing, since that many unit vectors of the first c coordinates are orthogonal to the others.
   Their eigenvectors, with zeros below, are taken.

   A result whose columns are not orthogonal in the end, or whose input is not finite, is NaN. */
#include <float.h>
#include <math.h>

#include "passes/lower.h"
#include "passes/lower_jacobi.h"
#include "target/limits.h"

/* Smaller matrices are a workgroup program of the expansion. */
enum { LEAST_COLUMNS = 16 };
/* Random matrices take 9 to 14, ill-conditioned ones of 256 up to 19. */
enum { SWEEPS = 20 };

struct svd {
    struct jacobi j;
    int64_t rows, columns, wanted; /* m, n, and columns of U */
    struct value left, right, values;
    struct value good; /* whether a value is more than rounding, u8 [batch, n] */
    struct value done; /* u8 [batch] */
};

static struct shape cube(const struct svd *s, int64_t rows, int64_t columns)
{
    return shape_of(3, (int64_t[3]){s->j.batch, rows, columns});
}

/* Of rows x, elements `first` to first + count. */
static struct value elements(const struct svd *s, struct value x, int64_t first, int64_t count)
{
    if (!build_ok(s->j.b, x))
        return x;
    int64_t starts[3] = {0, 0, first}, ones[3] = {1, 1, 1},
            lengths[3] = {s->j.batch, build_tensor(s->j.b, x)->shape.dim[1], count};
    return build_slice(s->j.b, x, starts, lengths, ones);
}

/* The columns of [A; I] as rows. */
static struct value stacked(const struct svd *s, struct value a)
{
    struct build *b = s->j.b;
    struct tensor t = {.type = s->j.type, .shape = cube(s, s->columns, s->columns)};
    struct value one = build_number(b, &t, 1), zero = build_number(b, &t, 0);
    struct value eye = build_select(b, jacobi_diagonal(b, zero), one, zero);
    return build_concatenate(
        b, (struct value[2]){build_transpose(b, a, (int64_t[3]){0, 2, 1}), eye}, 2, 2);
}

/* s, U and V of the columns that have directions; rows of `left` without one are 0. */
static void decompose(struct svd *s, struct value a)
{
    struct build *b = s->j.b;
    bool wide = s->j.real == TYPE_F64;
    struct value scale = jacobi_scale(b, a);
    struct value x = jacobi_orthogonal(
        &s->j, stacked(s, build_binary(b, OP_DIVIDE, a, jacobi_spread(b, scale, a))));
    struct value left = elements(s, x, 0, s->rows), right = elements(s, x, s->rows, s->columns);
    struct value length = build_unary(b, OP_SQRT, jacobi_squares(b, left, 1));
    struct value order = jacobi_order(b, length);
    left = jacobi_sorted(b, left, order);
    s->right = jacobi_sorted(b, right, order);
    length = jacobi_sorted(b, length, order);
    int64_t along = 1;
    struct value most = build_reduce(b, OP_REDUCE_MAX, length, &along, 1);
    struct value least = build_binary(
        b, OP_MULTIPLY, most,
        jacobi_number(b, most, (double)s->columns * (wide ? DBL_EPSILON : FLT_EPSILON)));
    s->good = build_binary(b, OP_GREATER, length, jacobi_spread(b, least, length));
    struct value unit = build_select(b, s->good, length, jacobi_number(b, length, 1));
    left = build_binary(b, OP_DIVIDE, left, jacobi_spread(b, unit, left));
    s->left = jacobi_select(b, s->good, left, jacobi_number(b, left, 0));
    struct value greatest =
        build_reduce(b, OP_REDUCE_MAX, build_unary(b, OP_ABS, a), (int64_t[2]){1, 2}, 2);
    struct value finite = build_binary(b, OP_LESS_EQUAL, greatest,
                                       jacobi_number(b, greatest, wide ? DBL_MAX : FLT_MAX));
    s->done = build_binary(b, OP_LOGICAL_AND, jacobi_is_done(&s->j, s->left), finite);
    s->values = build_binary(b, OP_MULTIPLY, length, jacobi_spread(b, scale, length));
}

/* Rows x less their parts along the rows of `left`: eigenvectors of 1 are mixed with those of
   values close to it, and so with columns of U that hardly reach into the first coordinates. */
static struct value less(const struct svd *s, struct value x, struct value left)
{
    struct build *b = s->j.b;
    struct value along = lower_times_adjoint(b, x, left),
                 columns = build_transpose(b, left, (int64_t[3]){0, 2, 1});
    return build_binary(b, OP_SUBTRACT, x, lower_times_adjoint(b, along, columns));
}

/* U's columns as rows, all that are wanted. False where that takes too much. */
static bool complete(struct svd *s)
{
    struct build *b = s->j.b;
    int64_t c = s->wanted, along = 1, zeros[3] = {0}, more[3] = {0, c - s->columns, 0},
            below[3] = {0, 0, s->rows - c};
    struct value columns = build_transpose(b, elements(s, s->left, 0, c), (int64_t[3]){0, 2, 1});
    struct value projected = lower_times_adjoint(b, columns, columns);
    struct value eye = build_select(b, jacobi_diagonal(b, projected),
                                    jacobi_number(b, projected, 1), jacobi_number(b, projected, 0));
    struct value values, basis, rest = build_binary(b, OP_SUBTRACT, eye, projected);
    if (!build_ok(b, rest) || !lower_eigenvectors(b, rest, &values, &basis))
        return b->failed;
    struct value count = build_reduce(b, OP_SUM, build_convert(b, s->good, TYPE_S32), &along, 1);
    struct tensor t = {.type = TYPE_S32, .shape = shape_of(2, (int64_t[2]){s->j.batch, c})};
    struct value row = build_iota(b, &t, 1), matrix = build_iota(b, &t, 0);
    struct value missing = build_binary(b, OP_SUBTRACT, row, jacobi_spread(b, count, row));
    struct value is_missing =
        build_binary(b, OP_GREATER_EQUAL, missing, jacobi_number(b, missing, 0));
    struct value place =
        build_binary(b, OP_ADD, build_binary(b, OP_MAX, missing, jacobi_number(b, missing, 0)),
                     build_binary(b, OP_MULTIPLY, matrix, jacobi_number(b, matrix, (double)c)));
    int64_t all = s->j.batch * c;
    struct shape flat = shape_of(1, &all);
    struct tensor scalar = {.type = s->j.type};
    struct value zero = build_number(b, &scalar, 0);
    basis = build_pad(b, jacobi_sorted(b, basis, build_reshape(b, place, &flat)), zero, zeros,
                      below, zeros);
    struct value left = build_pad(b, s->left, zero, zeros, more, zeros);
    s->left = jacobi_select(b, is_missing, less(s, basis, left), left);
    return true;
}

static struct value given(const struct svd *s, struct value rows, bool as_columns,
                          const struct tensor *to)
{
    struct build *b = s->j.b;
    rows = jacobi_select(b, s->done, rows, jacobi_number(b, rows, NAN));
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
                          .rows = s.rows,
                          .length = s.rows + s.columns,
                          .sweeps = SWEEPS};
    if (s.columns < LEAST_COLUMNS || s.wanted < s.columns || s.wanted > s.rows ||
        (b->in_region && all <= PROGRAM_ELEMENTS) || !jacobi_cut(&s.j))
        return false;
    struct build_mark mark = build_mark(b);
    struct shape matrices = shape_of(3, (int64_t[3]){s.j.batch, m, columns});
    struct value a = build_reshape(b, build_convert(b, ins[0], type), &matrices);
    decompose(&s, tall ? a : build_transpose(b, a, (int64_t[3]){0, 2, 1}));
    if (!complete(&s)) {
        build_undo(b, mark);
        return false;
    }
    outs[0] = given(&s, tall ? s.left : s.right, true, &to[0]);
    outs[1] = given(&s, s.values, false, &to[1]);
    outs[2] = given(&s, tall ? s.right : s.left, false, &to[2]);
    return true;
}
