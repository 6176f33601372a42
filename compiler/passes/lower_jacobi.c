/* Up to what fits, a workgroup has all vectors of a matrix, and finds most rotations on their
   products alone; after that these are computed anew. More vectors are split in blocks, and each
   round of a tournament brings every block together with another one.

   Sweeps are a fixed number, as many as the worst matrices tried take. */
#include "passes/lower_jacobi.h"

#include "passes/lower.h"
#include "passes/passes.h"
#include "target/limits.h"

/* Of a workgroup that has all vectors: sweeps, at most, before products are computed anew. */
enum { FIRST_SWEEPS = 12, FURTHER_SWEEPS = 4, MOST_ROUNDS = 1024 };

bool jacobi_cut(struct jacobi *j)
{
    const struct pass_options *o = j->b->r->options;
    uint32_t bytes = type_bytes(j->type), real_bytes = type_bytes(j->real),
             most = o->target->max_invocations,
             group = o->tuning->group < most ? o->tuning->group : most;
    int64_t fits = jacobi_width(bytes, real_bytes, o->target->max_shared_bytes),
            full = JACOBI_LEAST;
    while (full < j->n && full < fits)
        full *= 2;
    bool half = j->n > full && j->n <= o->tuning->jacobi_wide && full > JACOBI_LEAST;
    j->width = half ? full / 2 : full;
    j->most = (j->n + j->width - 1) / j->width * j->width;
    j->rounds = 2 * j->most / j->width - 1;
    return fits && j->width * j->width >= group && j->sweeps * j->rounds <= MOST_ROUNDS &&
           jacobi_iterations(j->width, group, j->rows, j->length, FIRST_SWEEPS) <
               o->tuning->loop_iterations;
}

/* Which vectors meet in a round: the last block stays where it is, the others move round. */
static struct value order_of(const struct jacobi *j, int64_t round)
{
    int64_t half = j->width / 2, blocks = j->most / half;
    int32_t *order = ARENA_ARRAY(&j->b->r->scratch, int32_t, (size_t)j->most);
    if (!order) {
        build_fail_memory(j->b);
        return BUILD_NONE;
    }
    for (int64_t pair = 0; pair < blocks / 2; pair++) {
        int64_t p = pair == 0 ? blocks - 1 : (round + pair) % (blocks - 1),
                q = (round + blocks - 1 - pair) % (blocks - 1);
        for (int64_t i = 0; i < half; i++) {
            order[pair * j->width + i] = (int32_t)(p * half + i);
            order[pair * j->width + half + i] = (int32_t)(q * half + i);
        }
    }
    struct tensor t = {.type = TYPE_S32, .shape = shape_of(1, &j->most)};
    return build_literal(j->b, &t, order);
}

static struct value turned(const struct jacobi *j, struct value x, int64_t round, int64_t sweeps)
{
    struct value ins[2] = {x, order_of(j, round)};
    if (!build_ok(j->b, x) || !build_ok(j->b, ins[1]))
        return BUILD_NONE;
    struct tensor out = *build_tensor(j->b, x);
    struct attr attrs[3] = {{.key = ATTR_rows, .kind = 'i', .i = j->rows},
                            {.key = ATTR_width, .kind = 'i', .i = j->width},
                            {.key = ATTR_sweeps, .kind = 'i', .i = sweeps}};
    struct node n = {.op = OP_JACOBI,
                     .nins = 2,
                     .nouts = 1,
                     .nattrs = 3,
                     .ins = ins,
                     .outs = &out,
                     .attrs = attrs};
    return build_node(j->b, &n);
}

struct value jacobi_orthogonal(const struct jacobi *j, struct value x)
{
    struct build *b = j->b;
    int64_t zeros[3] = {0}, hi[3] = {0, j->most - j->n, 0}, ones[3] = {1, 1, 1},
            lengths[3] = {j->batch, j->n, j->length};
    struct tensor scalar = {.type = j->type};
    x = build_pad(b, x, build_number(b, &scalar, 0), zeros, hi, zeros);
    if (j->most == j->width) {
        x = turned(j, x, 0, FIRST_SWEEPS);
        for (int64_t i = FIRST_SWEEPS; i < j->sweeps; i++)
            x = turned(j, x, 0, FURTHER_SWEEPS);
    } else
        for (int64_t i = 0; i < j->sweeps * j->rounds; i++)
            x = turned(j, x, i % j->rounds, 1);
    return build_slice(b, x, zeros, lengths, ones);
}

struct value jacobi_number(struct build *b, struct value like, double x)
{
    if (!build_ok(b, like))
        return BUILD_NONE;
    struct tensor t = *build_tensor(b, like);
    return build_number(b, &t, x);
}

struct value jacobi_spread(struct build *b, struct value number, struct value x)
{
    if (!build_ok(b, x))
        return BUILD_NONE;
    struct tensor t = *build_tensor(b, x);
    return build_broadcast(b, build_convert(b, number, t.type), &t.shape, (int64_t[2]){0, 1});
}

struct value jacobi_diagonal(struct build *b, struct value x)
{
    if (!build_ok(b, x))
        return BUILD_NONE;
    struct tensor t = {.type = TYPE_S32, .shape = build_tensor(b, x)->shape};
    return build_binary(b, OP_EQUAL, build_iota(b, &t, 1), build_iota(b, &t, 2));
}

struct value jacobi_squares(struct build *b, struct value x, uint32_t naxes)
{
    struct value size = build_unary(b, OP_ABS, x);
    return build_reduce(b, OP_SUM, build_binary(b, OP_MULTIPLY, size, size),
                        naxes == 2 ? (int64_t[2]){1, 2} : (int64_t[1]){2}, naxes);
}

struct value jacobi_scale(struct build *b, struct value x)
{
    struct value most =
        build_reduce(b, OP_REDUCE_MAX, build_unary(b, OP_ABS, x), (int64_t[2]){1, 2}, 2);
    struct value some = build_binary(b, OP_GREATER, most, jacobi_number(b, most, 0));
    return build_select(b, some, most, jacobi_number(b, most, 1));
}

struct value jacobi_is_done(const struct jacobi *j, struct value v)
{
    struct build *b = j->b;
    struct value products = build_unary(b, OP_ABS, lower_times_adjoint(b, v, v)),
                 off = build_select(b, jacobi_diagonal(b, products), jacobi_number(b, products, 0),
                                    products);
    off = build_reduce(b, OP_REDUCE_MAX, off, (int64_t[2]){1, 2}, 2);
    double half_of_the_digits = j->real == TYPE_F64 ? 1e-8 : 3e-4;
    return build_binary(b, OP_LESS_EQUAL, off, jacobi_number(b, off, half_of_the_digits));
}

struct value jacobi_select(struct build *b, struct value flags, struct value x, struct value y)
{
    if (!build_ok(b, x) || !build_ok(b, flags))
        return BUILD_NONE;
    struct shape to = build_tensor(b, x)->shape;
    return build_select(b, build_broadcast(b, flags, &to, (int64_t[2]){0, 1}), x, y);
}

struct value jacobi_order(struct build *b, struct value numbers)
{
    struct value size = build_unary(b, OP_ABS, numbers);
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
    struct value first =
        build_binary(b, OP_MULTIPLY, matrix, jacobi_number(b, matrix, (double)out.shape.dim[1]));
    int64_t all = shape_size(&out.shape);
    struct shape flat = shape_of(1, &all);
    return build_reshape(b, build_binary(b, OP_ADD, order, first), &flat);
}

struct value jacobi_sorted(struct build *b, struct value x, struct value order)
{
    if (!build_ok(b, x))
        return BUILD_NONE;
    struct shape whole = build_tensor(b, x)->shape;
    struct shape flat = {.rank = whole.rank - 1, .dim = {whole.dim[0] * whole.dim[1]}};
    for (uint32_t i = 1; i < flat.rank; i++)
        flat.dim[i] = whole.dim[i + 1];
    return build_reshape(b, build_gather(b, build_reshape(b, x, &flat), order), &whole);
}
