/* The contraction: out[b, m, n] = sum over k of a[b, m, k] * b[b, k, n], in tiles; contraction.c says how a
   dot or a conv is one.

   A workgroup takes a tile of tile_m x tile_n results. For every tile_k of k it fills two shared arrays,
   each thread computing (or loading) its part of the operands at the index that the element asks for, so
   that transposes, casts and cheap producers cost no kernel. A thread keeps thread_m x thread_n sums in
   registers. What follows the product (bias, activation, an optimizer's update) happens where the sums
   are stored. On a CPU driver the threads read the operands directly. */
#include <string.h>

#include "../runtime/bundle.h"
#include "emit.h"

struct contract {
    struct contraction c;
    node_id id;
    const struct ix *b;         /* which matrix of the batch */
    bool along_k[2];            /* neighbours in memory are neighbours along k */
};

/* The operand's element at matrix c->b, free index f (m or n) and k. */
static struct expr operand(struct emit *e, const struct contract *c, uint32_t side, const struct ix *f, const struct ix *k)
{
    struct contraction_at at;
    ix_delinear(e->ix, &c->c.batch.shape, c->b, at.batch);
    ix_delinear(e->ix, &c->c.free[side].shape, f, at.free[side]);
    ix_delinear(e->ix, &c->c.k.shape, k, at.k);
    return contraction_operand(e, &c->c, side, &at);
}

/* Emits an element into nowhere to see in which direction the operand's memory runs. */
static bool runs_along_k(struct emit *e, struct contract *c, uint32_t side, int64_t extent)
{
    enum contraction_run known = contraction_run(e->func, &c->c, side);
    if (known != RUN_UNKNOWN)
        return known == RUN_ALONG_K;
    struct emit trial = *e;
    struct kernel copy = *e->kernel;
    copy.bound = NULL;
    copy.access = NULL;
    copy.load_index = NULL;
    copy.nbound = copy.cap_bound = 0;
    trial.kernel = &copy;
    trial.scope = ARENA_NEW(e->arena, struct scope);
    trial.names = ARENA_ARRAY(e->arena, uint32_t, e->unit->nslots);
    if (!trial.scope || !trial.names)
        return true;
    str_init(&trial.scope->text, e->arena);
    trial.along_row = trial.along_outer = 0;
    emit_open(&trial);
    trial.row = ix_var(e->ix, "f", extent, 1);
    trial.position = ix_var(e->ix, "k", e->kernel->inner, 1);
    operand(&trial, c, side, trial.row, trial.position);
    return trial.along_row >= trial.along_outer;
}

/* Fills the shared array of one operand: every thread computes its share of the tile's elements. */
static void fill_tile(struct emit *e, struct contract *c, uint32_t side)
{
    const struct schedule *s = &e->kernel->schedule;
    uint32_t tile = side ? s->tile_n : s->tile_m, each = tile * s->tile_k / s->group;
    int64_t extent = side ? e->kernel->n : e->kernel->m;
    const char *name = side ? "b" : "a", *origin = side ? "col0" : "row0";
    const char *type = vkc_types[c->c.node->outs[0].type].glsl;
    emit_open(e);
    uint32_t d = e->scope->depth;
    emit_line(e, d, "uint at = load * %uu + lid;", s->group);
    if (c->along_k[side])
        emit_line(e, d, "uint tk = at %% %uu, tf = at / %uu;", s->tile_k, s->tile_k);
    else
        emit_line(e, d, "uint tf = at %% %uu, tk = at / %uu;", tile, tile);
    emit_line(e, d, "uint f = %s + tf, k = k0 + tk;", origin);
    bool guard_f = extent % tile != 0, guard_k = e->kernel->inner % s->tile_k != 0;
    const char *cond = guard_f && guard_k ? arena_printf(e->arena, "f < %lldu && k < %lldu", (long long)extent, (long long)e->kernel->inner)
                       : guard_f          ? arena_printf(e->arena, "f < %lldu", (long long)extent)
                       : guard_k          ? arena_printf(e->arena, "k < %lldu", (long long)e->kernel->inner)
                                          : NULL;
    if (cond) {
        emit_line(e, d, "%s x = %s(0);", type, type);
        emit_open(e);
    }
    const struct ix *f = ix_var(e->ix, "f", extent, e->scope->depth), *k = ix_var(e->ix, "k", e->kernel->inner, e->scope->depth);
    struct expr x = operand(e, c, side, f, k);
    if (cond) {
        if (x.text)
            emit_line(e, e->scope->depth, "x = %s;", x.text);
        emit_close(e, arena_printf(e->arena, "if (%s)", cond));
    }
    if (x.text)
        emit_line(e, d, "tile_%s[tk * %uu + tf] = %s;", name, tile + 1, cond ? "x" : x.text);
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint load = 0u; load < %uu; load++)", each));
}

static void inner_product(struct emit *e, const char *type)
{
    const struct schedule *s = &e->kernel->schedule;
    uint32_t d = e->scope->depth;
    emit_line(e, d, "%s a[%u], b[%u];", type, s->thread_m, s->thread_n);
    emit_line(e, d, "[[unroll]] for (uint i = 0u; i < %uu; i++)", s->thread_m);
    emit_line(e, d, "    a[i] = tile_a[tk * %uu + i * %uu + tm];", s->tile_m + 1, s->tile_m / s->thread_m);
    emit_line(e, d, "[[unroll]] for (uint j = 0u; j < %uu; j++)", s->thread_n);
    emit_line(e, d, "    b[j] = tile_b[tk * %uu + j * %uu + tn];", s->tile_n + 1, s->tile_n / s->thread_n);
}

/* An explicit fma, since a precise use of the sum would forbid the driver to make one. */
static void multiply_add(struct emit *e, enum vkc_type t)
{
    const struct schedule *s = &e->kernel->schedule;
    uint32_t d = e->scope->depth;
    const char *acc = arena_printf(e->arena, "acc[i * %uu + j]", s->thread_n);
    emit_line(e, d, "[[unroll]] for (uint i = 0u; i < %uu; i++)", s->thread_m);
    emit_line(e, d, "    [[unroll]] for (uint j = 0u; j < %uu; j++)", s->thread_n);
    emit_note_calls(e, type_is_complex(t) ? "nx_mul(" : NULL, t);
    if (type_is_float(t))
        emit_line(e, d, "        %s = fma(a[i], b[j], %s);", acc, acc);
    else
        emit_line(e, d, type_is_complex(t) ? "        %s += nx_mul(a[i], b[j]);" : "        %s += a[i] * b[j];", acc);
}

static void shared_loop(struct emit *e, struct contract *c)
{
    const struct schedule *s = &e->kernel->schedule;
    const char *type = vkc_types[c->c.node->outs[0].type].glsl;
    emit_open(e);
    fill_tile(e, c, 0);
    fill_tile(e, c, 1);
    emit_line(e, e->scope->depth, "barrier();");
    emit_open(e);
    inner_product(e, type);
    multiply_add(e, c->c.node->outs[0].type);
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint tk = 0u; tk < %uu; tk++)", s->tile_k));
    emit_line(e, e->scope->depth, "barrier();");
    emit_close(e, arena_printf(e->arena, "for (uint k0 = 0u; k0 < %lldu; k0 += %uu)", (long long)e->kernel->inner, s->tile_k));
}

/* Without shared memory: rows and columns past the edge are read again from the last one, and not stored. */
static void direct_loop(struct emit *e, struct contract *c)
{
    struct kernel *kn = e->kernel;
    const struct schedule *s = &kn->schedule;
    const char *type = vkc_types[c->c.node->outs[0].type].glsl;
    emit_open(e);
    const struct ix *k = ix_var(e->ix, "k", kn->inner, 1);
    emit_line(e, 1, "%s a[%u], b[%u];", type, s->thread_m, s->thread_n);
    for (uint32_t side = 0; side < 2; side++) {
        int64_t extent = side ? kn->n : kn->m;
        uint32_t each = side ? s->thread_n : s->thread_m;
        emit_open(e);
        const char *text = arena_printf(e->arena, "%s + i", side ? "col0" : "row0");
        emit_line(e, 2, extent % each ? "uint f = min(%s, %lldu);" : "uint f = %s;", text, (long long)extent - 1);
        struct expr x = operand(e, c, side, ix_var(e->ix, "f", extent, 2), k);
        if (x.text)
            emit_line(e, 2, "%s[i] = %s;", side ? "b" : "a", x.text);
        emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint i = 0u; i < %uu; i++)", each));
    }
    multiply_add(e, c->c.node->outs[0].type);
    emit_close(e, arena_printf(e->arena, "for (uint k = 0u; k < %lldu; k++)", (long long)kn->inner));
}

static void epilogue(struct emit *e, struct contract *c)
{
    struct kernel *k = e->kernel;
    const struct schedule *s = &k->schedule;
    bool shared = !e->unit->target->cpu;
    emit_open(e);
    emit_line(e, 1, shared ? "uint m = row0 + i * %uu + tm;" : "uint m = row0 + i;", s->tile_m / s->thread_m);
    if (k->m % s->tile_m)
        emit_line(e, 1, "if (m >= %lldu) break;", (long long)k->m);
    const struct ix *m = ix_var(e->ix, "m", k->m, 1);
    emit_open(e);
    emit_line(e, 2, shared ? "uint n = col0 + j * %uu + tn;" : "uint n = col0 + j;", s->tile_n / s->thread_n);
    if (k->n % s->tile_n)
        emit_line(e, 2, "if (n >= %lldu) break;", (long long)k->n);
    const struct ix *n = ix_var(e->ix, "n", k->n, 2);
    struct contraction_at at;
    ix_delinear(e->ix, &c->c.batch.shape, c->b, at.batch);
    ix_delinear(e->ix, &c->c.free[0].shape, m, at.free[0]);
    ix_delinear(e->ix, &c->c.free[1].shape, n, at.free[1]);
    const struct ix *flat = contraction_flat(e, &c->c, &at);
    e->hero_index = flat;
    uint32_t label = c->c.node->label;
    const char *sum = contraction_sum(e, c->c.node, arena_printf(e->arena, "acc[i * %uu + j]", s->thread_n));
    emit_line(e, 2, "%s n%u = %s; // %s%s%s", vkc_types[c->c.node->outs[0].type].glsl, label, sum, op_name(c->c.node->op), c->c.node->loc ? "  " : "",
              c->c.node->loc ? c->c.node->loc : "");
    e->hero[unit_slot(e->unit, (struct value){c->id, 0})] = (struct expr){arena_printf(e->arena, "n%u", label), 2};
    const char **text = ARENA_ARRAY(e->arena, const char *, k->nroots);
    if (!text) {
        emit_fail(e, "out of memory");
        return;
    }
    for (uint32_t i = 0; i < k->nroots && !e->failed; i++)
        if (shape_size(&func_tensor(e->func, k->roots[i])->shape) == k->outer)
            text[i] = emit_flat(e, k->roots[i], flat).text;
    for (uint32_t i = 0; i < k->nroots && !e->failed; i++)
        if (text[i])
            emit_store(e, k->roots[i], flat, text[i]);
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint j = 0u; j < %uu; j++)", s->thread_n));
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint i = 0u; i < %uu; i++)", s->thread_m));
}

bool kernel_contract(struct emit *e)
{
    struct kernel *k = e->kernel;
    const struct schedule *s = &k->schedule;
    bool shared = !e->unit->target->cpu;
    struct contract c = {.id = k->heroes[0]};
    contraction_of(e->func, func_node(e->func, c.id), &c.c);
    const char *type = vkc_types[c.c.node->outs[0].type].glsl;
    int64_t tm = (k->m + s->tile_m - 1) / s->tile_m, tn = (k->n + s->tile_n - 1) / s->tile_n;
    emit_line(e, 0, "uint col0 = tile %% %lldu * %uu, row0 = tile / %lldu %% %lldu * %uu;", (long long)tn, s->tile_n, (long long)tn, (long long)tm, s->tile_m);
    if (k->batch > 1)
        emit_line(e, 0, "uint matrix = tile / %lldu;", (long long)(tm * tn));
    c.b = ix_var(e->ix, "matrix", k->batch, 0);
    if (shared) {
        uint32_t across = s->tile_n / s->thread_n;
        emit_line(e, 0, "uint tn = lid %% %uu, tm = lid / %uu;", across, across);
        c.along_k[0] = runs_along_k(e, &c, 0, k->m);
        c.along_k[1] = runs_along_k(e, &c, 1, k->n);
    }
    emit_line(e, 0, "%s acc[%u];", type, s->thread_m * s->thread_n);
    emit_line(e, 0, "[[unroll]] for (uint i = 0u; i < %uu; i++)", s->thread_m * s->thread_n);
    emit_line(e, 0, "    acc[i] = %s(0);", type);
    if (shared)
        shared_loop(e, &c);
    else
        direct_loop(e, &c);
    e->flops += 2;
    if (e->failed)
        return false;
    epilogue(e, &c);
    if (!e->failed)
        emit_scalars(e, k->outer, shared ? "if (tile == 0u && lid == 0u)" : "if (tile == 0u)");
    k->shared_bytes = shared ? s->tile_k * (s->tile_m + s->tile_n + 2) * type_bytes(c.c.node->outs[0].type) : 0;
    return e->failed == NULL;
}
