/* The contraction: out[b, m, n] = sum over k of a[b, m, k] * b[b, k, n], in tiles; contraction.c
   says how a dot or a conv is one.

   A workgroup computes a tile of tile_m x tile_n results. For every tile_k of k it fills two
   shared arrays. Each thread computes (or loads) its part of the operands at the index that the
   element asks for, so transposes, casts and cheap producers need no kernel. A thread keeps
   thread_m x thread_n sums in registers. What follows the product (bias, activation, an
   optimizer's update) happens where the sums are stored. On a CPU driver the threads read the
   operands directly. */

#include "runtime/bundle.h"
#include "codegen/family/family.h"
#include "codegen/family/schedule.h"
#include "codegen/family/contract_tile.h"
#include "codegen/family/row_elements.h"
#include "codegen/family/map.h"
#include "target/units.h"

static const char operand_names[] = "ab"; /* by side, in the code */

struct expr contract_operand(struct emit *e, const struct contract *c, uint32_t side,
                             uint32_t copies, const struct ix *f, const struct ix *k)
{
    const struct contract_space *space = &e->kernel->space.contract;
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    uint64_t times = e->times, others = (uint64_t)(side ? space->m : space->n),
             tile = side ? s->tile_m : s->tile_n;
    struct contraction_at at;
    ix_delinear(e->ix, &c->c.batch.shape, c->b, at.batch);
    ix_delinear(e->ix, &c->c.free[side].shape, f, at.free[side]);
    ix_delinear(e->ix, &c->c.k.shape, k, at.k);
    e->times = times / others * ((others + tile - 1) / tile) / copies;
    struct expr x = contraction_operand(e, &c->c, side, &at);
    e->times = times;
    return x;
}

/* Emits an element into nowhere to see in which direction the operand's memory runs. */
static bool runs_along_k(struct emit *e, struct contract *c, uint32_t side, int64_t extent)
{
    enum contraction_run known = contraction_run(e->func, &c->c, side);
    if (known != RUN_UNKNOWN)
        return known == RUN_ALONG_K;
    struct emit trial;
    if (!emit_trial(e, &trial))
        return true;
    trial.row = ix_var(e->ix, "f", extent, 1);
    trial.position = ix_var(e->ix, "k", e->kernel->space.contract.k, 1);
    contract_operand(&trial, c, side, 1, trial.row, trial.position);
    return trial.along_row >= trial.along_outer;
}

/* Adds the product of element `a` and element `b` to their sum. An explicit fma, since a
   precise use of the sum would keep the driver from making one. */
const char *contract_add(struct emit *e, enum vkc_type t, const char *a, const char *b)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const char *acc = arena_printf(e->arena, "acc[i * %uu + j]", s->thread_n);
    if (type_is_float(t))
        return arena_printf(e->arena, "%s = fma(%s, %s, %s);", acc, a, b, acc);
    if (type_is_complex(t))
        return arena_printf(e->arena, "%s += %s(%s, %s);", acc, emit_call(e, "nx_mul", t), a, b);
    return arena_printf(e->arena, "%s += %s * %s;", acc, a, b);
}

/* ---- straight from memory ---- A thread loads its rows of a and its columns of b, in vectors
   where the memory allows: four k of each row or column, or four rows or columns at one k. Rows
   and columns past the edge are read again from the last one, and not stored. */

/* How an operand is loaded: `width` neighbours at a time, along k or not. */
struct direct {
    uint32_t side, each, width; /* each: rows or columns of a thread */
    bool along_k;
    int64_t extent;
};

static struct direct direct_of(struct emit *e, struct contract *c, uint32_t side)
{
    const struct contract_space *space = &e->kernel->space.contract;
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    int64_t extent = side ? space->n : space->m;
    bool along_k = s->vector > 1 && runs_along_k(e, c, side, extent);
    bool whole = (along_k ? space->k : extent) % s->vector == 0;
    return (struct direct){.side = side,
                           .each = side ? s->thread_n : s->thread_m,
                           .width = whole ? s->vector : 1,
                           .along_k = along_k && whole && s->vector > 1,
                           .extent = extent};
}

/* Fills the operand's elements of a thread: at k, or at the four k of index `k` if memory runs so.
   */
static void direct_fetch(struct emit *e, struct contract *c, const struct direct *p,
                         const struct ix *k, bool in_fours)
{
    uint32_t w = p->width, across = p->along_k ? 1 : w;
    bool vectors = e->vectors;
    emit_open(e);
    uint32_t d = e->scope->depth;
    const char *origin = p->side ? "col0" : "row0",
               *text = across > 1 ? arena_printf(e->arena, "%s / %uu + i", origin, across)
                                  : arena_printf(e->arena, "%s + i", origin);
    emit_line(e, d, p->extent % p->each ? "uint f = min(%s, %lldu);" : "uint f = %s;", text,
              (long long)p->extent / across - 1);
    const struct ix *f = ix_var(e->ix, "f", p->extent / across, d);
    e->vectors = w > 1;
    for (uint32_t l = 0; l < w && !e->failed; l++) {
        const struct ix *at_f = p->along_k ? f : ix_add_const(e->ix, ix_scale(e->ix, f, w), l),
                        *at_k = p->along_k ? ix_add_const(e->ix, ix_scale(e->ix, k, w), l) : k;
        struct expr x = contract_operand(e, c, p->side, w, at_f, at_k);
        const char *at = w > 1 ? arena_printf(e->arena, "i * %uu + %uu", w, l) : "i";
        if (in_fours && !p->along_k)
            at = arena_printf(e->arena, w > 1 ? "(%s) * 4u + l" : "%s * 4u + l", at);
        if (x.text)
            emit_line(e, d, "%c[%s] = %s;", operand_names[p->side], at, x.text);
    }
    e->vectors = vectors;
    emit_close(
        e, arena_printf(e->arena, "[[unroll]] for (uint i = 0u; i < %uu; i++)", p->each / across));
}

static void direct_loop(struct emit *e, struct contract *c)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const struct direct side[2] = {direct_of(e, c, 0), direct_of(e, c, 1)};
    int64_t length = e->kernel->space.contract.k;
    bool in_fours = side[0].along_k || side[1].along_k;
    struct template_var blocks[2] = {{"FETCH", ""}, {"FETCH_FOUR", ""}};
    emit_open(e);
    const struct ix *k4 = in_fours ? ix_var(e->ix, "k4", length / 4, e->scope->depth) : NULL;
    for (uint32_t i = 0; in_fours && i < 2; i++)
        if (side[i].along_k)
            direct_fetch(e, c, &side[i], k4, true);
    if (in_fours)
        emit_open(e);
    const struct ix *k = ix_var(e->ix, "k", length, e->scope->depth);
    for (uint32_t i = 0; i < 2; i++)
        if (!side[i].along_k)
            direct_fetch(e, c, &side[i], k, in_fours);
    blocks[0].text = emit_take(e);
    if (in_fours)
        blocks[1].text = emit_take(e);
    const struct template_var v[] = {
        {"K", arena_printf(e->arena, "%lld", (long long)length)},
        {"TYPE", emit_type(e, c->c.node->outs[0].type)},
        {"THREAD_M", arena_printf(e->arena, "%u", s->thread_m)},
        {"THREAD_N", arena_printf(e->arena, "%u", s->thread_n)},
        {"ADD", contract_add(e, c->c.node->outs[0].type, in_fours ? "a[i * 4u + l]" : "a[i]",
                             in_fours ? "b[j * 4u + l]" : "b[j]")},
        {"STEPS", arena_printf(e->arena, "%lld", (long long)length / 4)},
    };
    if (in_fours)
        emit_pour(e, "tile_direct_four.glsl", v + 1, sizeof v / sizeof *v - 1, blocks, 2);
    else
        emit_pour(e, "tile_direct.glsl", v, 5, blocks, 1);
}

/* "m = row0 + ...": the thread's i-th row or column of the tile. */
static const char *result_index(const struct emit *e, const char *name, const char *origin,
                                const char *i, uint32_t apart)
{
    if (!e->unit->tuning->product_in_shared)
        return arena_printf(e->arena, "uint %s = %s + %s;", name, origin, i);
    uint32_t vector = e->kernel->schedule.contract.vector;
    if (vector == 1)
        return arena_printf(e->arena, "uint %s = %s + %s * %uu + t%s;", name, origin, i, apart,
                            name);
    return arena_printf(e->arena, "uint %s = %s + %s / %uu * %uu + t%s * %uu + %s %% %uu;", name,
                        origin, i, vector, vector * apart, name, vector, i, vector);
}

static void epilogue(struct emit *e, struct contract *c)
{
    struct kernel *k = e->kernel;
    const struct contract_schedule *s = &k->schedule.contract;
    emit_open(e);
    emit_line(e, 1, "%s", result_index(e, "m", "row0", "i", s->tile_m / s->thread_m));
    if (k->space.contract.m % s->tile_m)
        emit_line(e, 1, "if (m >= %lldu) break;",
                  (long long)k->space.contract.m); /* m grows with i */
    const struct ix *m = ix_var(e->ix, "m", k->space.contract.m, 1);
    emit_open(e);
    emit_line(e, 2, "%s", result_index(e, "n", "col0", "j", s->tile_n / s->thread_n));
    if (k->space.contract.n % s->tile_n)
        emit_line(e, 2, "if (n >= %lldu) break;", (long long)k->space.contract.n);
    const struct ix *n = ix_var(e->ix, "n", k->space.contract.n, 2);
    const struct ix *flat = contract_flat(e, c, m, n);
    const char *sum =
        contraction_sum(e, c->c.node, arena_printf(e->arena, "acc[i * %uu + j]", s->thread_n));
    emit_results(e, c->c.node, c->id, flat, emit_type(e, c->c.node->outs[0].type), sum);
    emit_close(e,
               arena_printf(e->arena, "[[unroll]] for (uint j = 0u; j < %uu; j++)", s->thread_n));
    emit_close(e,
               arena_printf(e->arena, "[[unroll]] for (uint i = 0u; i < %uu; i++)", s->thread_m));
}

const struct ix *contract_flat(struct emit *e, const struct contract *c, const struct ix *m,
                               const struct ix *n)
{
    struct contraction_at at;
    ix_delinear(e->ix, &c->c.batch.shape, c->b, at.batch);
    ix_delinear(e->ix, &c->c.free[0].shape, m, at.free[0]);
    ix_delinear(e->ix, &c->c.free[1].shape, n, at.free[1]);
    return contraction_flat(e, &c->c, &at);
}

static bool kernel_contract(struct emit *e)
{
    struct kernel *k = e->kernel;
    const struct contract_schedule *s = &k->schedule.contract;
    bool shared = e->unit->tuning->product_in_shared;
    struct contract c = {.id = k->heroes[0]};
    contraction_of(e->func, func_node(e->func, c.id), &c.c);
    c.b = ix_var(e->ix, "matrix", k->space.contract.batch, 0);
    if (shared || s->matrix) {
        c.along_k[0] = runs_along_k(e, &c, 0, k->space.contract.m);
        c.along_k[1] = runs_along_k(e, &c, 1, k->space.contract.n);
    }
    if (s->matrix)
        return matrix_write(e, &c);
    const char *type = emit_type(e, c.c.node->outs[0].type);
    int64_t tm = (k->space.contract.m + s->tile_m - 1) / s->tile_m,
            tn = (k->space.contract.n + s->tile_n - 1) / s->tile_n;
    emit_line(e, 0, "uint col0 = tile %% %lldu * %uu, row0 = tile / %lldu %% %lldu * %uu;",
              (long long)tn, s->tile_n, (long long)tn, (long long)tm, s->tile_m);
    if (k->space.contract.batch > 1)
        emit_line(e, 0, "uint matrix = tile / %lldu;", (long long)(tm * tn));
    if (shared) {
        uint32_t across = s->tile_n / s->thread_n;
        emit_line(e, 0, "uint tn = lid %% %uu, tm = lid / %uu;", across, across);
    }
    emit_line(e, 0, "%s acc[%u];", type, s->thread_m * s->thread_n);
    emit_line(e, 0, "[[unroll]] for (uint i = 0u; i < %uu; i++)", s->thread_m * s->thread_n);
    emit_line(e, 0, "    acc[i] = %s;", emit_constant(e, c.c.node->outs[0].type, 0, 0));
    if (shared)
        tile_loop(e, &c);
    else
        direct_loop(e, &c);
    emit_count(e, contraction_additions(c.c.node));
    if (e->failed)
        return false;
    e->times /= (uint64_t)k->space.contract.k;
    epilogue(e, &c);
    if (!e->failed)
        emit_scalars(e, family_places(k),
                     shared ? "if (tile == 0u && lid == 0u)" : "if (tile == 0u)");
    k->shared_bytes = shared ? tile_shared_bytes(s, c.c.node->outs[0].type) : 0;
    return e->failed == NULL;
}

/* ---- the row ---- */

int64_t contract_tiles(const struct contract_space *s, uint32_t tm, uint32_t tn)
{
    return product_tiles(&(struct product){s->batch, s->m, s->n, s->k}, tm, tn);
}

static bool schedule_wants_tiles(const struct unit *u, const struct contract_space *s)
{
    const struct tuning *t = u->tuning;
    if (s->m < t->product_least || s->n < t->product_least || s->k < t->product_least)
        return false;
    if (!t->product_in_shared && (uint64_t)s->k >= t->loop_iterations) /* it takes k in one loop */
        return false;
    return u->target->max_invocations >= t->product_threads &&
           s->batch * s->m * s->n >= t->product_results &&
           contract_tiles(s, 32, 32) >= t->product_tiles;
}

static void schedule_contract(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    (void)most_unroll;
    const struct contract_space *space = &k->space.contract;
    k->schedule.contract = (struct contract_schedule){0};
    if (u->matrix_units && matrix_schedule(u, k))
        return;
    struct contract_schedule s =
        tile_schedule(u, space, unit_func(u)->nodes[k->heroes[0]].outs[0].type);
    int64_t tiles = contract_tiles(space, s.tile_m, s.tile_n);
    k->schedule.contract = s;
    k->schedule.group = u->tuning->product_in_shared
                            ? tile_threads(&s)
                            : min32(u->tuning->tiles_a_group, u->target->max_invocations);
    schedule_spread(k, u->tuning->product_in_shared
                           ? tiles
                           : (tiles + k->schedule.group - 1) / k->schedule.group);
}

static int64_t elements(const struct kernel *k)
{
    const struct contract_space *space = &k->space.contract;
    return space->batch * space->m * space->n;
}

static int64_t length(const struct kernel *k)
{
    return k->space.contract.k;
}

static void print_space(const struct kernel *k, struct str *out)
{
    const struct contract_space *space = &k->space.contract;
    str_printf(out, " %lld x %lld x %lld x %lld", (long long)space->batch, (long long)space->m,
               (long long)space->n, (long long)space->k);
}

static uint32_t elements_at_once(const struct kernel *k)
{
    (void)k;
    return 16; /* of a thread's tile */
}

static void print_shared(struct emit *e, struct str *out)
{
    if (e->kernel->schedule.contract.matrix) {
        matrix_print_shared(e, out);
        return;
    }
    tile_shared(e, func_node(e->func, e->kernel->heroes[0])->outs[0].type, out);
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    const struct kernel *k = e->kernel;
    const struct contract_schedule *s = &k->schedule.contract;
    if (s->matrix)
        return matrix_fill(e, t, out);
    text_add(t, "BODY", t->body);
    text_add_number(e, t, "TILES", contract_tiles(&k->space.contract, s->tile_m, s->tile_n));
    text_add_number(e, t, "THREAD_M", s->thread_m);
    text_add_number(e, t, "THREAD_N", s->thread_n);
    if (!e->unit->tuning->product_in_shared)
        return text_fill(e, t, "contract_direct.comp", out);
    text_add(t, "SHARED", t->shared);
    text_add_number(e, t, "TILE_M", s->tile_m);
    text_add_number(e, t, "TILE_N", s->tile_n);
    return text_fill(e, t, "contract.comp", out);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    if (op_class(n->op) != CLASS_CONTRACT || n->op == OP_TRIANGULAR_SOLVE || u->workgroup)
        return false;
    struct contract_space space = contraction_space(unit_func(u), n);
    bool tiles = schedule_wants_tiles(u, &space) && tile_has_room(u, &space, n->outs[0].type);
    if (tiles)
        k->space.contract = space;
    return tiles;
}

const struct family contract_family = {
    .name = "contract",
    .places = elements,
    .length = length,
    .has_tiles = true,
    .starts = starts,
    .join = places_join,
    .has_place = has_places,
    .print_space = print_space,
    .schedule = schedule_contract,
    .uses_matrix_units = matrix_fits,
    .elements_at_once = elements_at_once,
    .write = kernel_contract,
    .repeats = rows_repeats,
    .print_shared = print_shared,
    .fill = fill,
};
