/* A sort of many keys, digit by digit from the lowest: the radix sort. For each digit, of at most
   eight bits:

     digit_counts   how often each tile of a row has each digit
     scan           of these counts, tile by tile
     digit_sort     what lower digits have in all tiles is summed; a tile is put in order in shared
                    memory, and moved to where its digits go

   A digit costs three readings of the keys' memory and a scan of few numbers, whatever the length,
   where a merge halves the number of runs; and only bits that may differ are looked at. Every step
   is stable, and no workgroup waits for another. */
#include "passes/lower.h"

#include <string.h>

#include "target/limits.h"
#include "passes/passes.h"

/* A pass over memory for a digit takes so many times as long as one for a merge, and sorting runs
   as long as so many merges (H100, 2^24 words). */
enum { DIGITS_COST = 4, MERGES_COST = 3, RUNS_COST = 10 };

static uint32_t digits_in(const struct key_bits *bits)
{
    uint32_t most = digits_bits(DIGITS_RADIX);
    return (bits->to - bits->from + most - 1) / most;
}

static int64_t tile_of(const struct pass_options *o)
{
    int64_t tile = digits_tile(o->target->max_invocations, o->target->max_shared_bytes);
    return tile < o->tuning->ranked_tile ? tile : o->tuning->ranked_tile;
}

bool lower_digits_pay(const struct build *b, const struct key_bits *bits, int64_t elements,
                      int64_t length, int64_t run)
{
    const struct pass_options *o = b->r->options;
    int64_t merges = 0;
    for (; run < length; run *= 2)
        merges++;
    /* below that it is dispatches that count, and a digit is as many as two doublings are worth */
    uint32_t fewer = digits_in(bits) < 4 ? 4 - digits_in(bits) : 0;
    return elements >= o->tuning->digits_least >> (2 * fewer) && merges > 0 && tile_of(o) > 0 &&
           DIGITS_COST * digits_in(bits) <= RUNS_COST + MERGES_COST * merges;
}

/* What both steps are told of a digit. */
struct digit {
    int64_t words, bit, radix, tile;
    bool zeros;
};

static struct value counts_of(struct build *b, struct value x, const struct digit *d)
{
    if (!build_ok(b, x))
        return x;
    const struct shape s = build_tensor(b, x)->shape;
    struct tensor out = {
        .type = TYPE_U32,
        .shape = shape_of(3, (int64_t[3]){s.dim[1], d->radix, (s.dim[2] + d->tile - 1) / d->tile})};
    struct attr attrs[5] = {{.key = ATTR_words, .kind = 'i', .i = d->words},
                            {.key = ATTR_bit, .kind = 'i', .i = d->bit},
                            {.key = ATTR_radix, .kind = 'i', .i = d->radix},
                            {.key = ATTR_tile, .kind = 'i', .i = d->tile},
                            {.key = ATTR_zeros, .kind = 'b', .i = d->zeros}};
    struct node n = {.op = OP_DIGIT_COUNTS,
                     .nins = 1,
                     .nouts = 1,
                     .nattrs = 5,
                     .ins = &x,
                     .outs = &out,
                     .attrs = attrs};
    return build_node(b, &n);
}

/* What comes to them, tile after tile. */
static struct value sums_of(struct build *b, struct value counts)
{
    if (!build_ok(b, counts))
        return counts;
    const struct shape s = build_tensor(b, counts)->shape,
                       line = shape_of(3, (int64_t[3]){s.dim[0] * s.dim[1], s.dim[2], 1});
    return build_reshape(b, lower_running(b, build_reshape(b, counts, &line), OP_SUM, false), &s);
}

static struct value sort_step(struct build *b, struct value x, const struct digit *d,
                              const char *gives)
{
    struct value ins[2] = {x, sums_of(b, counts_of(b, x, d))};
    if (!build_ok(b, ins[1]))
        return BUILD_NONE;
    struct tensor out = *build_tensor(b, x);
    out.shape.dim[0] = (strcmp(gives, "order") == 0 ? 0 : d->words) + (strcmp(gives, "keys") != 0);
    struct attr attrs[6] = {{.key = ATTR_words, .kind = 'i', .i = d->words},
                            {.key = ATTR_bit, .kind = 'i', .i = d->bit},
                            {.key = ATTR_radix, .kind = 'i', .i = d->radix},
                            {.key = ATTR_tile, .kind = 'i', .i = d->tile},
                            {.key = ATTR_gives, .kind = 's', .text = gives},
                            {.key = ATTR_zeros, .kind = 'b', .i = d->zeros}};
    struct node n = {.op = OP_DIGIT_SORT,
                     .nins = 2,
                     .nouts = 1,
                     .nattrs = 6,
                     .ins = ins,
                     .outs = &out,
                     .attrs = attrs};
    return build_node(b, &n);
}

struct value lower_digits(struct build *b, struct value words, const struct key_bits *bits,
                          const char *all, const char *last, bool zeros)
{
    if (!build_ok(b, words))
        return words;
    const struct pass_options *o = b->r->options;
    uint32_t left = digits_in(bits), bit = bits->from;
    struct digit d = {
        .words = build_tensor(b, words)->shape.dim[0], .tile = tile_of(o), .zeros = zeros};
    for (; left > 0; left--) {
        uint32_t taken = (bits->to - bit + left - 1) / left; /* as many as each of the others */
        d.bit = bit;
        d.radix = INT64_C(1) << taken;
        words = sort_step(b, words, &d, left > 1 ? all : last);
        bit += taken;
    }
    return words;
}
