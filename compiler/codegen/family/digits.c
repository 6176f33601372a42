/* Tiles of keys in registers: digit_counts, digit_sort, digit_select. How a tile is put in order,
   and how its first keys are found, is fixed text: digit_sort.glsl, or digit_rank.glsl where there
   are subgroups of 32, and digit_select.glsl. This file generates the loads of keys, from memory or
   computed, and the stores, with the element-wise work that fusion added to them. */
#include "target/limits.h"

#include <string.h>

#include "runtime/bundle.h"
#include "codegen/family/family.h"
#include "codegen/family/lines.h"
#include "codegen/family/planes.h"
#include "codegen/family/schedule.h"
#include "codegen/template.h"

/* What the hero works on. */
struct digits {
    const struct node *node;
    int64_t rows, length, tile, tiles, radix;
    uint32_t words;             /* of a key */
    uint32_t bit, in;           /* the digit's lowest bit, and the word that has it */
    bool zeros, counts, placed; /* placed: the input has places behind the keys */
    bool keys, order;           /* what is given */
    uint32_t item;              /* words that are carried along */
    bool selects;
    int64_t first, left; /* of a tile, and of a row in all */
    uint32_t width;      /* bits from `bit` on in which keys differ */
};

static struct digits digits_of(const struct func *f, const struct kernel *k)
{
    const struct node *n = func_node(f, k->heroes[0]);
    const int64_t *dim = func_tensor(f, n->ins[0])->shape.dim;
    uint32_t bit = (uint32_t)attr_int(n, ATTR_bit, 0);
    struct digits d = {.node = n,
                       .rows = dim[1],
                       .length = dim[2],
                       .tile = attr_int(n, ATTR_tile, 1),
                       .radix = attr_int(n, ATTR_radix, 2),
                       .words = (uint32_t)attr_int(n, ATTR_words, 1),
                       .bit = bit % 32,
                       .zeros = attr_bool(n, ATTR_zeros),
                       .counts = n->op == OP_DIGIT_COUNTS};
    const char *gives = d.counts ? "keys" : attr_text(n, ATTR_gives);
    d.tiles = (d.length + d.tile - 1) / d.tile;
    d.in = d.words - 1 - bit / 32;
    d.placed = (uint32_t)dim[0] > d.words;
    d.keys = strcmp(gives, "order") != 0;
    d.order = strcmp(gives, "keys") != 0;
    d.item = d.words + d.order;
    d.selects = n->op == OP_DIGIT_SELECT;
    d.first = attr_int(n, ATTR_length, 0);
    d.width = (uint32_t)attr_int(n, ATTR_width, 0);
    d.left = d.selects ? n->outs[0].shape.dim[2] : d.length;
    return d;
}

/* The word of x that has the digit. Where the zeros of floats are equal, the key of -0 counts as
   that of 0. */
static const char *digit_text(struct arena *a, const struct digits *d, const char *word)
{
    const char *plain = arena_printf(a, "x.word[%s]", word);
    if (!d->zeros)
        return plain;
    if (d->words == 1)
        return arena_printf(a, "%s + uint(%s == 0x7fffffffu)", plain, plain);
    return arena_printf(a, "%s + uint(x.word[0] == 0x7fffffffu && x.word[1] == 0xffffffffu)",
                        plain);
}

/* ---- loads and stores ---- */

/* The scopes of the template around what is done to a key: a loop and a condition. */
static void open_scopes(struct emit *e)
{
    emit_open(e);
    emit_open(e);
    e->floor = e->scope->depth;
}

static const char *close_scopes(struct emit *e)
{
    const char *text = emit_take(e);
    emit_take(e); /* nothing is computed there */
    e->floor = 0;
    return text;
}

/* Whether the words of a key are asked for: to count, only those that say what the digit is. */
static bool is_read(const struct digits *d, uint32_t word)
{
    return !d->counts || d->zeros || word == d->in;
}

static const char *load_text(struct emit *e, const struct digits *d)
{
    open_scopes(e);
    uint32_t depth = e->scope->depth;
    const struct ix *at[VKC_MAX_RANK] = {NULL, ix_var(e->ix, "o", d->rows, 0),
                                         ix_var(e->ix, "r", d->length, depth)};
    for (uint32_t w = 0; w < d->item; w++) {
        const char *text = "r";
        at[0] = ix_const(e->ix, w);
        if (w < d->words || d->placed)
            text = is_read(d, w) ? emit_value(e, d->node->ins[0], at).text : "0u";
        if (text)
            emit_line(e, depth, "x.word[%u] = %s;", w, text);
    }
    return close_scopes(e);
}

/* The keys of a digit in the row up to a tile. */
static const char *sum_text(struct emit *e, const struct digits *d)
{
    open_scopes(e);
    uint32_t depth = e->scope->depth;
    const struct ix *before = ix_var(e->ix, "before", d->radix * d->tiles, depth),
                    *at[VKC_MAX_RANK] = {ix_var(e->ix, "o", d->rows, 0),
                                         ix_div(e->ix, before, d->tiles),
                                         ix_mod(e->ix, before, d->tiles)};
    const char *text = emit_value(e, d->node->ins[1], at).text;
    if (text)
        emit_line(e, depth, "sum = %s;", text);
    return close_scopes(e);
}

static const char *store_counts(struct emit *e, const struct digits *d)
{
    emit_open(e);
    e->floor = e->scope->depth;
    const struct ix *at[VKC_MAX_RANK] = {ix_var(e->ix, "o", d->rows, 0),
                                         ix_var(e->ix, "d", d->radix, e->scope->depth),
                                         ix_var(e->ix, "t", d->tiles, 0)};
    emit_results(e, d->node, e->kernel->heroes[0], ix_linear(e->ix, &d->node->outs[0].shape, at),
                 "uint", "counts[d]");
    e->floor = 0;
    return emit_take(e);
}

static const char *store_text(struct emit *e, const struct digits *d)
{
    open_scopes(e);
    uint32_t depth = e->scope->depth, planes = 0;
    const struct shape s = shape_of(2, (int64_t[2]){d->rows, d->left});
    const struct ix *at[VKC_MAX_RANK] = {ix_var(e->ix, "o", d->rows, 0),
                                         ix_var(e->ix, "r", d->left, depth)},
                    *flat = ix_linear(e->ix, &s, at);
    for (uint32_t w = d->keys ? 0 : d->words; w < d->item; w++)
        e->planes[planes++] = arena_printf(e->arena, "x.word[%u]", w);
    emit_hero_is(e, e->kernel->heroes[0], e->planes[0], depth);
    e->hero_index = flat;
    e->plane = d->rows * d->left;
    planes_store(e, flat, planes);
    return close_scopes(e);
}

/* ---- the kernel ---- */

static bool kernel_digits(struct emit *e)
{
    struct kernel *k = e->kernel;
    struct digits d = digits_of(e->func, k);
    if (e->unit->workgroup)
        return emit_fail(e, "n%u %s is not a phase of a workgroup program", d.node->label,
                         op_name(d.node->op)),
               false;
    enum lanes lanes = d.counts || d.selects ? LANES_NONE : e->unit->tuning->lanes;
    k->shared_bytes = d.counts    ? 4 * (uint32_t)d.radix
                      : d.selects ? digits_select_bytes(d.tile)
                      : lanes     ? digits_ranked_bytes(d.tile, d.radix, lanes == LANES_EMULATED)
                                  : digits_shared_bytes(d.tile, d.radix);
    if (lanes == LANES_SUBGROUP)
        e->needs.features |= VKB_FEATURE_BALLOT_32 | VKB_FEATURE_SUBGROUP_ARITHMETIC;
    emit_count(e, d.counts ? 4 : d.selects ? 2 * d.width : 20 * digits_bits(d.radix));
    e->inner = d.counts || d.selects ? NULL : sum_text(e, &d);
    e->load = load_text(e, &d);
    e->store = d.counts ? store_counts(e, &d) : store_text(e, &d);
    return e->failed == NULL;
}

static bool fill_select(struct emit *e, const struct digits *d, struct kernel_text *t,
                        struct str *out)
{
    text_add(t, "KEY", digit_text(e->arena, d, "w"));
    text_add_number(e, t, "KEYS", d->words);
    text_add_number(e, t, "LOW", d->bit);
    text_add_number(e, t, "HIGH", d->bit + d->width - 32 * (d->words - 1));
    text_add_number(e, t, "KEEP", d->first);
    /* Mesa writes out what indexes an array whatever the size of the body: its CPU driver took 20 s
       for a selection of 4,096 keys */
    text_add(t, "ROLLED", emit_rolled(e));
    return text_fill(e, t, "digit_select.comp", out);
}

/* How a tile is put in order: what all threads do, or what subgroups do. */
static bool fill_order(struct emit *e, const struct digits *d, const char *unroll,
                       const char *rolled, struct str *out)
{
    enum lanes lanes = e->unit->tuning->lanes;
    const struct template_var vars[] = {
        {"WORDS", arena_printf(e->arena, "%u", d->item)}, {"UNROLL", unroll}, {"ROLLED", rolled}};
    if (!lanes)
        return template_fill("digit_sort.glsl", vars, 2, out, e->diag);
    return template_fill(lanes == LANES_SUBGROUP ? "digit_lanes.glsl" : "emulated_lanes.glsl", NULL,
                         0, out, e->diag) &&
           template_fill("digit_rank.glsl", vars, 3, out, e->diag);
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    struct digits d = digits_of(e->func, e->kernel);
    const struct tuning *tuning = e->unit->tuning;
    bool unrolls = tuning->unroll_hint && tuning->lanes != LANES_EMULATED;
    const char *unroll = unrolls ? "[[unroll]] " : "[[dont_unroll]] ",
               *rolled = unrolls ? "" : " + gl_WorkGroupID.z";
    struct str none, order;
    str_init(&none, e->arena);
    str_init(&order, e->arena);
    for (uint32_t w = 0; w < d.item; w++)
        str_printf(&none, "%s0xffffffffu", w ? ", " : "");
    text_add(t, "HEAD", str_text(&e->scope->text));
    text_add(t, "LOAD", e->load);
    text_add(t, "STORE", e->store);
    text_add(t, "UNROLL", unroll);
    text_add_number(e, t, "WORDS", d.item);
    text_add_number(e, t, "LENGTH", d.length);
    text_add_number(e, t, "TILE", d.tile);
    text_add_number(e, t, "TILES", d.tiles);
    text_add_number(e, t, "GROUPS", d.rows * d.tiles);
    if (!d.counts)
        text_add(t, "NONE", arena_printf(e->arena, "uint[](%s)", str_text(&none)));
    if (d.selects)
        return fill_select(e, &d, t, out);
    text_add(t, "DIGIT", digit_text(e->arena, &d, arena_printf(e->arena, "%u", d.in)));
    text_add_number(e, t, "BIT", d.bit);
    text_add_number(e, t, "RADIX", d.radix);
    if (d.counts)
        return text_fill(e, t, "digit_counts.comp", out);
    if (!fill_order(e, &d, unroll, rolled, &order))
        return false;
    text_add(t, "ROLLED", rolled);
    text_add(t, "ORDER", str_text(&order));
    text_add(t, "SUM", e->inner);
    return text_fill(e, t, "digit_sort.comp", out);
}

/* ---- the row ---- */

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    if (op_class(n->op) != CLASS_DIGITS)
        return false;
    const int64_t *dim = func_tensor(unit_func(u), n->ins[0])->shape.dim;
    k->space.lines = (struct lines_space){dim[1], dim[2]};
    return true;
}

/* With work for each key, where it goes. */
static bool join(const struct unit *u, const struct kernel *k, const struct kernel *other,
                 struct kernel *out)
{
    return func_node(unit_func(u), k->heroes[0])->op == OP_DIGIT_SORT &&
           lines_join(u, k, other, out);
}

static void schedule(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    struct digits d = digits_of(unit_func(u), k);
    (void)most_unroll;
    k->schedule = (struct schedule){.group = (uint32_t)d.tile / DIGITS_EACH};
    schedule_spread(k, d.rows * d.tiles);
}

const struct family digits_family = {
    .name = "digits",
    .places = lines_places,
    .length = lines_length,
    .starts = starts,
    .join = join,
    .has_place = has_places,
    .print_space = print_rows_space,
    .schedule = schedule,
    .elements_at_once = one_element,
    .write = kernel_digits,
    .repeats = rows_repeats,
    .body = lines_text,
    .fill = fill,
};
