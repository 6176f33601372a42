/* A matrix product on matrix units: f16, bf16 and f32, with sums of f32.

   A workgroup computes a tile of tile_m x tile_n results, of which each subgroup has a part, in
   matrices that its threads hold together. For every tile_k of k the operands go through shared
   memory, eight elements of 16 bits at a time, as they lie in memory; matrices are loaded from
   there by rows or by columns. An operand that is just a stored value is copied as it is; another
   one is computed, rounded to its type and packed. Results go through shared memory, too, so that
   what follows the product may ask where in the result an element lies. They take the place of the
   operands there.

   Of f32 an operand's element is two of f16, and a product three (contract_split.c), unless both
   operands were converted from one type of 16 bits here: then it is that type's.

   The product of two elements is exact in f32. Sums are made by the unit, in an order of its own;
   in some units the parts of one sum are added with less than f32's rounding. */

#include <math.h>

#include "codegen/family/contract_matrix.h"
#include "codegen/family/contract_rows.h"
#include "codegen/family/map.h"
#include "codegen/family/schedule.h"
#include "runtime/bundle.h"

enum { VECTOR_BYTES = 16, BAND = 8 };

const struct matrix *matrix_of(const struct emit *e)
{
    return units_matrix(e->kernel->schedule.contract.matrix);
}

enum vkc_type matrix_type(const struct unit *u, const struct kernel *k)
{
    struct value in[2];
    return contraction_sources(u, k, func_node(unit_func(u), k->heroes[0]), in);
}

/* ---- the schedule ---- */

bool matrix_fits(const struct unit *u, const struct kernel *k, const struct alternative *to)
{
    const struct contract_space *s = &k->space.contract;
    const struct tuning *t = &to->tuning;
    enum vkc_type type = matrix_type(u, k);
    bool is_f32 = unit_tensor(u, (struct value){k->heroes[0], 0})->type == TYPE_F32;
    if (to->matrix_units == UNITS_WORKGROUP)
        return group_matrix_fits(u, k, to);
    const struct product p = {s->batch, s->m, s->n, s->k};
    return units_for(to->target, type) && (!is_f32 || !u->plain_products) &&
           (type != TYPE_F32 || t->matrix_split) && units_suit(t, type, &p) &&
           (type != TYPE_F32 || units_split_suit(t, &p));
}

/* Whether memory of the operand runs along k decides how its tile lies, and so how large it is. */
static uint32_t tile_vectors(const struct contract_schedule *s, uint32_t side, bool along_k)
{
    uint32_t tile = side ? s->tile_n : s->tile_m;
    return along_k ? tile * matrix_pitch(s->tile_k) : s->tile_k * matrix_pitch(tile);
}

static uint32_t subgroups(const struct contract_schedule *s)
{
    return s->tile_m / s->thread_m * (s->tile_n / s->thread_n);
}

/* Of an operand's array. `planes`: 2 for the halves of f32, else 1. */
static uint32_t array_vectors(const struct contract_schedule *s, uint32_t side, bool along_k,
                              uint32_t planes)
{
    uint32_t tile = planes * tile_vectors(s, side, along_k),
             sums = side ? 0 : subgroups(s) * matrix_sum_vectors(s);
    return tile > sums ? tile : sums;
}

/* Whichever way the operands lie. */
static uint32_t most_shared_bytes(const struct contract_schedule *s, bool split)
{
    uint32_t vectors = 0, planes = split ? 2 : 1;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t a = array_vectors(s, side, false, planes),
                 b = array_vectors(s, side, true, planes);
        vectors += a > b ? a : b;
    }
    return vectors * VECTOR_BYTES + (split ? SPLIT_SHARED_BYTES : 0);
}

static bool divides(const struct contract_schedule *s, uint32_t group)
{
    const struct matrix *m = units_matrix(s->matrix);
    return s->thread_m % m->m == 0 && s->thread_n % m->n == 0 && s->tile_k % m->k == 0 &&
           s->tile_m * s->tile_k % (EIGHT * group) == 0 &&
           s->tile_n * s->tile_k % (EIGHT * group) == 0;
}

static bool fits(const struct unit *u, const struct kernel *k, const struct contract_schedule *s,
                 uint32_t group, bool split)
{
    const struct vkc_target *t = u->target;
    uint32_t bytes = most_shared_bytes(s, split);
    if (reduces_product(k) && !matrix_reduces(u, s))
        return false;
    if (reduces_product(k))
        bytes += product_rows_bytes(u, k, s->tile_m, matrix_row_threads(u, s));
    return group <= t->max_invocations && divides(s, group) && bytes <= t->max_shared_bytes;
}

static bool schedule_of(const struct unit *u, const struct kernel *k, const struct matrix_tile *x,
                        struct contract_schedule *out, uint32_t *out_group)
{
    enum vkc_type type = matrix_type(u, k);
    bool split = type == TYPE_F32;
    *out = (struct contract_schedule){.tile_m = x->m,
                                      .tile_n = x->n,
                                      .tile_k = x->k,
                                      .thread_m = x->subgroup_m,
                                      .thread_n = x->subgroup_n,
                                      .vector = EIGHT,
                                      .matrix = units_for(u->target, type),
                                      .split = split};
    *out_group = subgroups(out) * u->target->subgroup_size;
    return fits(u, k, out, *out_group, split);
}

bool matrix_schedule(const struct unit *u, struct kernel *k)
{
    const struct contract_space *space = &k->space.contract;
    const struct product p = {space->batch, space->m, space->n, space->k};
    enum vkc_type type = matrix_type(u, k);
    uint32_t ntiles, group;
    const struct matrix_tile *tiles = units_tiles(u->tuning, type, &ntiles);
    if (reduces_product(k) && type == TYPE_F32) {
        tiles = u->tuning->reduced_tiles;
        ntiles = u->tuning->nreduced_tiles;
    }
    double least = INFINITY;
    if (u->matrix_units == UNITS_WORKGROUP)
        return group_matrix_schedule(u, k);
    for (uint32_t i = 0; i < ntiles; i++) {
        struct contract_schedule s;
        double ns = units_ns(u->tuning, &tiles[i], &p);
        if (ns >= least || !schedule_of(u, k, &tiles[i], &s, &group))
            continue;
        least = ns;
        k->schedule.contract = s;
        k->schedule.group = group;
        schedule_spread(k, product_groups(k, s.tile_m, s.tile_n));
    }
    return least < INFINITY;
}

/* ---- the loop ---- */

/* Where in the array the matrix begins that is number `number` of the subgroup's part, of so many
   rows or columns, for `part` of k. */
static const char *begins(struct emit *e, const struct part *p, const char *number, uint32_t size)
{
    uint32_t k = matrix_of(e)->k, row = matrix_pitch(p->run);
    const char *f =
        arena_printf(e->arena, "(part_%c + %s * %uu)", p->side ? 'n' : 'm', number, size);
    return p->along_k ? arena_printf(e->arena, "%s * %uu + part * %uu", f, row, k / EIGHT)
                      : arena_printf(e->arena, "part * %uu + %s / 8u", k * row, f);
}

/* `to`: the matrix; `half`: 1 for the lower halves of f32. */
static void load_matrix(struct emit *e, const struct part *p, const char *to, uint32_t half)
{
    const struct matrix *m = matrix_of(e);
    const char *at = begins(e, p, p->side ? "j" : "i", p->side ? m->n : m->m);
    if (half)
        at = arena_printf(e->arena, "%s + %uu", at,
                          e->kernel->schedule.contract.vectors[p->side] / 2);
    emit_line(e, e->scope->depth, "%s = matrix_load_%c(tile_%c[%s], %uu, %uu, 48u, 2u);", to,
              matrix_name(p), matrix_name(p), at, p->along_k == (p->side != 0),
              matrix_pitch(p->run));
}

static void add_product(struct emit *e, const char *to, const char *a, const char *b)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    uint32_t count_n = s->thread_n / matrix_of(e)->n;
    emit_line(e, e->scope->depth,
              "%s[i * %uu + j] = matrix_multiply_add(%s[i], %s, %s[i * %uu + j]);", to, count_n, a,
              b, to, count_n);
}

/* The products of what lies in shared memory, each a line: where loops are left to a driver, it may
   keep the sums in memory. */
static const char *multiply(struct emit *e, const struct part *a, const struct part *b)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const struct matrix *m = matrix_of(e);
    uint32_t count_m = s->thread_m / m->m, count_n = s->thread_n / m->n;
    bool split = matrix_splits(e);
    emit_open(e);
    emit_open(e);
    emit_line(e, e->scope->depth, split ? "MatrixA a[%u], low_a[%u];" : "MatrixA a[%u];", count_m,
              count_m);
    emit_open(e);
    load_matrix(e, a, "a[i]", 0);
    if (split)
        load_matrix(e, a, "low_a[i]", 1);
    emit_close_each(e, "i", count_m);
    emit_open(e);
    load_matrix(e, b, "MatrixB b", 0);
    if (split)
        load_matrix(e, b, "MatrixB low_b", 1);
    emit_open(e);
    add_product(e, "sums", "a", "b");
    if (split) {
        add_product(e, "low_sums", "a", "low_b");
        add_product(e, "low_sums", "low_a", "b");
    }
    emit_close_each(e, "i", count_m);
    emit_close_each(e, "j", count_n);
    emit_close_each(e, "part", s->tile_k / m->k);
    return emit_take(e);
}

/* What the steps of the loop are made of. */
struct step {
    const char *fetch, *put, *multiply;
};

/* The text of a step, which loads what the one multiplies that is `ahead` of number `step`; of the
   last if `step` is NULL. */
static const char *step_text(struct emit *e, const struct step *x, const char *step, int64_t ahead)
{
    uint32_t tile_k = e->kernel->schedule.contract.tile_k;
    int64_t last = (e->kernel->space.contract.k - 1) / tile_k;
    const char *at = step ? arena_printf(e->arena, "min(%s + %lldu, %lldu) * %uu", step,
                                         (long long)ahead, (long long)last, tile_k)
                          : arena_printf(e->arena, "%lldu", (long long)last * tile_k);
    const struct template_var v[] = {{"AT", at}}, blocks[] = {{"PUT", x->put},
                                                              {"FETCH", last ? x->fetch : ""},
                                                              {"MULTIPLY", x->multiply}};
    emit_open(e);
    emit_pour(e, "matrix_step.glsl", v, 1, blocks, 3);
    return emit_take(e);
}

/* The text of a last step, which loads nothing. */
static const char *last_text(struct emit *e, const struct step *x)
{
    const struct step last = {.fetch = "", .put = x->put, .multiply = x->multiply};
    return step_text(e, &last, NULL, 0);
}

static const char *both(struct emit *e, const struct part part[2], enum matrix_use use)
{
    const char *a = matrix_use(e, &part[0], use);
    return arena_printf(e->arena, "%s%s", a, matrix_use(e, &part[1], use));
}

/* Two steps a turn are a tenth faster than one on an H200, and more are not, if there are many.
   With few, one: what a kernel takes then is its code on its way from memory. Computed operands
   have too many statements to be written twice. The last step may stand behind the loop and load
   nothing: of few steps its loads are a large share, and a workgroup with many tiles has the code
   at hand. */
static void loop(struct emit *e, struct contract *c)
{
    struct contract_schedule *s = &e->kernel->schedule.contract;
    struct part part[2] = {matrix_part(e, c, 0), matrix_part(e, c, 1)}, *a = &part[0],
                *b = &part[1];
    bool split = matrix_splits(e);
    struct arena *ar = e->arena;
    int64_t steps = (e->kernel->space.contract.k + s->tile_k - 1) / s->tile_k;
    emit_open(e);
    emit_open(e);
    const char *fetch_a = matrix_fetch(e, c, a), *fetch_b = matrix_fetch(e, c, b);
    const char *inner = emit_take(e), *shared = emit_take(e);
    emit_open(e);
    emit_open(e);
    const char *put = both(e, part, MATRIX_PUT);
    const struct step x = {.fetch = arena_printf(ar, "%s%s%s%s", shared, inner, fetch_a, fetch_b),
                           .put = put,
                           .multiply = multiply(e, a, b)};
    bool is_last_apart =
        steps > 1 && (steps <= e->unit->tuning->matrix_last || reduces_product(e->kernel));
    steps -= is_last_apart;
    int64_t each = a->copied && b->copied && steps > e->unit->tuning->matrix_short ? 2 : 1;
    const char *turn = step_text(e, &x, "step", 0), *rest = "", *begin = "";
    struct split_text text = {.fetch = x.fetch};
    if (each == 2) {
        turn = arena_printf(ar, "%s%s", turn, step_text(e, &x, "step", 1));
        rest = steps % 2 ? step_text(e, &x, NULL, 0) : "";
    }
    if (is_last_apart)
        rest = arena_printf(ar, "%s%s", rest, last_text(e, &x));
    if (split) {
        text.put = both(e, part, MATRIX_PUT_PLAIN);
        text.count = both(e, part, MATRIX_COUNT);
        text.tell = both(e, part, MATRIX_TELL);
        emit_open(e);
        split_begin(e, part);
        begin = emit_take(e);
    }
    emit_take(e);
    emit_take(e);
    const struct template_var blocks[] = {
        {"FETCH", x.fetch}, {"TURN", turn}, {"REST", rest}, {"BEGIN", begin}};
    const struct template_var v[] = {
        {"TYPE", split ? "vec4" : "uvec4"},
        {"EACH_A", arena_printf(ar, "%u", a->each * (split ? 2 : 1))},
        {"EACH_B", arena_printf(ar, "%u", b->each * (split ? 2 : 1))},
        {"EACH", arena_printf(ar, "%lld", (long long)each)},
        {"TURNS", arena_printf(ar, "%lld", (long long)(steps / each))},
    };
    emit_pour(e, "matrix_loop.glsl", v, sizeof v / sizeof *v, blocks,
              sizeof blocks / sizeof *blocks);
    if (split)
        split_end(e, part, &text, matrix_sum_pitch(s));
}

/* ---- the kernel ---- */

/* The subgroup's part of the tile. */
static void place_part(struct emit *e)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    uint32_t across = s->tile_m / s->thread_m;
    emit_line(e, 0, "uint part_m = gl_SubgroupID %% %uu * %uu, part_n = gl_SubgroupID / %uu * %uu;",
              across, s->thread_m, across, s->thread_n);
}

/* Neighbouring workgroups take rows of a band of tiles, one column after the other, so that those
   that run together share what they load. */
static void place_tile(struct emit *e)
{
    const struct contract_space *space = &e->kernel->space.contract;
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    long long tm = (space->m + s->tile_m - 1) / s->tile_m,
              tn = (space->n + s->tile_n - 1) / s->tile_n;
    if (reduces_product(e->kernel)) {
        if (space->batch > 1)
            emit_line(e, 0, "uint matrix = tile / %lldu;", tm);
        emit_line(e, 0, "uint row0 = tile %% %lldu * %uu;", tm, s->tile_m);
        place_part(e);
        return;
    }
    if (space->batch > 1)
        emit_line(e, 0, "uint matrix = tile / %lldu;", tm * tn);
    emit_line(e, 0, "uint of_matrix = tile %% %lldu, band = of_matrix / %lldu;", tm * tn,
              BAND * tn);
    emit_line(e, 0, "uint rows = min(%uu, %lldu - band * %uu), of_band = of_matrix %% %lldu;", BAND,
              tm, BAND, BAND * tn);
    emit_line(e, 0,
              "uint row0 = (band * %uu + of_band %% rows) * %uu, col0 = of_band / rows * %uu;",
              BAND, s->tile_m, s->tile_n);
    place_part(e);
}

bool matrix_write(struct emit *e, struct contract *c)
{
    struct kernel *k = e->kernel;
    struct contract_schedule *s = &k->schedule.contract;
    if (!matrix_splits(e))
        contraction_sources(e->unit, k, c->c.node, c->c.in);
    if (matrix_of(e)->threads)
        return group_matrix_write(e, c);
    uint32_t sums = s->thread_m / matrix_of(e)->m * (s->thread_n / matrix_of(e)->n);
    k->matrix = s->matrix;
    e->needs.features |=
        VKB_FEATURE_COOPERATIVE_MATRIX | VKB_FEATURE_VULKAN_MEMORY_MODEL | VKB_FEATURE_F16;
    place_tile(e);
    bool split = matrix_splits(e);
    for (uint32_t side = 0; side < 2; side++)
        s->vectors[side] = array_vectors(s, side, c->along_k[side], split ? 2 : 1);
    k->shared_bytes =
        (s->vectors[0] + s->vectors[1]) * VECTOR_BYTES + (split ? SPLIT_SHARED_BYTES : 0);
    if (split)
        e->needs.features |= VKB_FEATURE_DENORM_PRESERVE_16 | VKB_FEATURE_ROUND_NEAREST_16;
    struct row_parts rows = {0};
    if (reduces_product(k)) {
        rows = matrix_rows(e);
        k->shared_bytes += product_rows_bytes(e->unit, k, s->tile_m, rows.parts);
        product_rows_begin(e, &rows);
    }
    emit_line(e, 0, split ? "MatrixSum sums[%u], low_sums[%u];" : "MatrixSum sums[%u];", sums,
              sums);
    emit_open(e);
    emit_line(e, e->scope->depth, "sums[i] = matrix_fill(0.0);");
    if (split)
        emit_line(e, e->scope->depth, "low_sums[i] = matrix_fill(0.0);");
    emit_close_each(e, "i", sums);
    loop(e, c);
    emit_count(e, contraction_additions(c->c.node));
    if (e->failed && !reduces_product(k))
        return false;
    e->times /= (uint64_t)k->space.contract.k;
    if (!e->failed)
        matrix_finish(e, c, reduces_product(k) ? &rows : NULL);
    if (reduces_product(k))
        product_rows_end(e, c, &rows);
    if (!e->failed)
        emit_scalars(e, family_places(k), "if (tile == 0u && lid == 0u)");
    return e->failed == NULL;
}

void matrix_print_unit(struct emit *e, const struct matrix *m, struct str *out)
{
    bool is_bf16 = m->type == TYPE_BF16;
    const char *element = is_bf16 ? "17" : "16",
               *number[3] = {arena_printf(e->arena, "%u", m->m), arena_printf(e->arena, "%u", m->n),
                             arena_printf(e->arena, "%u", m->k)};
    const struct template_var v[] = {
        {"ELEMENT", element},
        {"ROWS", number[0]},
        {"COLUMNS", number[1]},
        {"K", number[2]},
        {"CAPABILITIES", is_bf16 ? ", 5116, 5118" : ", 9"},
        {"EXTENSIONS", is_bf16 ? ", \"SPV_KHR_bfloat16\"" : ""},
    };
    template_fill(m->threads ? "matrix_group.glsl" : "matrix_unit.glsl", v, sizeof v / sizeof *v,
                  out, e->diag);
}

void matrix_print_shared(struct emit *e, struct str *out)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    matrix_print_unit(e, matrix_of(e), out);
    if (matrix_of(e)->threads) {
        group_matrix_print(e, out);
        return;
    }
    for (uint32_t side = 0; side < 2; side++)
        str_printf(out, "shared uvec4 tile_%c[%u];\n", side ? 'b' : 'a', s->vectors[side]);
    if (matrix_splits(e))
        split_print_shared(e, out);
    if (reduces_product(e->kernel)) {
        struct row_parts rows = matrix_rows(e);
        product_rows_shared(e, &rows, out);
    }
}

bool matrix_fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    if (matrix_of(e)->threads)
        return group_matrix_fill(e, t, out);
    text_add(t, "BODY", t->body);
    text_add(t, "SHARED", t->shared);
    text_add_number(e, t, "TILES", product_groups(e->kernel, s->tile_m, s->tile_n));
    text_add_number(e, t, "TILE_M", s->tile_m);
    text_add_number(e, t, "TILE_N", s->tile_n);
    text_add_number(e, t, "PART_M", s->thread_m);
    text_add_number(e, t, "PART_N", s->thread_n);
    return text_fill(e, t, "contract_matrix.comp", out);
}
