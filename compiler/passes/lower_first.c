/* The first of a sort: enough where no more of its result is read (reads.h), as of Nx's top_k.
   Instead of putting all in order,

     digit_select   of each tile the keys that come first, as many as are read: digit by digit from
                    the highest, the tile in registers, one pass over memory; until a row fits
     sort_runs      what is left, in shared memory

   What is left stands in the order of its places, so equal keys keep their order. The rest of the
   result, which nothing reads, is 0. */
#include "passes/lower.h"

#include <string.h>

#include "target/limits.h"
#include "passes/passes.h"

/* A step leaves a quarter at most. */
enum { SHRINKS = 4 };

/* What fits a workgroup: a tile, and a run of so many words of keys and a place. */
static int64_t tile_of(const struct build *b)
{
    const struct vkc_target *t = b->r->options->target;
    return digits_tile(t->max_invocations, t->max_shared_bytes);
}

static int64_t run_of(const struct build *b, int64_t words)
{
    const struct vkc_target *t = b->r->options->target;
    return lines_most(t->max_invocations, t->max_shared_bytes, 4 * (uint32_t)(words + 1));
}

bool lower_first_pays(const struct build *b, const struct rows_of *r, int64_t words, int64_t first)
{
    const struct tuning *t = b->r->options->tuning;
    return r->length >= t->first_least && words <= t->first_words && r->length > run_of(b, words) &&
           SHRINKS * first <= tile_of(b) && first <= run_of(b, words);
}

static struct value select_step(struct build *b, struct value x, const struct key_bits *bits,
                                int64_t words, int64_t first, bool order, bool zeros)
{
    if (!build_ok(b, x))
        return x;
    struct tensor out = *build_tensor(b, x);
    int64_t tile = tile_of(b);
    out.shape.dim[0] = words + order;
    out.shape.dim[2] = digits_selected(out.shape.dim[2], tile, first);
    struct attr attrs[7] = {{.key = ATTR_words, .kind = 'i', .i = words},
                            {.key = ATTR_bit, .kind = 'i', .i = bits->from},
                            {.key = ATTR_width, .kind = 'i', .i = bits->to - bits->from},
                            {.key = ATTR_tile, .kind = 'i', .i = tile},
                            {.key = ATTR_length, .kind = 'i', .i = first},
                            {.key = ATTR_gives, .kind = 's', .text = order ? "both" : "keys"},
                            {.key = ATTR_zeros, .kind = 'b', .i = zeros}};
    struct node n = {.op = OP_DIGIT_SELECT,
                     .nins = 1,
                     .nouts = 1,
                     .nattrs = 7,
                     .ins = &x,
                     .outs = &out,
                     .attrs = attrs};
    return build_node(b, &n);
}

/* Planes `from` to `to` of x [planes, rows, length], and of each row its first elements. */
static struct value planes_of(struct build *b, struct value x, int64_t from, int64_t to,
                              int64_t length)
{
    if (!build_ok(b, x))
        return x;
    int64_t rows = build_tensor(b, x)->shape.dim[1];
    return build_slice(b, x, (int64_t[3]){from, 0, 0}, (int64_t[3]){to - from, rows, length},
                       (int64_t[3]){1, 1, 1});
}

/* The places [1, rows, first], in `words` of it, of what sorting these puts first. */
static struct value places_of(struct build *b, struct value words, struct value order,
                              int64_t plane)
{
    if (!build_ok(b, order))
        return order;
    const struct shape s = build_tensor(b, words)->shape, dims = build_tensor(b, order)->shape,
                       flat = shape_of(1, (int64_t[1]){s.dim[1] * s.dim[2]});
    struct value places = build_reshape(b, planes_of(b, words, plane, plane + 1, s.dim[2]), &flat),
                 row = lower_counter(b, &dims, 1, TYPE_U32);
    row = build_binary(b, OP_MULTIPLY, row, build_splat_like(b, row, (uint64_t)s.dim[2]));
    return build_gather(b, places, build_binary(b, OP_ADD, row, order));
}

struct value lower_first(struct build *b, struct value words, const struct key_bits *bits,
                         int64_t first, bool order, bool zeros)
{
    if (!build_ok(b, words))
        return words;
    const struct shape s = build_tensor(b, words)->shape;
    int64_t planes = s.dim[0], rows = s.dim[1] * s.dim[3], most = run_of(b, planes);
    struct shape lines = shape_of(3, (int64_t[3]){planes, rows, s.dim[2]});
    words = build_reshape(b, build_transpose(b, words, (int64_t[4]){0, 1, 3, 2}), &lines);
    do
        words = select_step(b, words, bits, planes, first, order, zeros);
    while (build_ok(b, words) && build_tensor(b, words)->shape.dim[2] > most);
    if (!build_ok(b, words))
        return words;
    int64_t left = build_tensor(b, words)->shape.dim[2], given = order ? 1 : planes;
    struct shape keys = shape_of(4, (int64_t[4]){planes, rows, left, 1}),
                 sorted = shape_of(3, (int64_t[3]){given, rows, left}),
                 back = shape_of(4, (int64_t[4]){given, s.dim[1], s.dim[3], first});
    struct value made = build_reshape(b, planes_of(b, words, 0, planes, left), &keys);
    made =
        build_reshape(b, lower_sort_runs(b, made, left, order ? "order" : "keys", zeros), &sorted);
    made = planes_of(b, made, 0, given, first);
    if (order)
        made = places_of(b, words, made, planes);
    return build_transpose(b, build_reshape(b, made, &back), (int64_t[4]){0, 1, 3, 2});
}
