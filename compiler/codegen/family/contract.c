/* The contraction: out[b, m, n] = sum over k of a[b, m, k] * b[b, k, n], in tiles; contraction.c
   says how a dot or a conv is one.

   A workgroup computes a tile of tile_m x tile_n results. For every tile_k of k it fills two
   shared arrays. Each thread computes (or loads) its part of the operands at the index that the
   element asks for, so transposes, casts and cheap producers need no kernel. A thread keeps
   thread_m x thread_n sums in registers. What follows the product (bias, activation, an
   optimizer's update) happens where the sums are stored. On a CPU driver the threads read the
   operands directly (contract_direct.c). Products with few rows or columns have a body of their
   own (contract_narrow.c). */

#include "runtime/bundle.h"
#include "codegen/family/family.h"
#include "codegen/family/schedule.h"
#include "codegen/family/contract_direct.h"
#include "codegen/family/contract_narrow.h"
#include "codegen/family/contract_rows.h"
#include "codegen/family/contract_tile.h"
#include "codegen/family/row_elements.h"
#include "codegen/family/map.h"
#include "target/units.h"

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
bool contract_runs_along_k(struct emit *e, const struct contract *c, uint32_t side)
{
    int64_t extent = contract_extent(e->kernel, side);
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

void contract_results(struct emit *e, const struct contract *c, const struct ix *m,
                      const struct ix *n, const char *const *acc, uint32_t width)
{
    const char *type = emit_type(e, c->c.node->outs[0].type), *sum[4];
    const struct ix *flat[4];
    for (uint32_t l = 0; l < width; l++) {
        flat[l] = contract_flat(e, c, m, ix_add_const(e->ix, n, l));
        sum[l] = contraction_sum(e, c->c.node, acc[l]);
    }
    if (width == 1) {
        emit_results(e, c->c.node, c->id, flat[0], type, sum[0]);
        return;
    }
    e->times /= 4;
    emit_results_four(e, c->c.node, c->id, flat, type, sum);
    e->times *= 4;
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
    const char *sum = arena_printf(e->arena, "acc[i * %uu + j]", s->thread_n);
    contract_results(e, c, m, n, &sum, 1);
    emit_close(e,
               arena_printf(e->arena, "[[unroll]] for (uint j = 0u; j < %uu; j++)", s->thread_n));
    emit_close(e,
               arena_printf(e->arena, "[[unroll]] for (uint i = 0u; i < %uu; i++)", s->thread_m));
}

/* The same, four neighbours of a row at a time: a store of a lane is a branch to Mesa's CPU driver,
   and code. */
static void epilogue_fours(struct emit *e, struct contract *c)
{
    struct kernel *k = e->kernel;
    const struct contract_schedule *s = &k->schedule.contract;
    const struct contract_space *space = &k->space.contract;
    const char *sum[4];
    bool vectors = e->vectors;
    emit_open(e);
    emit_line(e, 1, "uint m = row0 + i;");
    if (space->m % s->tile_m)
        emit_line(e, 1, "if (m >= %lldu) break;", (long long)space->m);
    const struct ix *m = ix_var(e->ix, "m", space->m, 1);
    emit_open(e);
    emit_line(e, 2, "uint quad = col0 / 4u + j;");
    if (space->n % s->tile_n)
        emit_line(e, 2, "if (quad >= %lldu) break;", (long long)space->n / 4);
    const struct ix *n = ix_scale(e->ix, ix_var(e->ix, "quad", space->n / 4, 2), 4);
    e->vectors = true;
    for (uint32_t l = 0; l < 4; l++)
        sum[l] = arena_printf(e->arena, "acc[i * %uu + j * 4u + %uu]", s->thread_n, l);
    e->first_index = contract_flat(e, c, m, n);
    contract_results(e, c, m, n, sum, 4);
    e->first_index = NULL;
    e->vectors = vectors;
    emit_close(
        e, arena_printf(e->arena, "[[unroll]] for (uint j = 0u; j < %uu; j++)", s->thread_n / 4));
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

/* The sums of a thread's tile, in registers. */
static void thread_sums(struct emit *e, struct contract *c)
{
    struct kernel *k = e->kernel;
    const struct contract_schedule *s = &k->schedule.contract;
    enum vkc_type t = c->c.node->outs[0].type;
    bool shared = e->unit->tuning->product_in_shared;
    if (shared && !reduces_product(k)) {
        uint32_t across = s->tile_n / s->thread_n;
        emit_line(e, 0, "uint tn = lid %% %uu, tm = lid / %uu;", across, across);
    }
    emit_line(e, 0, "%s acc[%u];", emit_type(e, t), s->thread_m * s->thread_n);
    emit_line(e, 0, "[[unroll]] for (uint i = 0u; i < %uu; i++)", s->thread_m * s->thread_n);
    emit_line(e, 0, "    acc[i] = %s;", emit_constant(e, t, 0, 0));
    if (shared)
        tile_loop(e, c);
    else
        direct_loop(e, c, &(struct direct_way){.run = s->vector, .slices = 1, .turns = 1});
    k->shared_bytes = shared ? tile_shared_bytes(s, t) : 0;
}

/* The elements of a thread's tile, for the reductions of their rows: four neighbours at a time
   where the thread has such. */
static void reduce_tile(struct emit *e, const struct contract *c, const struct row_parts *p)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    int64_t columns = e->kernel->space.contract.n;
    uint32_t apart = s->tile_n / s->thread_n, width = s->vector == 4 && columns % 4 == 0 ? 4 : 1;
    const char *sum[4];
    bool vectors = e->vectors;
    emit_open(e);
    const struct ix *m = product_row(e, p);
    emit_open(e);
    if (width == 4)
        emit_line(e, 2, "uint n = col0 / 4u + j * %uu + tn;", apart);
    else
        emit_line(e, 2, "%s", result_index(e, "n", "col0", "j", apart));
    if (columns % s->tile_n)
        emit_line(e, 2, "if (n >= %lldu) break;", (long long)columns / width);
    const struct ix *n = ix_scale(e->ix, ix_var(e->ix, "n", columns / width, 2), width);
    for (uint32_t l = 0; l < width; l++)
        sum[l] = arena_printf(e->arena, "acc[i * %uu + j * %uu + %uu]", s->thread_n, width, l);
    e->vectors = width == 4;
    product_rows_take(e, c, m, n, sum, width);
    e->vectors = vectors;
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint j = 0u; j < %uu; j++)",
                               s->thread_n / width));
    emit_close(e,
               arena_printf(e->arena, "[[unroll]] for (uint i = 0u; i < %uu; i++)", s->thread_m));
}

/* Which row of the tile the thread's i-th is, and how many threads share it. */
static struct row_parts tile_parts(const struct emit *e)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    uint32_t apart = s->tile_m / s->thread_m, v = s->vector;
    return (struct row_parts){.rows = s->thread_m,
                              .of = v == 1 ? arena_printf(e->arena, "(i * %uu + tm)", apart)
                                           : arena_printf(e->arena,
                                                          "(i / %uu * %uu + tm * %uu + i %% %uu)",
                                                          v, v * apart, v, v),
                              .parts = s->tile_n / s->thread_n,
                              .which = "tn"};
}

/* A product whose rows are reduced, with the threads' own arithmetic. */
static bool reduced_product(struct emit *e, struct contract *c)
{
    struct kernel *k = e->kernel;
    const struct contract_schedule *s = &k->schedule.contract;
    struct row_parts parts = tile_parts(e);
    uint32_t across = s->tile_n / s->thread_n;
    long long tm = (k->space.contract.m + s->tile_m - 1) / s->tile_m;
    emit_line(e, 0, "uint row0 = tile %% %lldu * %uu;", tm, s->tile_m);
    if (k->space.contract.batch > 1)
        emit_line(e, 0, "uint matrix = tile / %lldu;", tm);
    emit_line(e, 0, "uint tn = lid %% %uu, tm = lid / %uu;", across, across);
    product_rows_begin(e, &parts);
    thread_sums(e, c);
    emit_count(e, contraction_additions(c->c.node));
    e->times /= (uint64_t)k->space.contract.k;
    if (!e->failed)
        reduce_tile(e, c, &parts);
    product_rows_end(e, c, &parts);
    k->shared_bytes += product_rows_bytes(e->unit, k, s->tile_m, parts.parts);
    if (!e->failed)
        emit_scalars(e, family_places(k), "if (tile == 0u && lid == 0u)");
    return e->failed == NULL;
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
        c.along_k[0] = contract_runs_along_k(e, &c, 0);
        c.along_k[1] = contract_runs_along_k(e, &c, 1);
    }
    if (s->matrix)
        return matrix_write(e, &c);
    if (reduces_product(k))
        return reduced_product(e, &c);
    int64_t tm = (k->space.contract.m + s->tile_m - 1) / s->tile_m,
            tn = (k->space.contract.n + s->tile_n - 1) / s->tile_n;
    emit_line(e, 0, "uint col0 = tile %% %lldu * %uu, row0 = tile / %lldu %% %lldu * %uu;",
              (long long)tn, s->tile_n, (long long)tn, (long long)tm, s->tile_m);
    if (k->space.contract.batch > 1)
        emit_line(e, 0, "uint matrix = tile / %lldu;", (long long)(tm * tn));
    if (s->few)
        narrow_sums(e, &c);
    else
        thread_sums(e, &c);
    emit_count(e, contraction_additions(c.c.node));
    if (e->failed)
        return false;
    e->times /= (uint64_t)k->space.contract.k;
    if (s->few)
        narrow_results(e, &c);
    else if (!shared && s->thread_n % 4 == 0 && k->space.contract.n % 4 == 0)
        epilogue_fours(e, &c);
    else
        epilogue(e, &c);
    if (!e->failed)
        emit_scalars(e, family_places(k),
                     shared ? "if (tile == 0u && lid == 0u)" : "if (tile == 0u)");
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
    const struct product p = {s->batch, s->m, s->n, s->k};
    if (!t->product_in_shared && (uint64_t)s->k >= t->loop_iterations) /* it takes k in one loop */
        return false;
    return u->target->max_invocations >= t->product_threads && product_in_tiles(t, &p);
}

static void schedule_contract(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    (void)most_unroll;
    const struct contract_space *space = &k->space.contract;
    const struct node *n = func_node(unit_func(u), k->heroes[0]);
    k->schedule.contract = (struct contract_schedule){0};
    if (u->matrix_units && matrix_schedule(u, k))
        return;
    if (narrow_wanted(u, n, space)) {
        narrow_schedule(u, k);
        return;
    }
    struct contract_schedule s = tile_schedule(u, space, n->outs[0].type);
    int64_t tiles = product_groups(k, s.tile_m, s.tile_n);
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
    if (e->kernel->schedule.contract.few) {
        narrow_shared(e, out);
        return;
    }
    tile_shared(e, func_node(e->func, e->kernel->heroes[0])->outs[0].type, out);
    if (reduces_product(e->kernel)) {
        struct row_parts parts = tile_parts(e);
        product_rows_shared(e, &parts, out);
    }
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    const struct kernel *k = e->kernel;
    const struct contract_schedule *s = &k->schedule.contract;
    if (s->matrix)
        return matrix_fill(e, t, out);
    text_add(t, "BODY", t->body);
    text_add_number(e, t, "TILES", product_groups(k, s->tile_m, s->tile_n));
    text_add_number(e, t, "THREAD_M", s->thread_m);
    text_add_number(e, t, "THREAD_N", s->thread_n);
    if (!e->unit->tuning->product_in_shared)
        return text_fill(e, t, "contract_direct.comp", out);
    text_add(t, "SHARED", t->shared);
    text_add_number(e, t, "TILE_M", s->tile_m);
    text_add_number(e, t, "TILE_N", s->tile_n);
    return text_fill(e, t, s->few ? "contract_narrow.comp" : "contract.comp", out);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    if (op_class(n->op) != CLASS_CONTRACT || n->op == OP_TRIANGULAR_SOLVE || u->workgroup)
        return false;
    struct contract_space space = contraction_space(unit_func(u), n);
    bool tiles = narrow_wanted(u, n, &space) ||
                 (schedule_wants_tiles(u, &space) && tile_has_room(u, &space, n->outs[0].type));
    if (tiles)
        k->space.contract = space;
    return tiles;
}

/* Element-wise work, for each element or, where its rows are reduced, for each row; or what reduces
   them. */
static bool join(const struct unit *u, const struct kernel *k, const struct kernel *other,
                 struct kernel *out)
{
    if (product_rows_join(u, k, other)) {
        const struct contract_space *s = &k->space.contract;
        keep_space(k, out);
        return !narrow_wanted(u, func_node(unit_func(u), k->heroes[0]), s);
    }
    if (reduces_product(k))
        return elements_join(k, other, product_rows(k), out) || elements_join(k, other, 1, out);
    return places_join(u, k, other, out);
}

static bool has_place(const struct unit *u, const struct kernel *k, int64_t size)
{
    return reduces_product(k) ? size == product_rows(k) : has_places(u, k, size);
}

const struct family contract_family = {
    .name = "contract",
    .places = elements,
    .length = length,
    .has_tiles = true,
    .starts = starts,
    .join = join,
    .has_place = has_place,
    .print_space = print_space,
    .schedule = schedule_contract,
    .uses_matrix_units = matrix_fits,
    .elements_at_once = elements_at_once,
    .write = kernel_contract,
    .repeats = rows_repeats,
    .print_shared = print_shared,
    .fill = fill,
};
