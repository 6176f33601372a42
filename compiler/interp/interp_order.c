/* The interpreter of the steps of sorts: runs, merges, digits. */
#include <string.h>

#include "interp/interp_impl.h"

/* ---- sort_runs, merge_runs ---- */

/* Keys, one plane of words after another, high words first. */
struct keys {
    const uint32_t *words;
    int64_t plane;  /* words of one plane */
    uint32_t count; /* planes of keys */
    bool zeros;
};

/* Both zeros of a float have the same key when `zeros` is set: 0x7fff... stands for 0x8000... */
static uint64_t key_at(const struct keys *k, int64_t i)
{
    uint64_t x = k->words[i], least = UINT64_C(1) << (32 * k->count - 1);
    if (k->count == 2)
        x = x << 32 | k->words[k->plane + i];
    return k->zeros && x == least - 1 ? least : x;
}

/* Sorts `order[0 .. n-1]`, which are places in the planes, by key; stable. `other` is as long. */
static void merge_sort(const struct keys *k, int64_t *order, int64_t *other, int64_t n)
{
    int64_t *from = order, *to = other;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t at = 0; at < n; at += 2 * width) {
            int64_t middle = at + width < n ? at + width : n,
                    end = at + 2 * width < n ? at + 2 * width : n;
            int64_t a = at, b = middle;
            for (int64_t i = at; i < end; i++)
                to[i] = a < middle && (b >= end || key_at(k, from[a]) <= key_at(k, from[b]))
                            ? from[a++]
                            : from[b++];
        }
        int64_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != order)
        memcpy(order, from, (size_t)n * sizeof *order);
}

static bool eval_runs(struct interp *x)
{
    const struct array *in = &x->ins[0];
    const char *gives = attr_text(x->n, ATTR_gives);
    bool merges = x->n->op == OP_MERGE_RUNS, keys = strcmp(gives, "order") != 0,
         order = strcmp(gives, "keys") != 0;
    const int64_t *dim = in->tensor.shape.dim;
    int64_t rows = dim[1] * dim[3], length = dim[2], inner = dim[3],
            run = merges ? ((const uint32_t *)x->ins[1].data)[0] : attr_int(x->n, ATTR_run, 1);
    struct keys k = {
        .words = in->data, .plane = rows * length, .zeros = attr_bool(x->n, ATTR_zeros)};
    k.count = (uint32_t)in->tensor.shape.dim[0] - (merges && order);
    uint32_t *out = x->outs[0].data;
    int64_t *at = ARENA_ARRAY(x->arena, int64_t, (size_t)length),
            *other = ARENA_ARRAY(x->arena, int64_t, (size_t)length);
    if (!at || !other)
        return interp_no_memory(x);
    int64_t span = run > length ? length : merges ? 2 * run : run;
    for (int64_t row = 0; row < rows; row++) {
        int64_t base = row / inner * length * inner + row % inner;
        for (int64_t i = 0; i < length; i++)
            at[i] = base + i * inner;
        for (int64_t first = 0; first < length; first += span)
            merge_sort(&k, at + first, other, first + span < length ? span : length - first);
        for (int64_t i = 0; i < length; i++) {
            int64_t plane = 0, to = base + i * inner;
            for (; keys && plane < k.count; plane++)
                out[plane * k.plane + to] = k.words[plane * k.plane + at[i]];
            if (order)
                out[plane * k.plane + to] = merges ? k.words[k.count * k.plane + at[i]]
                                                   : (uint32_t)((at[i] - base) / inner);
        }
    }
    return true;
}

/* ---- digit_counts, digit_sort, digit_select ---- */

/* What a step that looks at one digit of the keys works on. */
struct digits {
    struct keys keys;
    int64_t rows, length, tile, tiles, radix;
    uint32_t bit;
};

static struct digits digits_of(const struct interp *x)
{
    const struct array *in = &x->ins[0];
    const int64_t *dim = in->tensor.shape.dim;
    struct digits d = {.rows = dim[1],
                       .length = dim[2],
                       .tile = attr_int(x->n, ATTR_tile, 1),
                       .radix = attr_int(x->n, ATTR_radix, 2),
                       .bit = (uint32_t)attr_int(x->n, ATTR_bit, 0)};
    d.keys = (struct keys){.words = in->data,
                           .plane = dim[1] * dim[2],
                           .count = (uint32_t)attr_int(x->n, ATTR_words, 1),
                           .zeros = attr_bool(x->n, ATTR_zeros)};
    d.tiles = (d.length + d.tile - 1) / d.tile;
    return d;
}

static int64_t digit_at(const struct digits *d, int64_t i)
{
    return (int64_t)(key_at(&d->keys, i) >> d->bit & (uint64_t)(d->radix - 1));
}

static bool eval_digit_counts(struct interp *x)
{
    struct digits d = digits_of(x);
    uint32_t *out = x->outs[0].data;
    memset(out, 0, (size_t)(d.rows * d.radix * d.tiles) * sizeof *out);
    for (int64_t row = 0; row < d.rows; row++)
        for (int64_t i = 0; i < d.length; i++)
            out[(row * d.radix + digit_at(&d, row * d.length + i)) * d.tiles + i / d.tile]++;
    return true;
}

/* Each key's place follows from the sums, as in the kernel: they are an input like any other. What
   they leave out of is 0. */
static bool eval_digit_sort(struct interp *x)
{
    struct digits d = digits_of(x);
    const char *gives = attr_text(x->n, ATTR_gives);
    const uint32_t *sums = x->ins[1].data;
    uint32_t *out = x->outs[0].data, *next = ARENA_ARRAY(x->arena, uint32_t, (size_t)d.radix);
    bool keys = strcmp(gives, "order") != 0, order = strcmp(gives, "keys") != 0,
         placed = (uint32_t)x->ins[0].tensor.shape.dim[0] > d.keys.count;
    int64_t planes = x->outs[0].tensor.shape.dim[0], plane = d.keys.plane;
    if (!next)
        return interp_no_memory(x);
    memset(out, 0, (size_t)(planes * plane) * sizeof *out);
    for (int64_t first = 0; first < d.rows * d.tiles; first++) {
        int64_t row = first / d.tiles, tile = first % d.tiles, base = row * d.length,
                end = (tile + 1) * d.tile < d.length ? (tile + 1) * d.tile : d.length;
        uint32_t before = 0; /* of lower digits in the row */
        for (int64_t digit = 0; digit < d.radix; digit++) {
            const uint32_t *sum = sums + (row * d.radix + digit) * d.tiles;
            next[digit] = before + (tile ? sum[tile - 1] : 0);
            before += sum[d.tiles - 1];
        }
        for (int64_t i = tile * d.tile; i < end; i++) {
            uint32_t to = next[digit_at(&d, base + i)]++;
            if (to >= d.length)
                continue;
            for (int64_t p = 0; keys && p < d.keys.count; p++)
                out[p * plane + base + to] = d.keys.words[p * plane + base + i];
            if (order)
                out[(planes - 1) * plane + base + to] =
                    placed ? d.keys.words[d.keys.count * plane + base + i] : (uint32_t)i;
        }
    }
    return true;
}

/* Which of the keys at `order[0 .. n-1]` are the first `first`: 1 in `out`, by their places. */
static void mark_first(const struct keys *k, int64_t *order, int64_t *other, int64_t n,
                       int64_t first, uint8_t *out)
{
    int64_t base = order[0];
    merge_sort(k, order, other, n);
    for (int64_t i = 0; i < n; i++)
        out[order[i] - base] = i < first;
}

static bool eval_digit_select(struct interp *x)
{
    struct digits d = digits_of(x);
    int64_t first = attr_int(x->n, ATTR_length, 1), planes = x->outs[0].tensor.shape.dim[0],
            left = x->outs[0].tensor.shape.dim[2], to = 0;
    uint32_t *out = x->outs[0].data, in = (uint32_t)x->ins[0].tensor.shape.dim[0];
    int64_t *order = ARENA_ARRAY(x->arena, int64_t, (size_t)d.tile),
            *other = ARENA_ARRAY(x->arena, int64_t, (size_t)d.tile);
    uint8_t *taken = ARENA_ARRAY(x->arena, uint8_t, (size_t)d.tile);
    if (!order || !other || !taken)
        return interp_no_memory(x);
    for (int64_t t = 0; t < d.rows * d.tiles; t++) {
        int64_t at = t % d.tiles * d.tile, base = t / d.tiles * d.length,
                n = d.length - at < d.tile ? d.length - at : d.tile;
        for (int64_t i = 0; i < n; i++)
            order[i] = base + at + i;
        mark_first(&d.keys, order, other, n, first, taken);
        for (int64_t i = 0; i < n; i++) {
            for (int64_t p = 0; taken[i] && p < planes; p++)
                out[p * d.rows * left + to] =
                    p < in ? d.keys.words[p * d.keys.plane + base + at + i] : (uint32_t)(at + i);
            to += taken[i];
        }
    }
    return true;
}

bool interp_order(struct interp *x)
{
    switch (x->n->op) {
    case OP_DIGIT_COUNTS: return eval_digit_counts(x);
    case OP_DIGIT_SORT: return eval_digit_sort(x);
    case OP_DIGIT_SELECT: return eval_digit_select(x);
    default: return eval_runs(x);
    }
}
