/* LinAlg.QR, the block of that name: A [m, n] = Q R. Nx's expansion multiplies the whole
   matrix and a square Q by a reflection for each column. Here, for each `width` columns of those
   that are left, x = [c, r],

     H, R = the reflections of c       lower_reflect.c
     H* r                              whose first rows are done: they are right of R

   Q is made from the last H to the first, of the columns of I that are not zeros by then; or along
   with R where it is square, as what H* ... make of [A, I]: the adjoint of Q. That is twice the
   work, but not one step after the other.

   Steps are written out, so their number is limited. Each leaves fewer rows and columns, and has
   kernels of its own sizes; but where there would be too many, rows and columns that are done are
   replaced by zeros at the end, and go away `apart` at a time: steps between are the same kernels.
   Where a workgroup has no whole columns, rows never go.

   The diagonal of R is not negative but for columns that are triangular already, as in the
   expansion; which takes for those what is below 1e-5, however small the matrix is, and makes 0 of
   what is below `eps` in the results: here that is not done. Matrices are divided by a power of two
   near their greatest element, so that no square overflows. Few small real matrices keep the
   expansion. Narrow floats are factored in f32 and rounded once.

   Of complex matrices the diagonal of R is -phase norm, as in the expansion; but a column of zeros
   gives zeros, and wide matrices have factors, too, where the expansion has NaN. */
#include "passes/lower.h"
#include "passes/lower_reflect.h"
#include "passes/passes.h"
#include "target/limits.h"

enum {
    MOST_STEPS = 64,        /* with sizes of their own */
    MOST_LOOPS = 4,         /* the same of complex matrices, whose steps are several kernels each */
    MOST_LONG_STEPS = 4096, /* with the same ones */
    APART = 256,            /* columns, then */
    MOST_OF_A_PROGRAM = 16  /* columns: the expansion of so few is one workgroup program */
};

struct qr {
    struct build *b;
    enum vkc_type type;
    int64_t batch, m, n, k; /* k columns are reflected */
    struct reflect_cut cut;
    bool in_groups; /* no workgroup has whole columns */
    int64_t apart;  /* columns that are done go away together: 0: those of each step */
    int64_t extra;  /* rows and columns of zeros that there always are then */
    int64_t rows;   /* of what is reflected at first: m, or with zeros behind */
    uint32_t steps;
    const struct reflection **h;
    /* of R, and of the adjoint of Q, with one for the rows behind */
    struct value *r_rows, *q_rows;
};

static int64_t done_before(const struct qr *s, uint32_t step)
{
    return step * s->cut.width;
}

static int64_t size_of(const struct qr *s, uint32_t step)
{
    int64_t left = s->k - done_before(s, step);
    return left < s->cut.width ? left : s->cut.width;
}

/* Columns that have gone away before a step, and are no zeros in it. */
static int64_t gone_before(const struct qr *s, uint32_t step)
{
    int64_t done = done_before(s, step);
    return s->apart ? done - done % s->apart : done;
}

/* Of what a step works on, the zeros at the end included. */
static int64_t rows_left(const struct qr *s, uint32_t step)
{
    return s->in_groups ? s->rows : s->rows - gone_before(s, step);
}

/* Rows and columns of x up to the last that may not be zeros, and zeros behind: x of a step. */
static struct value with_zeros(const struct qr *s, struct value x, int64_t rows, int64_t columns)
{
    if (!build_ok(s->b, x))
        return x;
    const struct shape from = build_tensor(s->b, x)->shape;
    int64_t some[2] = {rows - s->extra, columns - s->extra};
    for (int i = 0; i < 2; i++)
        if (from.dim[1 + i] < some[i])
            some[i] = from.dim[1 + i];
    return lower_padded(s->b, lower_part(s->b, x, 0, 0, some[0], some[1]), rows, columns);
}

/* One step on x [batch, rows, columns], all that are there; gives what is there in the next. */
static struct value step(struct qr *s, uint32_t at, struct value x, int64_t rows, int64_t columns)
{
    struct build *b = s->b;
    int64_t done = done_before(s, at), size = size_of(s, at), of_r = s->n - done - size,
            here = s->apart ? 0 : size, /* with the panel's own columns, kernels are the same */
        more = columns - size;
    struct value triangle =
        reflect_columns(b, &s->cut, lower_part(b, x, 0, 0, rows, size), &s->h[at]);
    struct value parts[3] = {lower_filled(b, x, size, done, 0), triangle};
    if (more > 0) {
        x = reflected(b, s->h[at], lower_part(b, x, 0, here, rows, columns - here), true);
        parts[2] = lower_part(b, x, 0, size - here, size, of_r);
        s->q_rows[at] = lower_part(b, x, 0, size - here + of_r, size, more - of_r);
    }
    uint32_t first = done == 0, end = of_r > 0 ? 3 : 2;
    for (uint32_t i = first; i < end; i++)
        if (!build_ok(b, parts[i]))
            return BUILD_NONE;
    s->r_rows[at] = build_concatenate(b, parts + first, end - first, 2);
    if (more == 0 || rows == size)
        return x;
    x = lower_part(b, x, size, size - here, rows - size, columns - size);
    return s->apart && at + 1 < s->steps
               ? with_zeros(s, x, rows_left(s, at + 1), s->n + s->extra - gone_before(s, at + 1))
               : x;
}

/* Q [batch, rows, wanted], from the last reflections to the first. */
static struct value backwards(const struct qr *s, int64_t wanted)
{
    struct build *b = s->b;
    struct value like = s->r_rows[0], q = BUILD_NONE;
    if (wanted > s->k)
        q = lower_eye(b, like, s->rows, wanted - s->k);
    for (uint32_t at = s->steps; at-- > 0 && !b->failed;) {
        int64_t size = size_of(s, at), done = done_before(s, at), first = gone_before(s, at),
                rows = rows_left(s, at), columns = wanted - first,
                old = wanted - (at + 1 < s->steps ? gone_before(s, at + 1) : s->k),
                of_q = at + 1 < s->steps ? rows_left(s, at + 1) : s->rows;
        struct value x[2] = {lower_eye(b, like, size, wanted - done),
                             lower_filled(b, like, rows - size, columns - old, 0)};
        if (done > first)
            x[0] = lower_beside(b, lower_filled(b, like, size, done - first, 0), x[0]);
        if (old > 0) {
            q = lower_part(b, q, 0, 0, of_q < rows - size ? of_q : rows - size, old);
            q = lower_padded(b, q, rows - size, old);
            x[1] = columns > old ? lower_beside(b, x[1], q) : q;
        }
        if (!build_ok(b, x[0]) || !build_ok(b, x[1]))
            return BUILD_NONE;
        if (columns == size)
            q = lower_eye(b, like, rows, size);
        else
            q = rows > size ? build_concatenate(b, x, 2, 1) : x[0];
        q = reflected(b, s->h[at], q, false);
    }
    return q;
}

/* The greatest power of two that is not above any matrix's greatest element, for each: 1 where
   that is 0. Neither it nor its inverse is subnormal. [batch, 1, 1] */
static struct value power_of_two(struct build *b, struct value x)
{
    if (!build_ok(b, x))
        return x;
    enum vkc_type type = type_part(build_tensor(b, x)->type);
    bool is_wide = type == TYPE_F64;
    enum vkc_type bits = is_wide ? TYPE_U64 : TYPE_U32;
    struct shape one = shape_of(3, (int64_t[3]){build_tensor(b, x)->shape.dim[0], 1, 1});
    struct value most =
        build_reduce(b, OP_REDUCE_MAX, build_unary(b, OP_ABS, x), (int64_t[2]){1, 2}, 2);
    if (!build_ok(b, most))
        return BUILD_NONE;
    struct tensor t = *build_tensor(b, most);
    most = build_binary(b, OP_MIN, most, build_number(b, &t, is_wide ? 0x1p1022 : 0x1p126));
    struct value small = build_binary(b, OP_LESS, most,
                                      build_number(b, &t, is_wide ? 0x1p-1022 : 0x1p-126)),
                 word = build_bitcast(b, most, bits);
    word = build_binary(b, OP_BITWISE_AND, word,
                        build_splat_like(b, word, is_wide ? 0x7ff0000000000000u : 0x7f800000u));
    struct value power = build_bitcast(b, word, type);
    return build_reshape(b, build_select(b, small, build_number(b, &t, 1), power), &one);
}

static struct value for_each(struct build *b, struct value number_of, struct value like)
{
    if (!build_ok(b, number_of) || !build_ok(b, like))
        return BUILD_NONE;
    struct shape to = build_tensor(b, like)->shape, flat = shape_of(1, to.dim);
    number_of = build_convert(b, number_of, build_tensor(b, like)->type);
    return build_broadcast(b, build_reshape(b, number_of, &flat), &to, (int64_t[1]){0});
}

/* x divided by a power of two: exact of parts, which a division of complex numbers is not. */
static struct value scaled_down(struct build *b, struct value x, struct value power)
{
    if (!build_ok(b, x) || !build_ok(b, power))
        return BUILD_NONE;
    if (!type_is_complex(build_tensor(b, x)->type))
        return build_binary(b, OP_DIVIDE, x, for_each(b, power, x));
    struct value one = lower_number(b, power, 1);
    return build_binary(b, OP_MULTIPLY, x, for_each(b, build_binary(b, OP_DIVIDE, one, power), x));
}

/* Panels of fewer sizes than steps, where a size costs something. */
static void share_sizes(struct qr *s, int64_t steps)
{
    const struct pass_options *o = s->b->r->options;
    int64_t sizes = o->tuning->panel_sizes, width = s->cut.width;
    if (steps <= 2 * sizes)
        return;
    struct reflect_cut more = reflect_cut(o->target, s->type, s->batch, s->m + width, s->k);
    if (more.width != width || more.chunk != s->m + width)
        return;
    s->cut = more;
    s->extra = width;
    s->apart = (steps + sizes - 1) / sizes * width;
}

/* How x [batch, m, n] is cut; false if it cannot be. */
static bool cut(struct qr *s, const struct shape *x)
{
    s->batch = x->dim[0];
    s->m = x->dim[1];
    s->n = x->dim[2];
    s->k = s->m < s->n ? s->m : s->n;
    s->cut = reflect_cut(s->b->r->options->target, s->type, s->batch, s->m, s->k);
    if (s->cut.width == 0)
        return false;
    int64_t steps = (s->k + s->cut.width - 1) / s->cut.width;
    s->in_groups = s->cut.chunk < s->m;
    if (s->in_groups || steps > (type_is_complex(s->type) ? MOST_LOOPS : MOST_STEPS))
        s->apart = APART;
    else
        share_sizes(s, steps);
    s->rows = reflect_rows(&s->cut, s->m + s->extra);
    s->steps = (uint32_t)steps;
    return steps <= MOST_LONG_STEPS;
}

static bool allocate(struct qr *s)
{
    struct arena *a = &s->b->r->scratch;
    s->h = ARENA_ARRAY(a, const struct reflection *, s->steps);
    s->r_rows = ARENA_ARRAY(a, struct value, s->steps + 1);
    s->q_rows = ARENA_ARRAY(a, struct value, s->steps + 1);
    if (s->h && s->r_rows && s->q_rows)
        return true;
    build_fail_memory(s->b);
    return false;
}

bool lower_qr_factors(struct build *b, struct value x, int64_t wanted, struct value *q,
                      struct value *r)
{
    const struct tensor t = *build_tensor(b, x);
    struct qr s = {.b = b, .type = t.type};
    *q = *r = BUILD_NONE;
    if (!cut(&s, &t.shape))
        return false;
    if (!allocate(&s))
        return true;
    bool is_along = wanted == s.m && !s.apart;
    int64_t columns = s.n + s.extra + (is_along ? s.m : 0);
    if (is_along)
        x = lower_beside(b, x, lower_eye(b, x, s.m, s.m));
    x = with_zeros(&s, x, s.rows, columns);
    for (uint32_t at = 0; at < s.steps; at++)
        x = step(&s, at, x, rows_left(&s, at), columns - gone_before(&s, at));
    if (s.m > s.k && is_along)
        s.q_rows[s.steps] = lower_part(b, x, 0, 0, s.m - s.k, s.m);
    if (b->failed)
        return true;
    *q = is_along ? lower_adjoint(b, build_concatenate(b, s.q_rows, s.steps + (s.m > s.k), 1))
                  : lower_part(b, backwards(&s, wanted), 0, 0, s.m, wanted);
    *r = build_concatenate(b, s.r_rows, s.steps, 1);
    return true;
}

bool lower_qr(struct build *b, const struct node *n, const struct value *ins, struct value *outs)
{
    const struct tensor from = *build_tensor(b, ins[0]);
    const struct tensor to[2] = {n->outs[0], n->outs[1]};
    uint32_t rank = from.shape.rank;
    enum vkc_type type = build_sum_type(to[0].type);
    int64_t all = shape_size(&from.shape);
    if (rank < 2 || type_is_int(type) || to[0].type != to[1].type || to[0].shape.rank != rank ||
        to[1].shape.rank != rank || all == 0)
        return false;
    int64_t rows = from.shape.dim[rank - 2], columns = from.shape.dim[rank - 1],
            k = rows < columns ? rows : columns, wanted = to[0].shape.dim[rank - 1],
            r_rows = to[1].shape.dim[rank - 2];
    if ((wanted != rows && wanted != k) ||
        (all <= PROGRAM_ELEMENTS && (b->in_region || k <= MOST_OF_A_PROGRAM) &&
         !type_is_complex(type)))
        return false;
    struct build_mark mark = build_mark(b);
    struct shape matrices = shape_of(3, (int64_t[3]){all / (rows * columns), rows, columns});
    struct value q, r, x = build_reshape(b, build_convert(b, ins[0], type), &matrices),
                       power = power_of_two(b, x);
    x = scaled_down(b, x, power);
    if (build_ok(b, x) && !lower_qr_factors(b, x, wanted, &q, &r)) {
        build_undo(b, mark);
        return false;
    }
    if (b->failed) {
        outs[0] = outs[1] = BUILD_NONE;
        return true;
    }
    if (r_rows > k)
        r = build_concatenate(b, (struct value[2]){r, lower_filled(b, r, r_rows - k, columns, 0)},
                              2, 1);
    r = build_binary(b, OP_MULTIPLY, r, for_each(b, power, r));
    outs[0] = build_reshape(b, build_convert(b, q, to[0].type), &to[0].shape);
    outs[1] = build_reshape(b, build_convert(b, r, to[1].type), &to[1].shape);
    return true;
}
