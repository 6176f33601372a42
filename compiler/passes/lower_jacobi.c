/* Rotations are found on the products of vectors, a workgroup for as many vectors as fit, and
   applied to the vectors as a product of matrices; then products are computed anew. Of a Hermitian
   matrix that is turned from both sides, products are what it has on its diagonal. More vectors
   are blocks, two for a workgroup, and each round of a tournament brings every block together with
   another one. Blocks are [batch, 2, pairs, half, length], the two of a pair in the same column;
   turn_blocks moves all but the first on by a place. On CPUs products and copies do, and the two of
   a pair are one behind the other. So rounds are the same kernels.

   Where a sweep takes longer than the host to look at its result, which is so on CPUs and of large
   matrices, sweeps go on until no two vectors are far from orthogonal. Else they are a fixed
   number, as many as the worst matrices tried take. */
#include <float.h>

#include "passes/lower_jacobi.h"

#include "passes/lower.h"
#include "passes/passes.h"
#include "target/limits.h"

/* Of a workgroup that has all vectors: sweeps, at most, before products are computed anew, and how
   often they are. */
enum { FIRST_SWEEPS = 12, FURTHER_SWEEPS = 4, TIMES_ANEW = 3 };
/* Of a Hermitian matrix that a workgroup has all of: more than are usual, since it stops by
   itself. */
enum { MORE_OF_ALL = 4 };
enum { MOST_ROUNDS = 8192 };
/* Of a sweep on GPUs: with more, its end is looked at. 31 are too few for that, 127 are enough. */
enum { MOST_UNSEEN_ROUNDS = 63 };
/* The largest order that was tried with all kinds of matrices. */
enum { LARGE = 256 };
/* Sweeps. Where eigenvalues are clustered, or go down to rounding evenly in their logarithm,
   what is not diagonal becomes a fifth in a sweep, from the first to the last: twice as many
   digits take nearly twice as many sweeps. */
enum { MORE_OF_F64 = 5 };
/* Of f64, on CPUs: so large that most rotations are better found in 32 bits. */
enum { LEAST_IN_HALF = 128 };
/* Cosines that are rounding: of vectors of so many elements, or more. What rounds in a product of
   unit vectors does not grow with their length, since elements are the smaller. */
enum { MOST_ROWS = 64 };

int64_t jacobi_sweeps(int64_t usual, enum vkc_type real, int64_t order)
{
    if (real == TYPE_F64)
        usual += MORE_OF_F64;
    while (order > LARGE) {
        usual++;
        order /= 2;
    }
    return usual;
}

bool jacobi_cut(struct jacobi *j)
{
    const struct pass_options *o = j->b->r->options;
    int64_t fits =
        jacobi_width(type_bytes(j->type), type_bytes(j->real), o->target->max_shared_bytes);
    uint32_t parts = o->tuning->jacobi_parts;
    while (parts && fits > JACOBI_LEAST && fits * type_bytes(j->type) > JACOBI_ALONE_BYTES)
        fits /= 2;
    j->width = JACOBI_LEAST;
    while (j->width < j->n && j->width < fits)
        j->width *= 2;
    j->most = (j->n + j->width - 1) / j->width * j->width;
    j->rounds = 2 * j->most / j->width - 1;
    uint32_t threads = jacobi_threads(j->width, o->tuning->group, o->target->max_invocations);
    uint64_t iterations = parts ? jacobi_alone_iterations(j->width, parts, FIRST_SWEEPS)
                                : jacobi_iterations(j->width, threads, FIRST_SWEEPS);
    return fits && j->sweeps * j->rounds <= MOST_ROUNDS && iterations < o->tuning->loop_iterations;
}

/* Turns [matrices, width, width] of the products, by at most so many sweeps; `across`: by rotations
   of one of each half. */
static struct value turns_of(const struct jacobi *j, struct value products, int64_t sweeps,
                             bool across)
{
    struct build *b = j->b;
    if (!build_ok(b, products))
        return products;
    struct tensor out = *build_tensor(b, products);
    struct attr attrs[4] = {
        {.key = ATTR_rows, .kind = 'i', .i = j->rows < MOST_ROWS ? j->rows : MOST_ROWS},
        {.key = ATTR_sweeps, .kind = 'i', .i = sweeps},
        {.key = ATTR_across, .kind = 'b', .i = across},
        {.key = ATTR_absolute, .kind = 'b', .i = j->both}};
    struct node n = {.op = OP_JACOBI,
                     .nins = 1,
                     .nouts = 1,
                     .nattrs = 4,
                     .ins = &products,
                     .outs = &out,
                     .attrs = attrs};
    return build_node(b, &n);
}

static struct value conjugate(const struct jacobi *j, struct value x)
{
    return build_ok(j->b, x) && type_is_complex(j->type) ? build_unary(j->b, OP_CONJUGATE, x) : x;
}

/* Of vectors x [matrices, width, length]. */
static struct value products_of(const struct jacobi *j, struct value x)
{
    struct value y = conjugate(j, lower_part(j->b, x, 0, 0, j->width, j->rows));
    return lower_times_adjoint(j->b, y, y);
}

/* All of x in one workgroup's products. */
static struct value turned(const struct jacobi *j, struct value x, int64_t sweeps)
{
    struct value turns = turns_of(j, products_of(j, x), sweeps, false);
    return lower_times(j->b, lower_transposed(j->b, turns), x);
}

/* x [batch, most, length] as pairs of blocks [batch * pairs, width, length]. */
static struct value pairs_of(const struct jacobi *j, struct value x)
{
    int64_t pairs = j->most / j->width, swap[5] = {0, 2, 1, 3, 4};
    struct shape apart = shape_of(5, (int64_t[5]){j->batch, 2, pairs, j->width / 2, j->length}),
                 matrices = shape_of(3, (int64_t[3]){j->batch * pairs, j->width, j->length});
    return build_reshape(j->b, build_transpose(j->b, build_reshape(j->b, x, &apart), swap),
                         &matrices);
}

/* What a pair's rows have in its columns: [batch * pairs, width, width] of x. */
static struct value squares_of(const struct jacobi *j, struct value x)
{
    struct build *b = j->b;
    int64_t pairs = j->most / j->width, half = j->width / 2, most = j->most,
            together[7] = {0, 2, 5, 1, 3, 4, 6};
    struct shape apart = shape_of(7, (int64_t[7]){j->batch, 2, pairs, half, 2, pairs, half}),
                 flat = shape_of(3, (int64_t[3]){j->batch, pairs * pairs, j->width * j->width}),
                 to = shape_of(3, (int64_t[3]){j->batch * pairs, j->width, j->width});
    x = build_reshape(b, lower_part(b, x, 0, 0, most, most), &apart);
    x = build_reshape(b, build_transpose(b, x, together), &flat);
    x = build_slice(b, x, (int64_t[3]){0, 0, 0},
                    (int64_t[3]){j->batch, pairs * pairs, j->width * j->width},
                    (int64_t[3]){1, pairs + 1, 1});
    return conjugate(j, build_reshape(b, x, &to));
}

/* The places of the next round, of blocks that a pair has one behind the other: where each block
   stood. The first stays, the others go along the first ones of all pairs and back along the
   second ones. s32 [batch * 2 * pairs] */
static struct value places(const struct jacobi *j)
{
    struct build *b = j->b;
    int64_t pairs = j->most / j->width, count = 2 * pairs;
    struct tensor one = {.type = TYPE_S32, .shape = shape_of(1, &count)},
                  all = {.type = TYPE_S32, .shape = shape_of(2, (int64_t[2]){j->batch, count})};
    int32_t *from = ARENA_ARRAY(&b->r->scratch, int32_t, (size_t)count);
    if (!from)
        return build_fail_memory(b), BUILD_NONE;
    for (int32_t i = 0; i < pairs; i++) {
        from[2 * i] = i > 1 ? 2 * i - 2 : i;
        from[2 * i + 1] = i < pairs - 1 ? 2 * i + 3 : 2 * i;
    }
    struct value places =
                     build_broadcast(b, build_literal(b, &one, from), &all.shape, (int64_t[1]){1}),
                 matrix = build_iota(b, &all, 0);
    places =
        build_binary(b, OP_ADD, places,
                     build_binary(b, OP_MULTIPLY, matrix, lower_number(b, matrix, (double)count)));
    count *= j->batch;
    struct shape flat = shape_of(1, &count);
    return build_reshape(b, places, &flat);
}

/* A round of one side by products of matrices and copies: what turn_blocks does in a kernel. */
static struct value round_by_products(const struct jacobi *j, struct value x, bool across)
{
    struct build *b = j->b;
    int64_t pairs = j->most / j->width, count = j->batch * pairs;
    struct shape matrices = shape_of(3, (int64_t[3]){count, j->width, j->length}),
                 apart = shape_of(2, (int64_t[2]){2 * count, j->width / 2 * j->length}),
                 whole = shape_of(3, (int64_t[3]){j->batch, j->most, j->length});
    x = build_reshape(b, x, &matrices);
    x = lower_times(b, lower_transposed(b, turns_of(j, products_of(j, x), 1, across)), x);
    struct value next = places(j);
    return build_reshape(b, build_gather(b, build_reshape(b, x, &apart), next), &whole);
}

/* A round: x [batch, most, length], and its blocks in the places of the next one. */
static struct value round_of(const struct jacobi *j, struct value x, bool across)
{
    struct build *b = j->b;
    if (!b->r->options->tuning->turns_blocks)
        return round_by_products(j, x, across);
    struct value products = j->both ? squares_of(j, x) : products_of(j, pairs_of(j, x)),
                 ins[2] = {x, turns_of(j, products, 1, across)};
    if (!build_ok(b, x) || !build_ok(b, ins[1]))
        return BUILD_NONE;
    struct tensor out = *build_tensor(b, x);
    struct attr both = {.key = ATTR_both, .kind = 'b', .i = j->both};
    struct node n = {.op = OP_TURN_BLOCKS,
                     .nins = 2,
                     .nouts = 1,
                     .nattrs = 1,
                     .ins = ins,
                     .outs = &out,
                     .attrs = &both};
    return build_node(b, &n);
}

/* The first round of a sweep turns vectors of a block, too. */
static struct value all_rounds(const struct jacobi *j, struct value x)
{
    for (int64_t i = 0; i < j->sweeps * j->rounds; i++)
        x = round_of(j, x, i % j->rounds != 0);
    return x;
}

/* ---- until nothing turns ---- */

/* Sweeps, at most. Where eigenvalues are clustered, or go down to rounding evenly in their
   logarithm, what is not diagonal becomes a fifth in a sweep, from the first to the last: such take
   20 in 64 bits. */
enum { MOST_SWEEPS = 40 };
/* Cosines, in eps, that are more than rounding; the kernel leaves 8. If all were as large, of one
   sign, the vectors' matrix would be off by half of what LAPACK's tests allow, 30 n eps. */
enum { UNSETTLED = 16 };

/* Of x [batch, most, length]: whether two vectors are far from orthogonal, of those that the kernel
   turns: longer than eps. u8 [batch] */
static struct value are_unsettled(const struct jacobi *j, struct value x)
{
    struct build *b = j->b;
    double eps = j->real == TYPE_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    x = conjugate(j, lower_part(b, x, 0, 0, j->most, j->rows));
    struct value size = build_unary(b, OP_ABS, lower_times_adjoint(b, x, x)),
                 same = jacobi_diagonal(b, size), zero = lower_number(b, size, 0);
    struct value square =
        build_reduce(b, OP_SUM, build_select(b, same, size, zero), (int64_t[1]){2}, 1);
    struct value is_turned =
                     build_binary(b, OP_GREATER, square, lower_number(b, square, eps * eps)),
                 length = build_unary(
                     b, OP_SQRT,
                     build_select(b, is_turned, square, lower_number(b, square, FLT_MAX)));
    if (!build_ok(b, length))
        return BUILD_NONE;
    const struct shape to = build_tensor(b, size)->shape;
    struct value across = build_broadcast(b, length, &to, (int64_t[2]){0, 2}),
                 bound = build_binary(b, OP_MULTIPLY,
                                      build_broadcast(b, length, &to, (int64_t[2]){0, 1}), across);
    bound = build_binary(b, OP_MULTIPLY, bound, lower_number(b, bound, UNSETTLED * eps));
    return build_reduce(b, OP_REDUCE_MAX,
                        build_binary(b, OP_GREATER, build_select(b, same, zero, size), bound),
                        (int64_t[2]){1, 2}, 2);
}

/* A sweep, whose first round turns vectors of a block, too. A matrix that was settled before stays
   as it is, so that its bits do not depend on those that it is in a batch with. */
static uint32_t sweep(const struct jacobi *outer, const struct tensor *types)
{
    struct value given[3], results[3];
    struct build region = build_region(outer->b, types, 3, given);
    struct jacobi j = *outer;
    struct build *b = j.b = &region;
    struct value x = given[0];
    for (int64_t i = 0; i < j.rounds; i++)
        x = round_of(&j, x, i != 0);
    results[0] = j.batch > 1 ? jacobi_select(b, given[2], x, given[0]) : x;
    results[1] = build_binary(b, OP_ADD, given[1], lower_number(b, given[1], 1));
    struct value are = are_unsettled(&j, x),
                 goes_on =
                     build_binary(b, OP_LESS, results[1], lower_number(b, given[1], MOST_SWEEPS));
    if (build_ok(b, goes_on) && build_ok(b, are))
        goes_on = build_broadcast(b, goes_on, &build_tensor(b, are)->shape, NULL);
    results[2] =
        build_binary(b, OP_LOGICAL_AND, build_binary(b, OP_LOGICAL_AND, are, given[2]), goes_on);
    return build_region_end(outer->b, &region, results, 3);
}

static uint32_t goes_on(struct build *b, const struct tensor *types)
{
    struct value given[3];
    struct build region = build_region(b, types, 3, given);
    struct value any = build_reduce(&region, OP_REDUCE_MAX, given[2], (int64_t[1]){0}, 1);
    return build_region_end(b, &region, &any, 1);
}

/* x [batch, most, length], its vectors orthogonal. */
static struct value all_sweeps(const struct jacobi *j, struct value x)
{
    struct build *b = j->b;
    if (!build_ok(b, x))
        return BUILD_NONE;
    struct tensor types[3] = {*build_tensor(b, x),
                              {.type = TYPE_S32},
                              {.type = TYPE_U8, .shape = shape_of(1, &j->batch)}};
    struct value ins[3] = {x, build_number(b, &types[1], 0), build_number(b, &types[2], 1)};
    uint32_t regions[2] = {goes_on(b, types), sweep(j, types)};
    struct node n = {.op = OP_WHILE,
                     .nins = 3,
                     .nouts = 3,
                     .nregions = 2,
                     .ins = ins,
                     .outs = types,
                     .regions = regions};
    return b->failed ? BUILD_NONE : build_node(b, &n);
}

struct value jacobi_orthogonal(const struct jacobi *j, struct value x)
{
    x = lower_padded(j->b, x, j->most, j->length);
    if (j->most == j->width) {
        x = turned(j, x, FIRST_SWEEPS);
        for (int i = 0; i < TIMES_ANEW; i++)
            x = turned(j, x, FURTHER_SWEEPS);
    } else {
        bool is_seen = !j->b->r->options->tuning->turns_blocks || j->rounds > MOST_UNSEEN_ROUNDS;
        x = is_seen ? all_sweeps(j, x) : all_rounds(j, x);
    }
    return lower_part(j->b, x, 0, 0, j->n, j->length);
}

struct value jacobi_turned_in_half(const struct jacobi *j, struct value x, int64_t first)
{
    struct build *b = j->b;
    struct jacobi half = *j;
    half.real = half.type = TYPE_F32;
    if (j->type != TYPE_F64 || j->n < LEAST_IN_HALF || b->r->options->tuning->turns_blocks ||
        !jacobi_cut(&half))
        return x;
    struct value v = jacobi_orthogonal(&half, build_convert(b, x, half.type));
    v = build_convert(b, lower_part(b, v, 0, first, j->n, j->n), j->type);
    v = jacobi_of_length_1(b, v);
    for (int i = 0; i < 2; i++)
        v = jacobi_orthonormal(b, v);
    return lower_times(b, v, x);
}

struct value jacobi_diagonal_form(const struct jacobi *j, struct value x, struct value *out_turned)
{
    struct build *b = j->b;
    x = lower_padded(b, x, j->most, j->most);
    struct value turns;
    if (j->most == j->width) {
        turns = lower_transposed(b, turns_of(j, conjugate(j, x), j->sweeps + MORE_OF_ALL, false));
        *out_turned = lower_times(b, turns, lower_times_adjoint(b, x, turns));
    } else {
        x = all_rounds(j, lower_beside(b, x, lower_eye(b, x, j->most, j->most)));
        turns = lower_part(b, x, 0, j->most, j->most, j->most);
        *out_turned = lower_part(b, x, 0, 0, j->most, j->most);
    }
    *out_turned = lower_part(b, *out_turned, 0, 0, j->n, j->n);
    return lower_part(b, turns, 0, 0, j->n, j->n);
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
    struct value column = build_iota(b, &t, 2);
    return build_binary(b, OP_EQUAL, build_iota(b, &t, 1), column);
}

struct value jacobi_squares(struct build *b, struct value x, uint32_t naxes)
{
    struct value size = build_unary(b, OP_ABS, x);
    return build_reduce(b, OP_SUM, build_binary(b, OP_MULTIPLY, size, size),
                        naxes == 2 ? (int64_t[2]){1, 2} : (int64_t[1]){2}, naxes);
}

struct value jacobi_of_length_1(struct build *b, struct value v)
{
    struct value length = build_unary(b, OP_SQRT, jacobi_squares(b, v, 1));
    return build_binary(b, OP_DIVIDE, v, jacobi_spread(b, length, v));
}

struct value jacobi_scale(struct build *b, struct value x)
{
    struct value most =
        build_reduce(b, OP_REDUCE_MAX, build_unary(b, OP_ABS, x), (int64_t[2]){1, 2}, 2);
    struct value some = build_binary(b, OP_GREATER, most, lower_number(b, most, 0));
    return build_select(b, some, most, lower_number(b, most, 1));
}

struct value jacobi_is_diagonal(const struct jacobi *j, struct value x)
{
    struct build *b = j->b;
    struct value size = build_unary(b, OP_ABS, x), zero = lower_number(b, size, 0),
                 off = build_select(b, jacobi_diagonal(b, size), zero, size);
    off = build_reduce(b, OP_REDUCE_MAX, off, (int64_t[2]){1, 2}, 2);
    double half_of_the_digits = j->real == TYPE_F64 ? 1e-8 : 3e-4;
    return build_binary(b, OP_LESS_EQUAL, off, lower_number(b, off, half_of_the_digits));
}

struct value jacobi_is_done(const struct jacobi *j, struct value v)
{
    return jacobi_is_diagonal(j, lower_times_adjoint(j->b, v, v));
}

struct value jacobi_orthonormal(struct build *b, struct value x)
{
    struct value y = lower_times(b, lower_times_adjoint(b, x, x), x);
    y = build_binary(b, OP_MULTIPLY, y, lower_number(b, y, 0.5));
    x = build_binary(b, OP_MULTIPLY, x, lower_number(b, x, 1.5));
    return build_binary(b, OP_SUBTRACT, x, y);
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
    struct value order = lower_argsort(b, size, true), matrix = build_iota(b, &out, 0);
    struct value first =
        build_binary(b, OP_MULTIPLY, matrix, lower_number(b, matrix, (double)out.shape.dim[1]));
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
