/* A product's operands through shared memory, two tiles of each: while the sums take in one, the
   elements of the next are on their way into registers, and go to the other after that; one
   barrier a step. Elements of 32 bits, and f64, are loaded four at a time wherever memory runs so,
   and lie in shared memory in vectors of 16 bytes. A thread's results are groups of `vector`
   neighbours, spread over the tile. */
#include "codegen/family/contract_tile.h"
#include "codegen/family/schedule.h"
#include "target/units.h"

enum { LOADED = 4 }; /* neighbours of one load; see emit_memory.c */

static const char operand_names[] = "ab"; /* by side, in the code */

/* Elements from the start of one k to that of the next: a spare vector, so that a column of them
   uses all banks. */
static uint32_t pitch(const struct contract_schedule *s, uint32_t side)
{
    return (side ? s->tile_n : s->tile_m) + s->vector;
}

static const char *shared_type(struct emit *e, enum vkc_type t)
{
    if (e->kernel->schedule.contract.vector == 1)
        return emit_type(e, t);
    if (t == TYPE_F64)
        return "dvec2";
    return type_is_float(t) ? "vec4" : vkc_types[t].kind == KIND_SINT ? "ivec4" : "uvec4";
}

uint32_t tile_shared_bytes(const struct contract_schedule *s, enum vkc_type t)
{
    return 2 * s->tile_k * (pitch(s, 0) + pitch(s, 1)) * (type_bytes(t) < 4 ? 4 : type_bytes(t));
}

void tile_shared(struct emit *e, enum vkc_type t, struct str *out)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    for (uint32_t side = 0; side < 2; side++)
        str_printf(out, "shared %s tile_%c[%u];\n", shared_type(e, t), operand_names[side],
                   2 * s->tile_k * pitch(s, side) / s->vector);
}

/* The part of an operand's tile that a thread loads: `each` times `width` elements along the
   memory. */
struct part {
    uint32_t side, tile, width, each;
    const char *type;
};

static struct part part_of(struct emit *e, const struct contract *c, uint32_t side)
{
    const struct kernel *k = e->kernel;
    const struct contract_schedule *s = &k->schedule.contract;
    enum vkc_type t = c->c.node->outs[0].type;
    uint32_t tile = side ? s->tile_n : s->tile_m;
    int64_t extent = c->along_k[side] ? k->space.contract.k
                     : side           ? k->space.contract.n
                                      : k->space.contract.m;
    uint32_t each = tile * s->tile_k / k->schedule.group; /* elements of a thread */
    uint32_t width = s->vector > 1 && extent % LOADED == 0 && each % LOADED == 0 ? LOADED : 1;
    const char *loaded = t == TYPE_F64 ? "dvec4" : shared_type(e, t);
    return (struct part){side, tile, width, each / width, width > 1 ? loaded : emit_type(e, t)};
}

/* tk, tf: where in the tile the thread's elements of this load begin. */
static void emit_place(struct emit *e, const struct contract *c, const struct part *p)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    bool along_k = c->along_k[p->side];
    uint32_t run = (along_k ? s->tile_k : p->tile) / p->width;
    const struct template_var v[] = {
        {"GROUP", arena_printf(e->arena, "%u", e->kernel->schedule.group)},
        {"RUN", arena_printf(e->arena, "%u", run)},
        {"ALONG", along_k ? "tk" : "tf"},
        {"ACROSS", along_k ? "tf" : "tk"},
        {"WIDTH", p->width > 1 ? arena_printf(e->arena, " * %uu", p->width) : ""},
    };
    emit_pour(e, "tile_place.glsl", v, sizeof v / sizeof *v, NULL, 0);
}

static void fetch(struct emit *e, struct contract *c, const struct part *p)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    uint32_t side = p->side, w = p->width;
    bool along_k = c->along_k[side];
    int64_t extent = side ? e->kernel->space.contract.n : e->kernel->space.contract.m,
            inner = e->kernel->space.contract.k;
    emit_open(e);
    uint32_t d = e->scope->depth;
    emit_place(e, c, p);
    emit_line(e, d, w == 1 || along_k ? "uint f = %s + tf;" : "uint f = (%s + tf) / %uu;",
              side ? "col0" : "row0", w);
    emit_line(e, d, w == 1 || !along_k ? "uint k = k0 + tk;" : "uint k = (k0 + tk) / %uu;", w);
    int64_t fs = along_k ? extent : extent / w, ks = along_k ? inner / w : inner;
    bool guard_f = extent % p->tile != 0, guard_k = inner % s->tile_k != 0;
    const char *cond = guard_f && guard_k ? arena_printf(e->arena, "f < %lldu && k < %lldu",
                                                         (long long)fs, (long long)ks)
                       : guard_f          ? arena_printf(e->arena, "f < %lldu", (long long)fs)
                       : guard_k          ? arena_printf(e->arena, "k < %lldu", (long long)ks)
                                          : NULL;
    if (cond) {
        emit_line(e, d, "next_%c[load] = %s(0);", operand_names[side], p->type);
        emit_open(e);
    }
    const struct ix *f = ix_var(e->ix, "f", fs, e->scope->depth),
                    *k = ix_var(e->ix, "k", ks, e->scope->depth);
    bool vectors = e->vectors;
    e->vectors = w > 1;
    for (uint32_t l = 0; l < w && !e->failed; l++) {
        struct expr x = contract_operand(
            e, c, side, w, along_k ? f : ix_add_const(e->ix, ix_scale(e->ix, f, w), l),
            along_k ? ix_add_const(e->ix, ix_scale(e->ix, k, w), l) : k);
        if (x.text)
            emit_line(e, e->scope->depth, "next_%c[load]%s = %s;", operand_names[side],
                      w > 1 ? arena_printf(e->arena, "[%u]", l) : "", x.text);
    }
    e->vectors = vectors;
    if (cond)
        emit_close(e, arena_printf(e->arena, "if (%s)", cond));
    emit_close(
        e, arena_printf(e->arena, "[[unroll]] for (uint load = 0u; load < %uu; load++)", p->each));
}

static void put(struct emit *e, const struct contract *c, const struct part *p)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    uint32_t w = p->width, v = s->vector, side = p->side, row = pitch(s, side) / v;
    char name = operand_names[side];
    emit_open(e);
    uint32_t d = e->scope->depth;
    emit_place(e, c, p);
    if (w > 1 && !c->along_k[side])
        for (uint32_t at = 0; at < w; at += v)
            emit_line(e, d, "tile_%c[(put + tk) * %uu + tf / %uu%s] = next_%c[load]%s;", name, row,
                      v, at ? " + 1u" : "", name,
                      v == w ? ""
                      : at   ? ".zw"
                             : ".xy");
    else if (v > 1)
        for (uint32_t l = 0; l < w; l++)
            emit_line(e, d, "tile_%c[(put + tk%s) * %uu + tf / %uu][tf %% %uu] = next_%c[load]%s;",
                      name, l ? arena_printf(e->arena, " + %uu", l) : "", row, v, v, name,
                      w > 1 ? arena_printf(e->arena, "[%u]", l) : "");
    else
        emit_line(e, d, "tile_%c[(put + tk) * %uu + tf] = next_%c[load];", name, row, name);
    emit_close(
        e, arena_printf(e->arena, "[[unroll]] for (uint load = 0u; load < %uu; load++)", p->each));
}

void tile_loop(struct emit *e, struct contract *c)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    enum vkc_type t = c->c.node->outs[0].type;
    const struct part a = part_of(e, c, 0), b = part_of(e, c, 1);
    struct arena *ar = e->arena;
    uint32_t run_a = s->thread_m / s->vector, run_b = s->thread_n / s->vector;
    int64_t steps = (e->kernel->space.contract.k + s->tile_k - 1) / s->tile_k;
    struct template_var blocks[3] = {{"AT_STEP", ""}, {"FETCH", ""}, {"PUT", ""}};
    emit_open(e);
    emit_open(e);
    fetch(e, c, &a);
    fetch(e, c, &b);
    blocks[1].text = emit_take(e);
    blocks[0].text = emit_take(e); /* what the loads share */
    uint32_t vector = s->vector;
    const char *a_text =
                   arena_printf(ar, vector > 1 ? "a[i / %uu][i %% %uu]" : "a[i]", vector, vector),
               *b_text =
                   arena_printf(ar, vector > 1 ? "b[j / %uu][j %% %uu]" : "b[j]", vector, vector);
    emit_open(e);
    emit_open(e);
    put(e, c, &a);
    put(e, c, &b);
    blocks[2].text = emit_take(e);
    emit_take(e);
    const struct template_var v[] = {
        {"STEPS", arena_printf(ar, "%lld", (long long)steps)},
        {"TILE_K", arena_printf(ar, "%u", s->tile_k)},
        {"TYPE", shared_type(e, t)},
        {"TYPE_A", a.type},
        {"EACH_A", arena_printf(ar, "%u", a.each)},
        {"TYPE_B", b.type},
        {"EACH_B", arena_printf(ar, "%u", b.each)},
        {"RUN_A", arena_printf(ar, "%u", run_a)},
        {"RUN_B", arena_printf(ar, "%u", run_b)},
        {"PITCH_A", arena_printf(ar, "%u", pitch(s, 0) / s->vector)},
        {"PITCH_B", arena_printf(ar, "%u", pitch(s, 1) / s->vector)},
        {"APART_A", arena_printf(ar, "%u", s->tile_m / s->thread_m)},
        {"APART_B", arena_printf(ar, "%u", s->tile_n / s->thread_n)},
        {"THREAD_M", arena_printf(ar, "%u", s->thread_m)},
        {"THREAD_N", arena_printf(ar, "%u", s->thread_n)},
        {"ADD", contract_add(e, t, a_text, b_text)},
    };
    emit_pour(e, "tile_loop.glsl", v, sizeof v / sizeof *v, blocks, 3);
}

/* What the processor with the most tiles takes for an element of k. */
static double busiest_ns(const struct tuning *t, const struct contract_space *space,
                         const struct product_tile *tile)
{
    const struct product p = {space->batch, space->m, space->n, space->k};
    return (double)product_most_tiles(t, &p, tile->m, tile->n) * tile->ns;
}

/* The largest of which there are enough, and with which the product is done before it is with the
   next. Measured on NVIDIA's GPUs; wide waves have a quarter as many at a time with the largest. */
static const struct product_tile *f64_tile(const struct tuning *t,
                                           const struct contract_space *space)
{
    const struct product_tile *tile = t->f64_tiles, *last = tile + t->nf64_tiles - 1;
    for (; tile < last; tile++)
        if (contract_tiles(space, tile->m, tile->n) >= tile->least &&
            (tile[1].ns == 0 || busiest_ns(t, space, tile) <= busiest_ns(t, space, tile + 1)))
            break;
    return tile;
}

/* The largest tile of which the product has enough. For wide elements, or integers in wide waves,
   the largest tile would use all registers of a thread; a CPU has its sums in memory anyway. */
static const struct product_tile *tile_for(const struct unit *u, const struct contract_space *space,
                                           enum vkc_type type)
{
    const struct tuning *t = u->tuning;
    if (t->product_in_shared && type == TYPE_F64 && !t->wide_waves)
        return f64_tile(t, space);
    if (t->product_in_shared && type == TYPE_F32 && contract_tiles(space, 32, 32) <= t->product_few)
        return &t->few_tile;
    bool wide = type_bytes(type) > 4 || (t->wide_waves && !type_is_float(type));
    uint32_t i = 0, last = t->ntiles - 1;
    for (; i < last; i++) {
        const struct product_tile *tile = &t->tiles[i];
        bool fits = !wide || !t->product_in_shared || tile->thread_m <= 4;
        if (fits && contract_tiles(space, tile->m, tile->n) >= tile->least)
            break;
    }
    return &t->tiles[i];
}

uint32_t tile_threads(const struct contract_schedule *s)
{
    return s->tile_m / s->thread_m * (s->tile_n / s->thread_n);
}

struct contract_schedule tile_schedule(const struct unit *u, const struct contract_space *space,
                                       enum vkc_type type)
{
    const struct product_tile *tile = tile_for(u, space, type);
    struct contract_schedule s = {.tile_m = tile->m,
                                  .tile_n = tile->n,
                                  .tile_k = tile->k,
                                  .thread_m = tile->thread_m,
                                  .thread_n = tile->thread_n};
    if (!u->tuning->product_in_shared) {
        s.vector = u->tuning->texels && (type_bytes(type) <= 4 || type == TYPE_F64) ? 4 : 1;
        return s;
    }
    uint32_t vector = type == TYPE_F64 ? 2 : 4;
    bool in_vectors = (type_bytes(type) <= 4 || type == TYPE_F64) && s.thread_m % vector == 0 &&
                      s.thread_n % vector == 0;
    s.vector = in_vectors ? vector : 1;
    while (tile_shared_bytes(&s, type) > u->target->max_shared_bytes &&
           s.tile_k * min32(s.tile_m, s.tile_n) > tile_threads(&s))
        s.tile_k /= 2;
    return s;
}

bool tile_has_room(const struct unit *u, const struct contract_space *space, enum vkc_type type)
{
    struct contract_schedule s = tile_schedule(u, space, type);
    return !u->tuning->product_in_shared ||
           tile_shared_bytes(&s, type) <= u->target->max_shared_bytes;
}
