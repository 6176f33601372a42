/* Products straight from memory. A thread loads its rows of a and its columns of b, in vectors
   where the memory allows: some k of each row or column, or some rows or columns at one k. Rows
   and columns past the edge are read again from the last one, and not stored. */
#include "codegen/family/contract_direct.h"
#include "codegen/family/schedule.h"

static const char operand_names[] = "ab"; /* by side, in the code */

/* How an operand is loaded: `width` neighbours at a time, along k or not. */
struct direct {
    uint32_t side, each, tile, width; /* each, tile: rows or columns of a thread, a workgroup */
    bool along_k;
    int64_t extent;
};

/* The most neighbours, of `run` and four, that divide the number. */
static uint32_t widest(uint32_t run, int64_t of)
{
    return of % run == 0 ? run : run > 4 && of % 4 == 0 ? 4 : 1;
}

static struct direct direct_of(struct emit *e, struct contract *c, const struct direct_way *way,
                               uint32_t side)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    int64_t extent = contract_extent(e->kernel, side);
    bool along_k = way->run > 1 && contract_runs_along_k(e, c, side);
    uint32_t each = side ? s->thread_n : s->thread_m,
             width = along_k ? widest(way->run, e->kernel->space.contract.k)
                             : min32(widest(way->run, extent), widest(way->run, each));
    return (struct direct){.side = side,
                           .each = each,
                           .tile = side ? s->tile_n : s->tile_m,
                           .width = width,
                           .along_k = along_k && width > 1,
                           .extent = extent};
}

/* Fills the operand's elements of a thread: at k, the l-th of `run`, or at the k of step `k` if
   memory runs so. */
static void direct_fetch(struct emit *e, struct contract *c, const struct direct *p,
                         const struct ix *k, uint32_t run)
{
    uint32_t w = p->width, across = p->along_k ? 1 : w;
    bool vectors = e->vectors, eights = e->eights;
    emit_open(e);
    uint32_t d = e->scope->depth;
    const char *origin = p->side ? "col0" : "row0",
               *text = across > 1 ? arena_printf(e->arena, "%s / %uu + i", origin, across)
                                  : arena_printf(e->arena, "%s + i", origin);
    emit_line(e, d, p->extent % p->tile ? "uint f = min(%s, %lldu);" : "uint f = %s;", text,
              (long long)p->extent / across - 1);
    const struct ix *f = ix_var(e->ix, "f", p->extent / across, d);
    e->vectors = w > 1;
    e->eights = w == 8;
    for (uint32_t l = 0; l < w && !e->failed; l++) {
        const struct ix *at_f = p->along_k ? f : ix_add_const(e->ix, ix_scale(e->ix, f, w), l),
                        *at_k = p->along_k ? ix_add_const(e->ix, ix_scale(e->ix, k, w), l) : k;
        struct expr x = contract_operand(e, c, p->side, w, at_f, at_k);
        const char *at = w > 1 ? arena_printf(e->arena, "i * %uu + %uu", w, l) : "i";
        if (run > 1 && !p->along_k)
            at = arena_printf(e->arena, w > 1 ? "(%s) * %uu + l" : "%s * %uu + l", at, run);
        if (x.text)
            emit_line(e, d, "%c[%s] = %s;", operand_names[p->side], at, x.text);
    }
    e->vectors = vectors;
    e->eights = eights;
    emit_close(
        e, arena_printf(e->arena, "[[unroll]] for (uint i = 0u; i < %uu; i++)", p->each / across));
}

/* Fills LOOP and STEP: the head of the loop over so many steps, and what declares in it which step
   is to be done. A thread with others takes every `slices`-th, some of them in straight code; the
   steps that do not fill such a turn are for a loop of their own, `rest`. */
static void loop_head(struct emit *e, const struct direct_way *way, const char *step, int64_t steps,
                      bool rest, struct template_var *out)
{
    struct arena *a = e->arena;
    int64_t turn = (int64_t)way->slices * way->turns, whole = steps / turn * turn;
    out[1].text = "";
    if (way->slices == 1)
        out[0].text = arena_printf(a, "for (uint %s = 0u; %s < %lldu; %s++)", step, step,
                                   (long long)steps, step);
    else if (rest)
        out[0].text = arena_printf(a, "for (uint %s = %lldu + slice; %s < %lldu; %s += %uu)", step,
                                   (long long)whole, step, (long long)steps, step, way->slices);
    else {
        out[0].text = arena_printf(
            a,
            "for (uint round = 0u; round < %lldu; round++) [[unroll]] for (uint turn = 0u; turn < %uu; turn++)",
            (long long)(steps / turn), way->turns);
        out[1].text = arena_printf(a, "uint %s = (round * %uu + turn) * %uu + slice;", step,
                                   way->turns, way->slices);
    }
}

/* The products at one l, or of a run: then each sum takes in its own one after the other, since a
   CPU has registers for few of the sums. */
static const char *additions(struct emit *e, struct contract *c, uint32_t run, bool is_run)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    struct arena *ar = e->arena;
    const char *a = run > 1 ? arena_printf(ar, "a[i * %uu + l]", run) : "a[i]",
               *b = run > 1 ? arena_printf(ar, "b[j * %uu + l]", run) : "b[j]";
    emit_open(e);
    uint32_t d = e->scope->depth;
    emit_line(e, d, "[[unroll]] for (uint i = 0u; i < %uu; i++)", s->thread_m);
    emit_line(e, d + 1, "[[unroll]] for (uint j = 0u; j < %uu; j++)", s->thread_n);
    if (is_run)
        emit_line(e, d + 2, "[[unroll]] for (uint l = 0u; l < %uu; l++)", run);
    emit_line(e, d + 2 + is_run, "%s", contract_add(e, c->c.node->outs[0].type, a, b));
    return emit_take(e);
}

void direct_loop(struct emit *e, struct contract *c, const struct direct_way *way)
{
    const struct contract_schedule *s = &e->kernel->schedule.contract;
    const struct direct side[2] = {direct_of(e, c, way, 0), direct_of(e, c, way, 1)};
    int64_t length = e->kernel->space.contract.k;
    uint32_t run = side[0].along_k ? side[0].width : side[1].along_k ? side[1].width : 1;
    bool at_end = run > 1 && way->slices == 1;
    struct template_var blocks[4] = {
        {"FETCH", ""}, {"ADD_EACH", ""}, {"ADD_RUN", ""}, {"FETCH_RUN", ""}};
    emit_open(e);
    const char *step = run > 1 ? arena_printf(e->arena, "k%u", run) : "k";
    const struct ix *kr = run > 1 ? ix_var(e->ix, step, length / run, e->scope->depth) : NULL;
    for (uint32_t i = 0; run > 1 && i < 2; i++)
        if (side[i].along_k)
            direct_fetch(e, c, &side[i], kr, run);
    if (run > 1)
        emit_open(e);
    const struct ix *k = ix_var(e->ix, "k", length, e->scope->depth);
    for (uint32_t i = 0; i < 2; i++)
        if (!side[i].along_k)
            direct_fetch(e, c, &side[i], k, run);
    blocks[0].text = emit_take(e);
    if (run > 1)
        blocks[3].text = emit_take(e);
    blocks[at_end ? 2 : 1].text = additions(e, c, run, at_end);
    struct template_var v[6] = {
        {"LOOP", ""},
        {"STEP", ""},
        {"TYPE", emit_type(e, c->c.node->outs[0].type)},
        {"THREAD_M", arena_printf(e->arena, "%u", s->thread_m)},
        {"THREAD_N", arena_printf(e->arena, "%u", s->thread_n)},
        {"RUN", arena_printf(e->arena, "%u", run)},
    };
    int64_t steps = length / run, turn = (int64_t)way->slices * way->turns;
    for (uint32_t rest = 0; rest < 2; rest++) {
        if (way->slices == 1 ? rest : rest ? steps % turn == 0 : steps < turn)
            continue;
        loop_head(e, way, step, steps, rest, v);
        if (run > 1)
            emit_pour(e, "tile_direct_run.glsl", v, 6, blocks, 4);
        else
            emit_pour(e, "tile_direct.glsl", v, 5, blocks, 2);
    }
}
