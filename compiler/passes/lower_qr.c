/* LinAlg.QR, the block of that name, of real matrices A [m, n]. Nx's expansion multiplies the whole
   matrix and a square Q by a reflection for each column. Here, for each `width` columns of those
   that are left, x = [c, r], of rows that are,

     v, t, R = panel_qr c      reflections whose product is H = I - v t v^T; a workgroup a matrix
     r - v (t^T (v^T r))       three products: H^T r, whose first rows are done

   Q is made along with it where it is square, as what H^T ... make of [A, I]: the transpose of Q.
   Where A is tall and Q as narrow, it is made from the last H to the first, of the columns of I
   that are not zeros by then. Steps are written out, so their number is limited.

   The diagonal of R is not negative but for columns that are triangular already, as in the
   expansion; which takes for those what is below 1e-5, however small the matrix is, and makes 0 of
   what is below `eps` in the results: here that is not done. Matrices are divided by a power of two
   near their greatest element, so that no square overflows. Few small matrices and complex ones
   keep the expansion. Narrow floats are factored in f32 and rounded once. */
#include "passes/lower.h"
#include "passes/passes.h"
#include "target/limits.h"

enum {
    MOST_STEPS = 64,       /* that are written out: three products each, with sizes of their own */
    MOST_OF_A_PROGRAM = 16 /* columns: the expansion of so few is one workgroup program */
};

struct qr {
    struct build *b;
    enum vkc_type type;
    int64_t batch, m, n, k; /* k columns are reflected */
    int64_t width;
    uint32_t steps;
    struct value v[MOST_STEPS], t[MOST_STEPS]; /* [batch, m - done, size] and its T */
    /* of R, and of the transpose of Q, with one for the rows behind */
    struct value r_rows[MOST_STEPS + 1], q_rows[MOST_STEPS + 1];
};

static struct tensor tensor_of(const struct qr *s, int64_t rows, int64_t columns)
{
    return (struct tensor){.type = s->type,
                           .shape = shape_of(3, (int64_t[3]){s->batch, rows, columns})};
}

/* x - v t' (v^T x), with T or its transpose. */
static struct value reflected(const struct qr *s, struct value v, struct value t, struct value x)
{
    struct build *b = s->b;
    struct value w = lower_times(b, t, lower_times(b, lower_transposed(b, v), x));
    return build_binary(b, OP_SUBTRACT, x, lower_times(b, v, w));
}

static int64_t done_before(const struct qr *s, uint32_t step)
{
    return step * s->width;
}

static int64_t size_of(const struct qr *s, uint32_t step)
{
    int64_t left = s->k - done_before(s, step);
    return left < s->width ? left : s->width;
}

/* One step on what is left, x [batch, m - done, columns]; gives what is left then. */
static struct value step(struct qr *s, uint32_t at, struct value x, int64_t columns)
{
    struct build *b = s->b;
    int64_t done = done_before(s, at), size = size_of(s, at), rows = s->m - done,
            more = columns - size, of_r = s->n - done - size;
    struct value c = lower_part(b, x, 0, 0, rows, size);
    struct tensor out = tensor_of(s, rows + size, size);
    struct node n = {.op = OP_PANEL_QR, .nins = 1, .nouts = 1, .ins = &c, .outs = &out};
    if (!build_ok(b, c))
        return BUILD_NONE;
    struct value p = build_node(b, &n), packed = lower_part(b, p, 0, 0, rows, size);
    s->v[at] = lower_where(b, OP_GREATER, packed, lower_eye(b, packed, rows, size));
    s->t[at] = lower_part(b, p, rows, 0, size, size);
    struct value parts[3] = {lower_filled(b, packed, size, done, 0),
                             lower_where(b, OP_LESS_EQUAL, lower_part(b, packed, 0, 0, size, size),
                                         lower_filled(b, packed, size, size, 0))};
    if (more > 0) {
        x = reflected(s, s->v[at], lower_transposed(b, s->t[at]),
                      lower_part(b, x, 0, size, rows, more));
        parts[2] = lower_part(b, x, 0, 0, size, of_r);
        s->q_rows[at] = lower_part(b, x, 0, of_r, size, more - of_r);
        if (rows > size)
            x = lower_part(b, x, size, 0, rows - size, more);
    }
    uint32_t first = done == 0, end = of_r > 0 ? 3 : 2;
    s->r_rows[at] = build_concatenate(b, parts + first, end - first, 2);
    return x;
}

/* Q [batch, m, k], from the last reflections to the first. */
static struct value backwards(const struct qr *s)
{
    struct build *b = s->b;
    struct value q = BUILD_NONE;
    for (uint32_t at = s->steps; at-- > 0;) {
        int64_t size = size_of(s, at), rows = s->m - done_before(s, at),
                columns = s->k - done_before(s, at);
        struct value v = s->v[at], x = lower_eye(b, v, rows, columns);
        if (at + 1 < s->steps) {
            struct value left[2] = {lower_eye(b, v, size, size),
                                    lower_filled(b, v, rows - size, size, 0)};
            struct value right[2] = {lower_filled(b, v, size, columns - size, 0), q};
            x = lower_beside(b, build_concatenate(b, left, 2, 1),
                             build_concatenate(b, right, 2, 1));
        }
        q = reflected(s, v, s->t[at], x);
    }
    return q;
}

/* The greatest power of two that is not above any matrix's greatest element, for each: 1 where
   that is 0. Neither it nor its inverse is subnormal. [batch, 1, 1] */
static struct value power_of_two(const struct qr *s, struct value x)
{
    struct build *b = s->b;
    bool is_wide = s->type == TYPE_F64;
    enum vkc_type bits = is_wide ? TYPE_U64 : TYPE_U32;
    struct shape one = shape_of(3, (int64_t[3]){s->batch, 1, 1});
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
    struct value power = build_bitcast(b, word, s->type);
    return build_reshape(b, build_select(b, small, build_number(b, &t, 1), power), &one);
}

static struct value for_each(const struct qr *s, struct value number_of, struct value like)
{
    if (!build_ok(s->b, number_of) || !build_ok(s->b, like))
        return BUILD_NONE;
    struct shape to = build_tensor(s->b, like)->shape, flat = shape_of(1, &s->batch);
    return build_broadcast(s->b, build_reshape(s->b, number_of, &flat), &to, (int64_t[1]){0});
}

static bool cut(struct qr *s, const struct tensor *from, bool in_region, const struct vkc_target *t)
{
    uint32_t rank = from->shape.rank;
    int64_t all = shape_size(&from->shape);
    s->m = from->shape.dim[rank - 2];
    s->n = from->shape.dim[rank - 1];
    s->k = s->m < s->n ? s->m : s->n;
    s->batch = all / (s->m * s->n);
    s->width = qr_width(s->m, s->k, type_bytes(s->type), t->max_invocations, t->max_shared_bytes);
    if (s->width == 0 || (s->k + s->width - 1) / s->width > MOST_STEPS)
        return false;
    s->steps = (uint32_t)((s->k + s->width - 1) / s->width);
    return all > PROGRAM_ELEMENTS || (!in_region && s->k > MOST_OF_A_PROGRAM);
}

bool lower_qr(struct build *b, const struct node *n, const struct value *ins, struct value *outs)
{
    const struct tensor from = *build_tensor(b, ins[0]);
    const struct tensor to[2] = {n->outs[0], n->outs[1]};
    uint32_t rank = from.shape.rank;
    struct qr s = {.b = b, .type = build_sum_type(to[0].type)};
    if (rank < 2 || !type_is_float(s.type) || to[0].type != to[1].type ||
        to[0].shape.rank != rank || to[1].shape.rank != rank || shape_size(&from.shape) == 0 ||
        !cut(&s, &from, b->in_region, b->r->options->target))
        return false;
    int64_t q_columns = to[0].shape.dim[rank - 1], r_rows = to[1].shape.dim[rank - 2];
    bool is_square = q_columns == s.m;
    if (!is_square && q_columns != s.k)
        return false;
    struct shape matrices = shape_of(3, (int64_t[3]){s.batch, s.m, s.n});
    struct value x = build_reshape(b, build_convert(b, ins[0], s.type), &matrices),
                 power = power_of_two(&s, x);
    x = build_binary(b, OP_DIVIDE, x, for_each(&s, power, x));
    if (is_square)
        x = lower_beside(b, x, lower_eye(b, x, s.m, s.m));
    for (uint32_t at = 0; at < s.steps; at++)
        x = step(&s, at, x, s.n - done_before(&s, at) + (is_square ? s.m : 0));
    uint32_t parts = s.steps;
    if (s.m > s.k && is_square)
        s.q_rows[parts] = lower_part(b, x, 0, 0, s.m - s.k, s.m);
    struct value q =
        is_square ? lower_transposed(b, build_concatenate(b, s.q_rows, parts + (s.m > s.k), 1))
                  : backwards(&s);
    if (r_rows > s.k)
        s.r_rows[parts++] = lower_filled(b, x, r_rows - s.k, s.n, 0);
    struct value r = build_concatenate(b, s.r_rows, parts, 1);
    r = build_binary(b, OP_MULTIPLY, r, for_each(&s, power, r));
    outs[0] = build_reshape(b, build_convert(b, q, to[0].type), &to[0].shape);
    outs[1] = build_reshape(b, build_convert(b, r, to[1].type), &to[1].shape);
    return true;
}
