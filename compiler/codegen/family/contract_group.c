/* A matrix product on matrices that a whole workgroup holds (VK_NV_cooperative_matrix2): f16 and
   bf16, with sums of f32.

   A workgroup computes a tile of results as one matrix. Its operands are matrices, too, loaded from
   where they lie in memory, and the result is rounded and stored as one: how operands get to the
   units is left to the driver, which does it up to a sixth faster than contract_matrix.c
   (DECISIONS_PRODUCTS.md). That asks for stored operands whose lines the tiles divide, and for one
   result of their type. Any other product has only the bodies of a subgroup's matrices.

   What follows the product is a function of an element's row, column and sum, which the driver
   calls for each. So is the rounding to bf16, since conversions of matrices cut it off. */

#include "codegen/family/contract_matrix.h"
#include "codegen/family/map.h"
#include "codegen/family/schedule.h"
#include "runtime/bundle.h"

enum { BAND = 8 };

bool group_matrix_fits(const struct unit *u, const struct kernel *k, const struct alternative *to)
{
    const struct contract_space *s = &k->space.contract;
    uint32_t which = units_of_workgroup(to->target, matrix_type(u, k));
    const struct matrix *m = which ? units_matrix(which) : NULL;
    return m && k->nroots == 1 && unit_tensor(u, k->roots[0])->type == matrix_type(u, k) &&
           unit_size(u, k->roots[0]) == s->batch * s->m * s->n && s->m % m->m == 0 &&
           s->n % m->n == 0 && s->k % m->k == 0 &&
           contract_tiles(s, m->m, m->n) >= to->tuning.matrix_group_tiles;
}

bool group_matrix_schedule(const struct unit *u, struct kernel *k)
{
    uint32_t which = units_of_workgroup(u->target, matrix_type(u, k));
    if (!which)
        return false;
    const struct matrix *m = units_matrix(which);
    k->schedule.contract = (struct contract_schedule){
        .tile_m = m->m, .tile_n = m->n, .tile_k = m->k, .vector = EIGHT, .matrix = which};
    k->schedule.group = m->threads;
    schedule_spread(k, contract_tiles(&k->space.contract, m->m, m->n));
    return true;
}

/* How a tile lies in memory: lines of neighbours, `pitch` elements apart. */
struct lie {
    struct value value;
    const struct ix *first; /* its first element */
    int64_t pitch;
    bool along_k; /* lines run along k, or the right one of what is multiplied */
};

/* What the index grows by from one element to another; 0 where that is no constant. */
static int64_t growth(struct emit *e, const struct ix *from, const struct ix *to)
{
    const struct ix *by = to ? ix_add(e->ix, to, ix_scale(e->ix, from, -1)) : NULL;
    return by && ix_is_const(by) ? by->constant : 0;
}

/* Whether a vector of eight is what begins there, and after every line. */
static bool is_aligned(struct emit *e, const struct lie *l)
{
    return l->pitch > 0 && l->pitch % EIGHT == 0 && l->pitch <= UINT32_MAX &&
           ix_mod(e->ix, l->first, EIGHT) == ix_const(e->ix, 0);
}

/* The tile of an operand that begins at free index f and k. False if it does not lie so. */
static bool operand_lie(struct emit *e, const struct contract *c, uint32_t side, const struct ix *f,
                        const struct ix *k, struct lie *out)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const struct part p = {.side = side};
    uint32_t d = e->scope->depth;
    const struct ix *i = ix_var(e->ix, "i", side ? s->tile_n : s->tile_m, d),
                    *j = ix_var(e->ix, "j", s->tile_k, d);
    struct value v;
    const struct ix *first = matrix_loaded_from(e, c, &p, f, k, &out->value),
                    *any =
                        matrix_loaded_from(e, c, &p, ix_add(e->ix, f, i), ix_add(e->ix, k, j), &v);
    if (!first || !any || emit_in_parts(e, out->value) || v.node != out->value.node ||
        v.out != out->value.out || func_tensor(e->func, v)->type != units_matrix(s->matrix)->type)
        return false;
    int64_t by_f = growth(e, first, matrix_loaded_from(e, c, &p, ix_add_const(e->ix, f, 1), k, &v)),
            by_k = growth(e, first, matrix_loaded_from(e, c, &p, f, ix_add_const(e->ix, k, 1), &v));
    const struct ix *across = ix_add(e->ix, ix_scale(e->ix, i, by_f), ix_scale(e->ix, j, by_k));
    out->first = first;
    out->along_k = by_k == 1;
    out->pitch = out->along_k ? by_f : by_k;
    return (by_f == 1 || by_k == 1) && any == ix_add(e->ix, first, across) && is_aligned(e, out);
}

static bool result_lie(struct emit *e, const struct contract *c, const struct ix *m,
                       const struct ix *n, struct lie *out)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    uint32_t d = e->scope->depth;
    const struct ix *i = ix_var(e->ix, "i", s->tile_m, d), *j = ix_var(e->ix, "j", s->tile_n, d);
    out->value = e->kernel->roots[0];
    out->first = contract_flat(e, c, m, n);
    out->pitch = growth(e, out->first, contract_flat(e, c, ix_add_const(e->ix, m, 1), n));
    const struct ix *across = ix_add(e->ix, ix_scale(e->ix, i, out->pitch), j);
    return !emit_in_parts(e, out->value) && is_aligned(e, out) &&
           contract_flat(e, c, ix_add(e->ix, m, i), ix_add(e->ix, n, j)) ==
               ix_add(e->ix, out->first, across);
}

/* Whether a function makes the result of a sum; else the sum is rounded by the unit. */
static bool is_finished(const struct emit *e)
{
    const struct kernel *k = e->kernel;
    return k->roots[0].node != k->heroes[0] || matrix_of(e)->type != TYPE_F16;
}

/* Neighbouring workgroups take tiles of a band of rows, as in contract_matrix.c. The function that
   finishes elements knows where the tile is. */
static void place_tile(struct emit *e)
{
    const struct contract_space *space = &e->kernel->space.contract;
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const char *type = is_finished(e) ? "" : "uint ";
    long long tm = space->m / s->tile_m, tn = space->n / s->tile_n;
    if (space->batch > 1)
        emit_line(e, 0, "%smatrix = tile / %lldu;", type, tm * tn);
    emit_line(e, 0, "uint of_matrix = tile %% %lldu, band = of_matrix / %lldu;", tm * tn,
              BAND * tn);
    emit_line(e, 0, "uint rows = min(%uu, %lldu - band * %uu), of_band = of_matrix %% %lldu;", BAND,
              tm, BAND, BAND * tn);
    emit_line(e, 0, "%stile_m = band * %uu + of_band %% rows;", type, BAND);
    emit_line(e, 0, "%stile_n = of_band / rows;", type);
}

/* The function that finishes an element, with what it asks for. */
static const char *finish(struct emit *e, const struct contract *c, const struct ix **out_flat)
{
    const struct contract_space *space = &e->kernel->space.contract;
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const struct node *hero = c->c.node;
    uint32_t floor = e->floor;
    emit_open(e);
    uint32_t d = e->floor = e->scope->depth;
    emit_line(e, d, "uint m = tile_m * %uu + row, n = tile_n * %uu + column;", s->tile_m,
              s->tile_n);
    const struct ix *n = ix_var(e->ix, "n", space->n, d), *m = ix_var(e->ix, "m", space->m, d);
    *out_flat = contract_flat(e, c, m, n);
    const char *text = emit_only_result(e, hero, c->id, *out_flat, emit_type(e, hero->outs[0].type),
                                        contraction_sum(e, hero, "sum"));
    if (text)
        emit_line(e, d, "return %s;", text);
    e->floor = floor;
    return emit_take(e);
}

static void store(struct emit *e, const struct contract *c, const struct lie *result)
{
    const struct ix *flat = result->first;
    const char *function = is_finished(e) ? finish(e, c, &flat) : "", *at;
    if (e->failed || !(at = emit_store_eight(e, result->value, result->first)))
        return;
    emit_note_store(e, result->value, flat);
    if (is_finished(e)) {
        e->inner = arena_printf(
            e->arena,
            "float finish(const in uint row, const in uint column, const in float sum)\n{\n%s}\n",
            function); /* behind the functions that it calls */
        emit_line(e, 0, "sum = matrix_each(sum, finish(0u, 0u, 0.0));");
        emit_line(e, 0,
                  "barrier(); // the result may replace an operand of what follows the product");
    }
    emit_line(e, 0, "matrix_store(%s, matrix_round(sum), 0u, %lldu, 0u);", at,
              (long long)result->pitch / EIGHT);
}

/* A line that loads the tile at the first element as a matrix. */
static void load(struct emit *e, uint32_t side, const struct lie *l)
{
    const char *at = emit_load_eight(e, l->value, l->first);
    if (at)
        emit_line(e, e->scope->depth, "Matrix%c %c = matrix_load_%c(%s, %uu, %lldu, 0u);",
                  "AB"[side], "ab"[side], "ab"[side], at, l -> along_k == (side != 0),
                  (long long)l -> pitch / EIGHT);
}

bool group_matrix_write(struct emit *e, struct contract *c)
{
    struct kernel *kernel = e->kernel;
    const struct contract_space *space = &kernel->space.contract;
    const struct contract_schedule *s = &kernel->schedule.contract;
    struct lie operand[2], result;
    kernel->matrix = s->matrix;
    e->needs.features |=
        VKB_FEATURE_COOPERATIVE_MATRIX | VKB_FEATURE_VULKAN_MEMORY_MODEL |
        (units_matrix(s->matrix)->type == TYPE_F16 ? VKB_HALF_FEATURES : VKB_FEATURE_F16);
    place_tile(e);
    const struct ix *m = ix_scale(e->ix, ix_var(e->ix, "tile_m", space->m / s->tile_m, 0),
                                  s->tile_m),
                    *n = ix_scale(e->ix, ix_var(e->ix, "tile_n", space->n / s->tile_n, 0),
                                  s->tile_n);
    emit_line(e, 0, "MatrixSum sum = matrix_fill(0.0);");
    emit_open(e);
    const struct ix *k =
        ix_scale(e->ix, ix_var(e->ix, "step", space->k / s->tile_k, e->scope->depth), s->tile_k);
    if (!operand_lie(e, c, 0, m, k, &operand[0]) || !operand_lie(e, c, 1, n, k, &operand[1]))
        return emit_fail(e, "an operand does not lie in memory as a matrix").text != NULL;
    if (!operand[0].along_k && !operand[1].along_k)
        return emit_fail(e, "such operands are faster as matrices of a subgroup").text != NULL;
    load(e, 0, &operand[0]);
    load(e, 1, &operand[1]);
    emit_line(e, e->scope->depth, "sum = matrix_multiply_add(a, b, sum);");
    emit_close(e, arena_printf(e->arena, "for (uint step = 0u; step < %lldu; step++)",
                               (long long)space->k / s->tile_k));
    emit_count(e, contraction_additions(c->c.node));
    if (!result_lie(e, c, m, n, &result))
        return emit_fail(e, "the result does not lie in memory as a matrix").text != NULL;
    e->times /= (uint64_t)space->k;
    store(e, c, &result);
    return e->failed == NULL;
}

void group_matrix_print(struct emit *e, struct str *out)
{
    if (!is_finished(e))
        return;
    template_fill("matrix_each.glsl", NULL, 0, out, e->diag);
    if (e->kernel->space.contract.batch > 1)
        str_add(out, "uint matrix; // of the batch\n");
}

bool group_matrix_fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    text_add(t, "BODY", t->body);
    text_add(t, "SHARED", t->shared);
    text_add_number(e, t, "TILES",
                    contract_tiles(&e->kernel->space.contract, s->tile_m, s->tile_n));
    text_add_number(e, t, "TILE_M", s->tile_m);
    text_add_number(e, t, "TILE_N", s->tile_n);
    text_add(t, "FINISH", e->inner ? e->inner : "");
    return text_fill(e, t, "contract_group.comp", out);
}
