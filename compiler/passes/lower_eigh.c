/* LinAlg.Eigh, the block of that name: eigenvalues and eigenvectors of Hermitian matrices by
   one-sided Jacobi. Nx's expansion turns the matrix from both sides, with many small kernels a
   round; here

     B = A / max|a| + c I, c >= its norm        no eigenvalue of B is negative
     the columns of B, made orthogonal          jacobi, some of them per workgroup, in rounds
     v = columns over their lengths             eigenvectors of B are those of A
     w = v* A v                                 Rayleigh quotients: lengths less c would lose digits
     sorted by |w|, descending

   B's columns turn towards orthogonality together with what they are a product of, so nothing else
   has to turn. Up to what fits, a workgroup has all columns, and finds most rotations on their
   products alone; after that these are computed anew. More columns are split in blocks, and each
   round of a tournament brings every block together with another one.

   Sweeps are a fixed number, as many as the worst matrices tried take. A result whose columns are
   not orthogonal after them, or that has no meaning since its input is not finite, is NaN. The
   expansion's options eps and max_iter are for what it does: values below eps are not made 0. */
#include <math.h>
#include <string.h>

#include "passes/lower.h"
#include "passes/passes.h"
#include "target/limits.h"

/* Smaller matrices are a workgroup program of the expansion. */
enum { LEAST_ORDER = 16, MOST_ROUNDS = 1024 };
/* Of blocks: random matrices take 9, graded ones 13. A workgroup that has all columns. */
enum { SWEEPS = 15, FIRST_SWEEPS = 12, FURTHER = 3, FURTHER_SWEEPS = 4 };

struct eigh {
    struct build *b;
    enum vkc_type type, real;
    int64_t batch, n;    /* matrices, and their order */
    int64_t width, most; /* vectors of a workgroup; all, with zeros behind the last */
    int64_t rounds;      /* of a sweep */
};

static struct shape cube(const struct eigh *e, int64_t rows)
{
    return shape_of(3, (int64_t[3]){e->batch, rows, e->n});
}

/* A number for each matrix, or for each row, as whole matrices. */
static struct value spread(const struct eigh *e, struct value x)
{
    struct shape to = cube(e, e->n);
    return build_broadcast(e->b, build_convert(e->b, x, e->type), &to, (int64_t[2]){0, 1});
}

static struct value number(const struct eigh *e, struct value like, double x)
{
    if (!build_ok(e->b, like))
        return BUILD_NONE;
    struct tensor t = *build_tensor(e->b, like);
    return build_number(e->b, &t, x);
}

static struct value sum_of_squares(const struct eigh *e, struct value x, uint32_t naxes)
{
    struct value size = build_unary(e->b, OP_ABS, x);
    return build_reduce(e->b, OP_SUM, build_binary(e->b, OP_MULTIPLY, size, size),
                        naxes == 2 ? (int64_t[2]){1, 2} : (int64_t[1]){2}, naxes);
}

/* Of each matrix, so that its greatest element becomes 1; 1 for zeros. */
static struct value scale_of(const struct eigh *e, struct value x)
{
    struct value most =
        build_reduce(e->b, OP_REDUCE_MAX, build_unary(e->b, OP_ABS, x), (int64_t[2]){1, 2}, 2);
    struct value some = build_binary(e->b, OP_GREATER, most, number(e, most, 0));
    return build_select(e->b, some, most, number(e, most, 1));
}

static struct value is_diagonal(const struct eigh *e)
{
    struct tensor t = {.type = TYPE_S32, .shape = cube(e, e->n)};
    return build_binary(e->b, OP_EQUAL, build_iota(e->b, &t, 1), build_iota(e->b, &t, 2));
}

/* x and as much on its diagonal as makes it positive definite. */
static struct value shifted(const struct eigh *e, struct value x)
{
    struct build *b = e->b;
    int64_t last = 2, first = 1;
    struct value rows = build_reduce(b, OP_SUM, build_unary(b, OP_ABS, x), &last, 1);
    struct value one = build_reduce(b, OP_REDUCE_MAX, rows, &first, 1),
                 all = build_unary(b, OP_SQRT, sum_of_squares(e, x, 2));
    struct value norm = build_binary(b, OP_MIN, one, all),
                 some = build_binary(b, OP_GREATER, norm, number(e, norm, 0));
    norm = build_select(b, some, norm, number(e, norm, 1));
    struct value shift = build_binary(b, OP_MULTIPLY, norm, number(e, norm, 1.01));
    shift = spread(e, shift);
    return build_binary(b, OP_ADD, x, build_select(b, is_diagonal(e), shift, number(e, shift, 0)));
}

/* Which vectors meet in a round: the first block stays where it is, the others move round. */
static struct value order_of(const struct eigh *e, int64_t round)
{
    int64_t half = e->width / 2, blocks = e->most / half;
    int32_t *order = ARENA_ARRAY(&e->b->r->scratch, int32_t, (size_t)e->most);
    if (!order) {
        build_fail_memory(e->b);
        return BUILD_NONE;
    }
    for (int64_t pair = 0; pair < blocks / 2; pair++) {
        int64_t p = pair == 0 ? blocks - 1 : (round + pair) % (blocks - 1),
                q = blocks == 2 ? 0 : (round + blocks - 1 - pair) % (blocks - 1);
        for (int64_t i = 0; i < half; i++) {
            order[pair * e->width + i] = (int32_t)(p * half + i);
            order[pair * e->width + half + i] = (int32_t)(q * half + i);
        }
    }
    struct tensor t = {.type = TYPE_S32, .shape = shape_of(1, &e->most)};
    return build_literal(e->b, &t, order);
}

static struct value turned(const struct eigh *e, struct value x, int64_t round, int64_t sweeps)
{
    struct value ins[2] = {x, order_of(e, round)};
    if (!build_ok(e->b, x) || !build_ok(e->b, ins[1]))
        return BUILD_NONE;
    struct tensor out = *build_tensor(e->b, x);
    struct attr attrs[3] = {{.key = ATTR_rows, .kind = 'i', .i = e->n},
                            {.key = ATTR_width, .kind = 'i', .i = e->width},
                            {.key = ATTR_sweeps, .kind = 'i', .i = sweeps}};
    struct node n = {.op = OP_JACOBI,
                     .nins = 2,
                     .nouts = 1,
                     .nattrs = 3,
                     .ins = ins,
                     .outs = &out,
                     .attrs = attrs};
    return build_node(e->b, &n);
}

/* The rows of x, orthogonal. */
static struct value orthogonal(const struct eigh *e, struct value x)
{
    struct build *b = e->b;
    int64_t zeros[3] = {0}, hi[3] = {0, e->most - e->n, 0}, ones[3] = {1, 1, 1},
            lengths[3] = {e->batch, e->n, e->n};
    struct tensor scalar = {.type = e->type};
    x = build_pad(b, x, build_number(b, &scalar, 0), zeros, hi, zeros);
    if (e->most == e->width) {
        x = turned(e, x, 0, FIRST_SWEEPS);
        for (int i = 0; i < FURTHER; i++)
            x = turned(e, x, 0, FURTHER_SWEEPS);
    } else
        for (int64_t i = 0; i < SWEEPS * e->rounds; i++)
            x = turned(e, x, i % e->rounds, 1);
    return build_slice(b, x, zeros, lengths, ones);
}

/* Whether the rows of v are orthogonal, matrix by matrix, to half of their digits. */
static struct value is_done(const struct eigh *e, struct value v)
{
    struct build *b = e->b;
    struct value products = lower_times_adjoint(b, v, v), eye = is_diagonal(e);
    eye = build_select(b, eye, number(e, products, 1), number(e, products, 0));
    struct value off = build_unary(b, OP_ABS, build_binary(b, OP_SUBTRACT, products, eye));
    off = build_reduce(b, OP_REDUCE_MAX, off, (int64_t[2]){1, 2}, 2);
    return build_binary(b, OP_LESS_EQUAL, off, number(e, off, e->real == TYPE_F64 ? 1e-8 : 3e-4));
}

/* v* A v for each row v, where A y = conj(y* A*). */
static struct value quotients(const struct eigh *e, struct value v, struct value a)
{
    struct build *b = e->b;
    int64_t last = 2;
    bool is_complex = type_is_complex(e->type);
    struct value y = lower_times_adjoint(b, v, is_complex ? build_unary(b, OP_CONJUGATE, a) : a);
    struct value sum = build_reduce(
        b, OP_SUM,
        build_binary(b, OP_MULTIPLY, is_complex ? build_unary(b, OP_CONJUGATE, v) : v, y), &last,
        1);
    return is_complex ? build_unary(b, OP_REAL, sum) : sum;
}

/* The places of the greatest, the second, ... of each matrix, among those of all. */
static struct value places(const struct eigh *e, struct value w)
{
    struct build *b = e->b;
    struct value size = build_unary(b, OP_ABS, w);
    if (!build_ok(b, size))
        return BUILD_NONE;
    struct tensor out = {.type = TYPE_S32, .shape = build_tensor(b, size)->shape};
    struct attr attrs[3] = {{.key = ATTR_axis, .kind = 'i', .i = 1},
                            {.key = ATTR_descending, .kind = 'b', .i = true},
                            {.key = ATTR_stable, .kind = 'b', .i = true}};
    struct node n = {.op = OP_ARGSORT,
                     .nins = 1,
                     .nouts = 1,
                     .nattrs = 3,
                     .ins = &size,
                     .outs = &out,
                     .attrs = attrs};
    struct value order = build_node(b, &n), matrix = build_iota(b, &out, 0);
    order = build_binary(b, OP_ADD, order,
                         build_binary(b, OP_MULTIPLY, matrix, number(e, matrix, (double)e->n)));
    int64_t all = e->batch * e->n;
    struct shape flat = shape_of(1, &all);
    return build_reshape(b, order, &flat);
}

/* w[places], v[places] in the shapes and types of the block's results. */
static void give(const struct eigh *e, struct value w, struct value v, const struct tensor *to,
                 struct value *outs)
{
    struct build *b = e->b;
    int64_t all = e->batch * e->n;
    struct shape values = shape_of(1, &all), vectors = shape_of(2, (int64_t[2]){all, e->n}),
                 matrices = cube(e, e->n);
    struct value order = places(e, w);
    w = build_gather(b, build_reshape(b, w, &values), order);
    v = build_gather(b, build_reshape(b, v, &vectors), order);
    v = build_transpose(b, build_reshape(b, v, &matrices), (int64_t[3]){0, 2, 1});
    outs[0] = build_reshape(b, build_convert(b, w, to[0].type), &to[0].shape);
    outs[1] = build_reshape(b, build_convert(b, v, to[1].type), &to[1].shape);
}

/* How the vectors are cut; false where they do not fit. */
static bool cut(struct eigh *e)
{
    const struct pass_options *o = e->b->r->options;
    uint32_t bytes = type_bytes(e->type), real_bytes = type_bytes(e->real);
    int64_t fits = jacobi_width(bytes, real_bytes, o->target->max_shared_bytes);
    int64_t full = JACOBI_LEAST;
    uint32_t group = o->tuning->group < o->target->max_invocations ? o->tuning->group
                                                                   : o->target->max_invocations;
    while (full < e->n && full < fits)
        full *= 2;
    e->width =
        e->n > full && e->n <= o->tuning->jacobi_wide && full > JACOBI_LEAST ? full / 2 : full;
    e->most = (e->n + e->width - 1) / e->width * e->width;
    e->rounds = 2 * e->most / e->width - 1;
    return fits && e->width * e->width >= group && SWEEPS * e->rounds <= MOST_ROUNDS &&
           jacobi_iterations(e->width, group, e->n, e->n, FIRST_SWEEPS) <
               o->tuning->loop_iterations;
}

bool lower_eigh(struct build *b, const struct node *n, const struct value *ins, struct value *outs)
{
    const struct tensor from = *build_tensor(b, ins[0]);
    const struct tensor to[2] = {n->outs[0], n->outs[1]};
    struct eigh e = {.b = b, .type = build_sum_type(to[1].type)};
    if (from.shape.rank < 2 || !shape_equal(&from.shape, &to[1].shape) ||
        !(type_is_float(to[1].type) || type_is_complex(to[1].type)))
        return false;
    e.real = type_part(e.type);
    e.n = from.shape.dim[from.shape.rank - 1];
    e.batch = shape_size(&from.shape) / (e.n * e.n);
    if (e.n != from.shape.dim[from.shape.rank - 2] || e.n < LEAST_ORDER || !cut(&e) ||
        (b->in_region && shape_size(&from.shape) <= PROGRAM_ELEMENTS))
        return false;
    struct shape matrices = cube(&e, e.n);
    struct value x = build_reshape(b, build_convert(b, ins[0], e.type), &matrices);
    struct value scale = scale_of(&e, x);
    x = build_binary(b, OP_DIVIDE, x, spread(&e, scale));
    struct value v = orthogonal(&e, build_transpose(b, shifted(&e, x), (int64_t[3]){0, 2, 1}));
    struct value length = build_unary(b, OP_SQRT, sum_of_squares(&e, v, 1));
    v = build_binary(b, OP_DIVIDE, v, spread(&e, length));
    struct value w = quotients(&e, v, x), done = is_done(&e, v);
    if (!build_ok(b, w) || !build_ok(b, done))
        return true;
    struct shape values = build_tensor(b, w)->shape;
    int64_t first = 0;
    w = build_binary(b, OP_MULTIPLY, w, build_broadcast(b, scale, &values, &first));
    w = build_select(b, build_broadcast(b, done, &values, &first), w, number(&e, w, NAN));
    v = build_select(b, build_broadcast(b, done, &matrices, &first), v, number(&e, v, NAN));
    give(&e, w, v, to, outs);
    return true;
}
