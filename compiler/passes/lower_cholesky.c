/* LinAlg.Cholesky, the block of that name. Its expansion fills the factor element by element in two
   nested loops. Here it is

     n <= b:  panel_cholesky                        a workgroup per matrix
     else, for each b columns of the rest, a = [d, *; c, r]:
              l, x = panel_cholesky d               with the inverse x of l; a workgroup per matrix
              c x*                                  a product: the columns of the factor below l
              r - (c x*) (c x*)*                    a product: the new rest

   or, where the workgroups of a panel that has the rows below it, too, run at once,

              l, x = panel_cholesky [d; c]          x of x l* = c, by substitution
              r - x x*

   where b is what fits a workgroup. Multiplying by the inverse of a block of that size is as
   exact as substitution: both stay far below the bound (see DECISIONS.md). Steps are written
   out, each with kernels of its own sizes. So a matrix of more than MOST_STEPS of them is cut,
   a = [d, *; c, r] with d of a power of two of columns, in halves that have the same kernels:

              l = the factor of d, x = c l*^-1      triangular_solve
              the factor of r - x x*

   Small matrices in loops keep the expansion, which is a phase
   of a workgroup program. Narrow floats are factored in f32 and rounded once. */
#include "passes/lower.h"
#include "passes/passes.h"
#include "target/limits.h"

/* Steps that are written out: two products each, with sizes of their own. */
enum { MOST_STEPS = 32 };
/* Times MOST_STEPS panels: beyond this a matrix takes more memory than any device has. */
enum { MOST_PARTS = 64 };

/* What the expansion takes for zero, an f32 whatever the type; see Nx.LinAlg.cholesky. */
static const float zero_below = 1e-10f;

static struct value panel(struct build *b, struct value x, bool inverse)
{
    if (!build_ok(b, x))
        return x;
    struct tensor out = *build_tensor(b, x);
    out.shape = shape_of(
        4, (int64_t[4]){out.shape.dim[0], inverse ? 2 : 1, out.shape.dim[1], out.shape.dim[2]});
    struct attr attr = {.key = ATTR_inverse, .kind = 'b', .i = inverse};
    struct node n = {.op = OP_PANEL_CHOLESKY,
                     .nins = 1,
                     .nouts = 1,
                     .nattrs = 1,
                     .ins = &x,
                     .outs = &out,
                     .attrs = &attr};
    return build_node(b, &n);
}

/* Part p of what panel gives. */
static struct value part_of(struct build *b, struct value x, int64_t p)
{
    if (!build_ok(b, x))
        return x;
    const struct shape s = build_tensor(b, x)->shape;
    int64_t starts[4] = {0, p, 0, 0}, ones[4] = {1, 1, 1, 1},
            lengths[4] = {s.dim[0], 1, s.dim[2], s.dim[3]};
    struct shape matrices = shape_of(3, (int64_t[3]){s.dim[0], s.dim[2], s.dim[3]});
    return build_reshape(b, build_slice(b, x, starts, lengths, ones), &matrices);
}

/* `above` rows of zeros, and then x. */
static struct value below(struct build *b, struct value x, int64_t above)
{
    if (!build_ok(b, x))
        return x;
    int64_t zeros[3] = {0}, lo[3] = {0, above, 0};
    struct tensor scalar = {.type = build_tensor(b, x)->type};
    return build_pad(b, x, build_number(b, &scalar, 0), lo, zeros, zeros);
}

/* Whether the workgroups of a panel that solve the rows below it, too, run at once. */
static bool has_below(struct build *b, struct value x, int64_t rest, int64_t width)
{
    const struct pass_options *o = b->r->options;
    const struct tensor *t = build_tensor(b, x);
    int64_t below = panel_below(width, type_bytes(t->type), o->target->max_shared_bytes);
    return o->tuning->panel_below && below > 0 &&
           t->shape.dim[0] * ((rest + below - 1) / below) <= o->tuning->units;
}

/* The columns of the factor that a panel of x gives; of them those below the panel. */
static struct value column_of(struct build *b, struct value x, int64_t size, int64_t rest,
                              struct value *out_under)
{
    *out_under = BUILD_NONE;
    if (!build_ok(b, x))
        return x;
    if (rest == 0 || has_below(b, x, rest, size)) {
        struct value all =
            part_of(b, panel(b, lower_part(b, x, 0, 0, size + rest, size), false), 0);
        if (rest > 0)
            *out_under = lower_part(b, all, size, 0, rest, size);
        return all;
    }
    struct value both = panel(b, lower_part(b, x, 0, 0, size, size), true),
                 inverse = part_of(b, both, 1), under = lower_part(b, x, size, 0, rest, size);
    under = *out_under = lower_times_adjoint(b, under, inverse);
    return build_concatenate(b, (struct value[2]){part_of(b, both, 0), under}, 2, 1);
}

/* x of x l* = c. */
static struct value divided(struct build *b, struct value c, struct value l)
{
    if (build_ok(b, l) && type_is_complex(build_tensor(b, l)->type))
        l = build_unary(b, OP_CONJUGATE, l);
    return lower_solved(b, l, c, false, true);
}

/* Recursive, by halves. */
static struct value cholesky(struct build *b, struct value x, int64_t order, int64_t width);

static struct value cut(struct build *b, struct value x, int64_t order, int64_t width)
{
    int64_t size = MOST_STEPS * width;
    while (2 * size < order)
        size *= 2;
    int64_t rest = order - size;
    struct value l = cholesky(b, lower_part(b, x, 0, 0, size, size), size, width),
                 under = divided(b, lower_part(b, x, size, 0, rest, size), l);
    struct value explained = lower_times_adjoint(b, under, under);
    x = build_binary(b, OP_SUBTRACT, lower_part(b, x, size, size, rest, rest), explained);
    struct value left[2] = {l, under},
                 right[2] = {lower_filled(b, l, size, rest, 0), cholesky(b, x, rest, width)};
    for (int i = 0; i < 2; i++)
        if (!build_ok(b, left[i]) || !build_ok(b, right[i]))
            return BUILD_NONE;
    struct value to_the_right = build_concatenate(b, right, 2, 1);
    return lower_beside(b, build_concatenate(b, left, 2, 1), to_the_right);
}

static struct value cholesky(struct build *b, struct value x, int64_t order, int64_t width)
{
    struct value columns[MOST_STEPS];
    uint32_t count = 0;
    if (order <= width)
        return part_of(b, panel(b, x, false), 0);
    if (order > MOST_STEPS * width)
        return cut(b, x, order, width);
    for (int64_t done = 0; done < order && build_ok(b, x); done += width) {
        int64_t left = order - done, size = left < width ? left : width, rest = left - size;
        struct value under, column = column_of(b, x, size, rest, &under);
        if (rest > 0) {
            struct value explained = lower_times_adjoint(b, under, under);
            x = build_binary(b, OP_SUBTRACT, lower_part(b, x, size, size, rest, rest), explained);
        }
        columns[count++] = below(b, column, done);
    }
    return build_ok(b, x) ? build_concatenate(b, columns, count, 2) : x;
}

/* Elements that are as good as zero become it, as in the expansion. */
static struct value approximate_zeros(struct build *b, struct value x)
{
    if (!build_ok(b, x))
        return x;
    struct value size = build_unary(b, OP_ABS, x);
    if (!build_ok(b, size))
        return size;
    struct tensor real = *build_tensor(b, size), whole = *build_tensor(b, x);
    struct value is_zero = build_binary(b, OP_LESS_EQUAL, size, build_number(b, &real, zero_below));
    return build_select(b, is_zero, build_number(b, &whole, 0), x);
}

bool lower_cholesky(struct build *b, const struct node *n, const struct value *ins,
                    struct value *outs)
{
    const struct tensor from = *build_tensor(b, ins[0]), to = n->outs[0];
    if (from.shape.rank < 2 || !shape_equal(&from.shape, &to.shape) ||
        !(type_is_float(to.type) || type_is_complex(to.type)))
        return false;
    enum vkc_type type = build_sum_type(to.type);
    int64_t order = from.shape.dim[from.shape.rank - 1], all = shape_size(&from.shape);
    int64_t width = panel_order(type_bytes(type), b->r->options->target->max_shared_bytes);
    if (order != from.shape.dim[from.shape.rank - 2] || order > MOST_PARTS * MOST_STEPS * width ||
        (b->in_region && all <= PROGRAM_ELEMENTS))
        return false;
    struct shape matrices = shape_of(3, (int64_t[3]){all / (order * order), order, order});
    struct value x = build_reshape(b, build_convert(b, ins[0], type), &matrices);
    x = approximate_zeros(b, cholesky(b, x, order, width));
    outs[0] = build_reshape(b, build_convert(b, x, to.type), &to.shape);
    return true;
}
