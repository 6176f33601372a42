/* Attention: softmax(x) v, where x is made of the scores q k^T, element by element. A workgroup
   has some rows of one matrix of the batch, and goes twice over all keys, a tile of scores at a
   time: first for the greatest of each row, then for weights, which it multiplies by the values
   and adds up. The product is divided by the sum of the weights at the end. Scores and weights
   are in registers and shared memory only.

   This file has the family's row, and the body whose products threads compute by themselves: 16 x
   16 threads, each with 4 x 4 scores and 4 rows of results. */
#include "codegen/family/attend.h"

#include "codegen/family/map.h"
#include "codegen/family/schedule.h"

enum {
    SIDE = ATTEND_SIDE,
    EACH = ATTEND_EACH,
    TILE = ATTEND_TILE,
    STEP = ATTEND_STEP,
    PITCH = ATTEND_PITCH
};

/* ---- what both bodies write ---- */

node_id attend_scores(const struct unit *u, node_id id)
{
    const struct func *f = unit_func(u);
    for (id = func_node(f, id)->ins[0].node; func_node(f, id)->op != OP_SCORES;) {
        const struct node *n = func_node(f, id);
        uint32_t i = 0;
        while (i < n->nins && !u->in_tile[n->ins[i].node])
            i++;
        if (i == n->nins)
            return VKC_NO_NODE;
        id = n->ins[i].node;
    }
    return id;
}

struct attend attend_of(struct emit *e)
{
    const struct kernel *k = e->kernel;
    const struct attend_space *s = &k->space.attend;
    struct attend a = {.id = k->heroes[0],
                       .node = func_node(e->func, k->heroes[0]),
                       .batch = s->batch,
                       .m = s->m,
                       .n = s->n,
                       .width = s->width};
    a.type = func_tensor(e->func, a.node->ins[0])->type;
    a.to = a.node->outs[0].type;
    a.scores_id = attend_scores(e->unit, a.id);
    if (a.scores_id == VKC_NO_NODE) {
        emit_fail(e, "n%u attend reads no scores", a.node->label);
        return a;
    }
    a.scores = func_node(e->func, a.scores_id);
    a.d = func_tensor(e->func, a.scores->ins[0])->shape.dim[2];
    return a;
}

void attend_place(struct emit *e, struct attend *a, uint32_t rows)
{
    long long tiles = (a->m + rows - 1) / rows;
    if (a->batch > 1)
        emit_line(e, 0, "uint matrix = tile / %lldu;", tiles);
    emit_line(e, 0, "uint row0 = tile %% %lldu * %uu;", tiles, rows);
    a->b = ix_var(e->ix, "matrix", a->batch, 0);
}

const char *attend_score(struct emit *e, const struct attend *a, const struct ix *m,
                         const struct ix *n, const char *text)
{
    const struct ix *at[3] = {a->b, m, n};
    uint32_t d = e->scope->depth;
    enum vkc_type type = a->scores->outs[0].type;
    const char *score = emit_temp(e, "score");
    emit_line(e, d, "%s %s = %s;", emit_type(e, type), score, emit_wrap(e, type, text));
    e->hero_index = ix_linear(e->ix, &a->scores->outs[0].shape, at);
    emit_hero_is(e, a->scores_id, score, d);
    struct expr x = emit_value(e, a->node->ins[0], at);
    return x.text ? x.text : "";
}

const char *attend_most(struct emit *e, const char *most, const char *x)
{
    return arena_printf(e->arena, "max(%s, %s)", most, x);
}

const char *attend_weight(struct emit *e, const struct attend *a, const char *x, const char *most)
{
    const char *apart = emit_wrap(e, a->type, arena_printf(e->arena, "%s - %s", x, most));
    const char *power = arena_printf(e->arena, "%s(%s)", emit_call(e, "nx_exp", TYPE_F32), apart);
    return emit_wrap(e, a->type, power);
}

const char *attend_result(struct emit *e, const struct attend *a, const char *sum,
                          const char *weights)
{
    const char *x =
        arena_printf(e->arena, "%s(%s, %s)", emit_call(e, "nx_div", TYPE_F32), sum, weights);
    return emit_wrap(e, a->to, x);
}

/* ---- the plain body ---- */

/* Puts element [f, along] of an operand, which is [batch, f, along], where `to` says; zero
   outside. `width`: extent along the last axis. */
static void load(struct emit *e, const struct attend *a, struct value v, int64_t extent,
                 int64_t width, const char *to)
{
    emit_line(e, e->scope->depth, "%s = 0.0;", to);
    emit_open(e);
    uint32_t d = e->scope->depth;
    const struct ix *at[3] = {a->b, ix_var(e->ix, "f", extent, d), ix_var(e->ix, "c", width, d)};
    struct expr x = emit_value(e, v, at);
    if (x.text)
        emit_line(e, d, "%s = %s;", to, x.text);
    emit_close(e, arena_printf(e->arena, "if (f < %lldu && c < %lldu)", (long long)extent,
                               (long long)width));
}

/* A step's part of the queries or keys, `STEP` elements of each of a tile's rows. */
static const char *load_rows(struct emit *e, const struct attend *a, uint32_t side)
{
    emit_open(e);
    emit_open(e);
    uint32_t d = e->scope->depth;
    emit_line(e, d, "uint at = load * %uu + lid, f = %s + at / %uu, c = d0 + at %% %uu;",
              SIDE * SIDE, side ? "key0" : "row0", STEP, STEP);
    load(e, a, a->scores->ins[side], side ? a->n : a->m, a->d,
         arena_printf(e->arena, "tile_%c[at %% %uu * %uu + at / %uu]", side ? 'b' : 'a', STEP,
                      PITCH, STEP));
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint load = 0u; load < %uu; load++)",
                               TILE * STEP / (SIDE * SIDE)));
    return emit_take(e);
}

static const char *load_values(struct emit *e, const struct attend *a)
{
    uint32_t width = attend_columns(a->width) * SIDE;
    emit_open(e);
    emit_open(e);
    uint32_t d = e->scope->depth;
    emit_line(e, d, "uint at = load * %uu + lid, f = key0 + k0 + at / %uu, c = at %% %uu;",
              SIDE * SIDE, width, width);
    load(e, a, a->node->ins[1], a->n, a->width, "tile_b[at]");
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint load = 0u; load < %uu; load++)",
                               attend_columns(a->width)));
    return emit_take(e);
}

/* What is done with each score of a thread. */
static const char *each_score(struct emit *e, const struct attend *a, bool weighs)
{
    emit_open(e);
    emit_open(e);
    emit_line(e, e->scope->depth, "uint m = min(row0 + tm * %uu + i, %lldu);", EACH,
              (long long)a->m - 1);
    const struct ix *m = ix_var(e->ix, "m", a->m, e->scope->depth);
    emit_open(e);
    emit_line(e, e->scope->depth, "uint n = key0 + tn * %uu + j;", EACH);
    if (weighs)
        emit_line(e, e->scope->depth, "float weight = 0.0;");
    emit_open(e);
    uint32_t d = e->scope->depth;
    const char *sum = arena_printf(e->arena, "score[i * %uu + j]", EACH);
    const char *x = attend_score(e, a, m, ix_var(e->ix, "n", a->n, d), sum);
    if (weighs)
        emit_line(e, d, "weight = %s;", attend_weight(e, a, x, "most[i]"));
    else
        emit_line(e, d, "most[i] = %s;", attend_most(e, "most[i]", x));
    emit_close(e, arena_printf(e->arena, "if (n < %lldu)", (long long)a->n));
    if (weighs) {
        emit_line(e, e->scope->depth, "part[i] += weight;");
        emit_line(e, e->scope->depth, "weights[(tn * %uu + j) * %uu + tm * %uu + i] = %s;", EACH,
                  PITCH, EACH, emit_cast(e, a->type, a->to, "weight"));
    }
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint j = 0u; j < %uu; j++)", EACH));
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint i = 0u; i < %uu; i++)", EACH));
    return emit_take(e);
}

static void pour_scores(struct emit *e, const struct attend *a, bool weighs)
{
    const char *most = attend_most(e, "most[i]", "parts[(tm * 4u + i) * 16u + j]"),
               *wide = arena_printf(e->arena, "%u", attend_columns(a->width) * SIDE),
               *each = arena_printf(e->arena, "%u", attend_columns(a->width));
    const struct template_var n = {"N", arena_printf(e->arena, "%lld", (long long)a->n)},
                              width = {"D", arena_printf(e->arena, "%lld", (long long)a->d)},
                              of_most[] = {n, width, {"MOST", most}},
                              of_values[] = {n, width, {"WIDTH", wide}, {"EACH_COLUMNS", each}};
    emit_open(e);
    const char *queries = load_rows(e, a, 0), *keys = load_rows(e, a, 1),
               *take = each_score(e, a, weighs), *values = weighs ? load_values(e, a) : "";
    emit_take(e);
    const struct template_var blocks[] = {
        {"QUERIES", queries}, {"KEYS", keys}, {"TAKE", take}, {"VALUES", values}};
    if (weighs)
        emit_pour(e, "attend_values.glsl", of_values, 4, blocks, 4);
    else
        emit_pour(e, "attend_most.glsl", of_most, 3, blocks, 3);
}

static void results(struct emit *e, const struct attend *a)
{
    emit_open(e);
    emit_line(e, 1, "uint m = row0 + tm * %uu + i;", EACH);
    emit_line(e, 1, "if (m >= %lldu) break;", (long long)a->m);
    const struct ix *m = ix_var(e->ix, "m", a->m, 1);
    emit_open(e);
    emit_line(e, 2, "uint n = j * %uu + tn;", SIDE);
    if (a->width % SIDE)
        emit_line(e, 2, "if (n >= %lldu) break;", (long long)a->width);
    const struct ix *at[3] = {a->b, m, ix_var(e->ix, "n", a->width, 2)};
    const char *x = attend_result(
        e, a, arena_printf(e->arena, "sums[i * %uu + j]", attend_columns(a->width)), "weight[i]");
    emit_results(e, a->node, a->id, ix_linear(e->ix, &a->node->outs[0].shape, at),
                 emit_type(e, a->to), x);
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint j = 0u; j < %uu; j++)",
                               attend_columns(a->width)));
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint i = 0u; i < %uu; i++)", EACH));
}

static bool write_plain(struct emit *e, struct attend *a)
{
    attend_place(e, a, TILE);
    const struct template_var v[] = {
        {"COLUMNS", arena_printf(e->arena, "%u", EACH * attend_columns(a->width))},
    };
    emit_pour(e, "attend_begin.glsl", v, 1, NULL, 0);
    pour_scores(e, a, false);
    pour_scores(e, a, true);
    results(e, a);
    if (!e->failed)
        emit_scalars(e, family_places(e->kernel), "if (tile == 0u && lid == 0u)");
    e->kernel->shared_bytes = attend_plain_bytes(a->width);
    return e->failed == NULL;
}

/* ---- the row ---- */

static int64_t elements(const struct kernel *k)
{
    const struct attend_space *s = &k->space.attend;
    return s->batch * s->m * s->width;
}

static int64_t length(const struct kernel *k)
{
    return k->space.attend.n;
}

static void print_space(const struct kernel *k, struct str *out)
{
    const struct attend_space *s = &k->space.attend;
    str_printf(out, " %lld x %lld x %lld x %lld", (long long)s->batch, (long long)s->m,
               (long long)s->n, (long long)s->width);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    if (n->op != OP_ATTEND)
        return false;
    const struct shape *x = &func_tensor(unit_func(u), n->ins[0])->shape;
    k->space.attend =
        (struct attend_space){x->dim[0], x->dim[1], x->dim[2], n->outs[0].shape.dim[2]};
    return true;
}

static void schedule(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    const struct attend_space *s = &k->space.attend;
    (void)most_unroll;
    k->schedule = (struct schedule){0};
    if (u->matrix_units == UNITS_SUBGROUP && attend_matrix_schedule(u, k))
        return;
    k->schedule.attend = (struct attend_schedule){.rows = TILE};
    k->schedule.group = SIDE * SIDE;
    schedule_spread(k, s->batch * ((s->m + TILE - 1) / TILE));
}

static bool write(struct emit *e)
{
    struct attend a = attend_of(e);
    if (e->failed)
        return false;
    emit_count(e, (uint64_t)(4 * a.d / a.width + 2));
    return e->kernel->schedule.attend.matrix ? attend_matrix_write(e, &a) : write_plain(e, &a);
}

static void print_shared(struct emit *e, struct str *out)
{
    if (e->kernel->schedule.attend.matrix) {
        attend_matrix_print_shared(e, out);
        return;
    }
    str_printf(out, "shared float tile_a[%u], tile_b[%u], weights[%u], parts[%u];\n", STEP * PITCH,
               attend_keys_floats(e->kernel->space.attend.width), TILE * PITCH, TILE * SIDE);
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    const struct attend_space *s = &e->kernel->space.attend;
    uint32_t rows = e->kernel->schedule.attend.rows;
    text_add(t, "BODY", t->body);
    text_add(t, "SHARED", t->shared);
    text_add_number(e, t, "TILES", s->batch * ((s->m + rows - 1) / rows));
    text_add_number(e, t, "ROWS", rows);
    return text_fill(e, t, "attend.comp", out);
}

const struct family attend_family = {
    .name = "attend",
    .places = elements,
    .length = length,
    .starts = starts,
    .join = places_join,
    .has_place = has_places,
    .print_space = print_space,
    .schedule = schedule,
    .uses_matrix_units = attend_matrix_fits,
    .elements_at_once = one_element,
    .write = write,
    .repeats = rows_repeats,
    .print_shared = print_shared,
    .fill = fill,
};
