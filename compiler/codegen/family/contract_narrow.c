/* A product with few rows: all of them for some columns, so that each element of the other operand,
   a layer's weights, is loaded once. Its time is that of the memory. The threads of a workgroup
   share the columns' sums: each has its part of k, a slice, and takes it straight from memory.
   Neighbouring threads are neighbours along the memory of the large operand: in the columns, or in
   k. The slices' sums are added in shared memory. The same with rows and columns the other way
   round; the comments say rows for the few. */
#include "codegen/family/contract_narrow.h"

#include "codegen/family/contract_direct.h"
#include "codegen/family/schedule.h"
#include "target/units.h"

enum {
    LEAST_BYTES = 64,   /* of neighbours in memory that a workgroup's columns are, at least */
    MOST_SUMS = 64,     /* of a thread, in words */
    ALONG_BYTES = 16,   /* of the columns of a thread whose memory runs along k */
    LOADED_BYTES = 128, /* that a thread has on their way from the large operand, at least */
    SHARED_BYTES = 16 << 10,
    SUMS_BYTES = 4 << 10, /* of that, for the finished sums */
};

/* The side with the many: 1 if they are columns. */
static uint32_t many_side(const struct contract_space *s)
{
    return s->n >= s->m;
}

static int64_t extent(const struct contract_space *s, uint32_t side)
{
    return side ? s->n : s->m;
}

/* Of a sum, in shared memory. */
static uint32_t sum_bytes(enum vkc_type t)
{
    return type_bytes(t) < 4 ? 4 : type_bytes(t);
}

bool narrow_wanted(const struct unit *u, const struct node *n, const struct contract_space *s)
{
    const struct product p = {s->batch, s->m, s->n, s->k};
    return n->op == OP_DOT && product_narrow(u->tuning, &p, type_bytes(n->outs[0].type));
}

/* As few columns as lie together in memory, so that there are many workgroups; more, where there
   are more than enough. */
void narrow_schedule(const struct unit *u, struct kernel *k)
{
    const struct contract_space *s = &k->space.contract;
    enum vkc_type t = func_node(unit_func(u), k->heroes[0])->outs[0].type;
    uint32_t side = many_side(s), few = (uint32_t)extent(s, !side), tile = NARROW_TILE;
    while (tile * type_bytes(t) < LEAST_BYTES)
        tile *= 2;
    while (2 * tile * few * sum_bytes(t) <= SUMS_BYTES &&
           s->batch * ((extent(s, side) - 1) / (2 * tile) + 1) >= u->tuning->narrow_full)
        tile *= 2;
    k->schedule.contract = (struct contract_schedule){
        .tile_m = side ? few : tile, .tile_n = side ? tile : few, .few = few};
    int64_t tiles = contract_tiles(s, k->schedule.contract.tile_m, k->schedule.contract.tile_n);
    bool is_heavy = type_bytes(t) == 2; /* eight columns a thread */
    k->schedule.group =
        is_heavy && tiles >= u->tuning->narrow_full / 2 ? NARROW_THREADS / 2 : NARROW_THREADS;
    schedule_spread(k, tiles);
}

/* How the threads of a workgroup share it, once it is known where memory runs. */
struct narrow {
    enum vkc_type type;
    uint32_t group, side;   /* side: of the many */
    uint32_t tile, columns; /* of a workgroup, a thread */
    uint32_t across;        /* threads that have different columns */
    uint32_t slices;        /* those that share these */
    uint32_t sums, round;   /* of a thread; those that go through shared memory at a time */
    uint32_t results;       /* those of the workgroup at a time */
    uint32_t helpers;       /* threads that add one of them up */
    uint32_t pitch;         /* from the parts of one to those of the next */
};

static uint32_t part_bytes(const struct narrow *n)
{
    return n->round * n->across * n->pitch * sum_bytes(n->type);
}

static struct narrow narrow_of(const struct emit *e)
{
    const struct kernel *k = e->kernel;
    const struct contract_schedule *s = &k->schedule.contract;
    struct narrow n = {.type = func_node(e->func, k->heroes[0])->outs[0].type,
                       .group = k->schedule.group,
                       .side = many_side(&k->space.contract),
                       .helpers = 1};
    n.tile = n.side ? s->tile_n : s->tile_m;
    n.columns = n.side ? s->thread_n : s->thread_m;
    n.across = n.tile / n.columns;
    n.slices = n.group / n.across;
    n.pitch = n.slices + 1;
    n.sums = n.round = n.columns * s->few;
    uint32_t room = SHARED_BYTES - (n.sums * n.across + n.group) * sum_bytes(n.type);
    for (uint32_t i = 2; n.round * n.across > n.group || part_bytes(&n) > room; i++)
        if (n.sums % i == 0)
            n.round = n.sums / i;
    n.results = n.round * n.across;
    while (2 * n.helpers * n.results <= n.group && n.helpers < n.slices)
        n.helpers *= 2;
    return n;
}

/* Neighbours that a load takes. */
static uint32_t run_of(enum vkc_type t)
{
    return type_bytes(t) == 2 ? 8 : type_bytes(t) <= 4 || t == TYPE_F64 ? 4 : 1;
}

static uint32_t columns_of(enum vkc_type t, uint32_t few, bool along_k)
{
    uint32_t columns = along_k ? ALONG_BYTES / type_bytes(t) : run_of(t);
    while (columns > 1 && columns * few * sum_bytes(t) > MOST_SUMS * 4)
        columns /= 2;
    return columns;
}

/* Declares a thread's place among the others, and its sums. */
static void begin(struct emit *e, const struct narrow *n, bool along_k)
{
    const char *origin = n->side ? "col0" : "row0";
    if (along_k)
        emit_line(e, 0, "uint slice = lid %% %uu, place = lid / %uu;", n->slices, n->slices);
    else
        emit_line(e, 0, "uint place = lid %% %uu, slice = lid / %uu;", n->across, n->across);
    emit_line(e, 0, "uint first = %s;", origin);
    emit_line(e, 0, "%s += place * %uu;", origin, n->columns);
    emit_line(e, 0, "%s acc[%u];", emit_type(e, n->type), n->sums);
    emit_line(e, 0, "[[unroll]] for (uint i = 0u; i < %uu; i++)", n->sums);
    emit_line(e, 0, "    acc[i] = %s;", emit_constant(e, n->type, 0, 0));
}

void narrow_sums(struct emit *e, struct contract *c)
{
    struct kernel *k = e->kernel;
    struct contract_schedule *s = &k->schedule.contract;
    enum vkc_type t = c->c.node->outs[0].type;
    uint32_t side = many_side(&k->space.contract);
    bool along_k = c->along_k[side];
    uint32_t columns = columns_of(t, s->few, along_k), step = columns * run_of(t) * type_bytes(t);
    struct arena *a = e->arena;
    s->thread_m = side ? s->few : columns;
    s->thread_n = side ? columns : s->few;
    struct narrow n = narrow_of(e);
    begin(e, &n, along_k);
    direct_loop(e, c,
                &(struct direct_way){.run = run_of(t),
                                     .slices = n.slices,
                                     .turns = step < LOADED_BYTES ? LOADED_BYTES / step : 1});
    const struct template_var v[] = {
        {"TYPE", emit_type(e, t)},
        {"ROUNDS", arena_printf(a, "%u", n.sums / n.round)},
        {"ROUND", arena_printf(a, "%u", n.round)},
        {"ACROSS", arena_printf(a, "%u", n.across)},
        {"PITCH", arena_printf(a, "%u", n.pitch)},
        {"RESULTS", arena_printf(a, "%u", n.results)},
        {"HELPERS", arena_printf(a, "%u", n.helpers)},
        {"EACH", arena_printf(a, "%u", n.slices / n.helpers)},
    };
    emit_pour(e, "slice_sums.glsl", v, sizeof v / sizeof *v, NULL, 0);
    k->shared_bytes = part_bytes(&n) + (n.helpers * n.results + n.sums * n.across) * sum_bytes(t);
}

void narrow_shared(struct emit *e, struct str *out)
{
    struct narrow n = narrow_of(e);
    str_printf(out, "shared %s parts[%u], helped[%u], sums[%u];\n", emit_type(e, n.type),
               n.results * n.pitch, n.helpers * n.results, n.sums * n.across);
}

void narrow_results(struct emit *e, struct contract *c)
{
    const struct contract_space *space = &e->kernel->space.contract;
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    struct narrow n = narrow_of(e);
    const char *many = n.side ? "n" : "m";
    int64_t most = extent(space, n.side);
    emit_open(e);
    emit_line(e, 1, "uint m = o / %uu / %uu, n = o / %uu %% %uu;", n.across, s->thread_n, n.across,
              s->thread_n);
    emit_line(e, 1, "%s += first + o %% %uu * %uu;", many, n.across, n.columns);
    if (most % n.tile)
        emit_line(e, 1, "if (%s >= %lldu) continue;", many, (long long)most);
    const struct ix *column = ix_var(e->ix, "n", space->n, 1),
                    *row = ix_var(e->ix, "m", space->m, 1),
                    *flat = contract_flat(e, c, row, column);
    emit_results(e, c->c.node, c->id, flat, emit_type(e, n.type),
                 contraction_sum(e, c->c.node, "sums[o]"));
    emit_close(e, arena_printf(e->arena, "for (uint o = lid; o < %uu; o += %uu)", n.sums * n.across,
                               n.group));
}
