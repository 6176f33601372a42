/* LinAlg.Eigh, the block of that name: eigenvalues and eigenvectors of Hermitian matrices by
   Jacobi's rotations, of blocks. Nx's expansion turns pairs of rows and columns, with many small
   kernels a round; here

     B = A over its norm
     Z B Z* diagonal                            jacobi, some rows per workgroup, in rounds
     v = the rows of Z*, made orthonormal       what was rounded in many rounds
     w = v* A v                                 Rayleigh quotients
     sorted by |w|, descending

   and of large ones, of which few tiles fit where they are read again, and on CPUs,

     B = A + c I, positive definite
     v = rows that span those of B*, orthogonal  by rotations from one side

   A result that is not diagonal in the end, or that has no meaning since its input is not finite,
   is NaN. The expansion's options eps and max_iter are for what it does: values below eps are not
   made 0. A single matrix of a small order keeps the expansion where eps is not Nx's default: that
   is somebody's wish, and the program of one workgroup that it is can have it. */
#include <math.h>
#include <string.h>

#include "passes/lower.h"
#include "passes/lower_jacobi.h"
#include "passes/passes.h"
#include "target/limits.h"

/* Larger ones are turned from one side. */
enum { MOST_BOTH_SIDES = 512 };
/* In f32. From both sides matrices of 256 take at most 10.3: random ones 7.6, of values that go
   down to rounding evenly in their logarithm 10.3, of eigenvalues 1 and -1 alone 8; from one 9
   and 12. Of f64 jacobi_sweeps adds some to these. */
enum { SWEEPS = 12, SWEEPS_OF_F64 = 16, ONE_SIDED_SWEEPS = 13 };

/* Of each matrix: the smaller of two norms; 1 for zeros. */
static struct value norm_of(struct build *b, struct value x)
{
    int64_t last = 2, first = 1;
    struct value rows = build_reduce(b, OP_SUM, build_unary(b, OP_ABS, x), &last, 1);
    struct value one = build_reduce(b, OP_REDUCE_MAX, rows, &first, 1),
                 all = build_unary(b, OP_SQRT, jacobi_squares(b, x, 2));
    struct value norm = build_binary(b, OP_MIN, one, all),
                 some = build_binary(b, OP_GREATER, norm, lower_number(b, norm, 0));
    return build_select(b, some, norm, lower_number(b, norm, 1));
}

/* Rows of Z that makes x diagonal, orthonormal up to rounding; whether it does, by matrix. Of x
   that is not Hermitian, the half of x + x* that is. */
static struct value from_both_sides(const struct jacobi *j, struct value x, struct value *out_done)
{
    struct build *b = j->b;
    struct value turned = build_transpose(b, x, (int64_t[3]){0, 2, 1}), rest;
    if (type_is_complex(j->type) && build_ok(b, turned))
        turned = build_unary(b, OP_CONJUGATE, turned);
    struct value half = lower_number(b, x, 0.5);
    x = build_binary(b, OP_MULTIPLY, build_binary(b, OP_ADD, x, turned), half);
    struct value scaled = build_binary(b, OP_DIVIDE, x, jacobi_spread(b, norm_of(b, x), x)),
                 v = jacobi_diagonal_form(j, scaled, &rest);
    *out_done = jacobi_is_diagonal(j, rest);
    if (type_is_complex(j->type) && build_ok(b, v))
        v = build_unary(b, OP_CONJUGATE, v);
    return jacobi_orthonormal(b, v);
}

/* The same of x with as much on its diagonal as makes it positive definite. */
static struct value from_one_side(const struct jacobi *j, struct value x)
{
    struct build *b = j->b;
    struct value norm = norm_of(b, x),
                 shift = build_binary(b, OP_MULTIPLY, norm, lower_number(b, norm, 1.01));
    shift = jacobi_spread(b, shift, x);
    struct value zero = lower_number(b, shift, 0);
    x = build_binary(b, OP_ADD, x, build_select(b, jacobi_diagonal(b, x), shift, zero));
    x = build_transpose(b, x, (int64_t[3]){0, 2, 1});
    return jacobi_orthogonal(j, jacobi_turned_in_half(j, x, 0));
}

/* v* A v for each row v, where A y = conj(y* A*). */
static struct value quotients(struct build *b, struct value v, struct value a, bool is_complex)
{
    int64_t last = 2;
    struct value y = lower_times_adjoint(b, v, is_complex ? build_unary(b, OP_CONJUGATE, a) : a);
    struct value sum = build_reduce(
        b, OP_SUM,
        build_binary(b, OP_MULTIPLY, is_complex ? build_unary(b, OP_CONJUGATE, v) : v, y), &last,
        1);
    return is_complex ? build_unary(b, OP_REAL, sum) : sum;
}

bool lower_eigenvectors(struct build *b, struct value x, struct value *out_values,
                        struct value *out_vectors)
{
    const struct tensor t = *build_tensor(b, x);
    bool both = t.shape.dim[1] <= MOST_BOTH_SIDES && b->r->options->tuning->turns_blocks;
    int64_t usual = !both                           ? ONE_SIDED_SWEEPS
                    : type_part(t.type) == TYPE_F64 ? SWEEPS_OF_F64
                                                    : SWEEPS;
    struct jacobi j = {.b = b,
                       .type = t.type,
                       .real = type_part(t.type),
                       .batch = t.shape.dim[0],
                       .n = t.shape.dim[1],
                       .rows = t.shape.dim[1],
                       .length = t.shape.dim[1],
                       .sweeps = jacobi_sweeps(usual, type_part(t.type), t.shape.dim[1]),
                       .both = both};
    if (!jacobi_cut(&j))
        return false;
    struct value scale = jacobi_scale(b, x), done = BUILD_NONE;
    x = build_binary(b, OP_DIVIDE, x, jacobi_spread(b, scale, x));
    struct value v = both ? from_both_sides(&j, x, &done) : from_one_side(&j, x);
    v = jacobi_of_length_1(b, v);
    if (!both)
        done = jacobi_is_done(&j, v);
    struct value w = quotients(b, v, x, type_is_complex(t.type));
    w = build_binary(b, OP_MULTIPLY, w, jacobi_spread(b, scale, w));
    w = jacobi_select(b, done, w, lower_number(b, w, NAN));
    v = jacobi_select(b, done, v, lower_number(b, v, NAN));
    struct value order = jacobi_order(b, w);
    *out_values = jacobi_sorted(b, w, order);
    *out_vectors = jacobi_sorted(b, v, order);
    return true;
}

/* Whether somebody wants results up to a number of their own to be 0. */
static bool has_own_eps(const struct node *n)
{
    static const char *const usual[] = {"eps=0.0001;", "eps=1.0e-4;"}; /* as Elixir prints it */
    const char *options = attr_text(n, ATTR_options);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (!strncmp(options, usual[i], strlen(usual[i])))
            return false;
    return !strncmp(options, "eps=", 4);
}

/* A single matrix, which is a workgroup program of the expansion, that is better off as one;
   several would be done one by one. */
static bool keeps_expansion(const struct build *b, const struct node *n, int64_t order)
{
    enum { LARGE_ORDER = 16 };
    return order < b->r->options->tuning->eigh_order || (order < LARGE_ORDER && has_own_eps(n));
}

bool lower_eigh(struct build *b, const struct node *n, const struct value *ins, struct value *outs)
{
    const struct tensor from = *build_tensor(b, ins[0]), values = n->outs[0], vectors = n->outs[1];
    enum vkc_type type = build_sum_type(vectors.type);
    if (from.shape.rank < 2 || !shape_equal(&from.shape, &vectors.shape) ||
        !(type_is_float(type) || type_is_complex(type)))
        return false;
    int64_t order = from.shape.dim[from.shape.rank - 1], all = shape_size(&from.shape);
    if (order != from.shape.dim[from.shape.rank - 2] ||
        (all == order * order && keeps_expansion(b, n, order)) || order < 2 ||
        (b->in_region && all <= PROGRAM_ELEMENTS))
        return false;
    struct shape matrices = shape_of(3, (int64_t[3]){all / (order * order), order, order});
    struct build_mark mark = build_mark(b);
    struct value w, v;
    if (!lower_eigenvectors(b, build_reshape(b, build_convert(b, ins[0], type), &matrices), &w,
                            &v)) {
        build_undo(b, mark);
        return false;
    }
    v = build_transpose(b, v, (int64_t[3]){0, 2, 1});
    outs[0] = build_reshape(b, build_convert(b, w, values.type), &values.shape);
    outs[1] = build_reshape(b, build_convert(b, v, vectors.type), &vectors.shape);
    return true;
}
