/* Transforms of whole lines in shared memory, in Stockham's order: pass by pass, with R the product
   of the radices before and r that of the pass, the thread of butterfly b < n / r takes elements b
   + i n / r, turns element i by the root of i (b mod R) / (R r), transforms them in registers, and
   puts result i at (b div R) R r + b mod R + i R. So the last pass leaves everything in its place.

   The first pass reads the operand where it is, through whatever movement and arithmetic feeds
   it; the last hands the results to what follows and stores. Either may run along the line or
   across lines, whichever is the direction of the memory: only shared memory lies between them. */
#include "runtime/bundle.h"
#include "codegen/family/family.h"
#include "codegen/family/schedule.h"
#include "codegen/family/fourier_text.h"
#include "codegen/family/map.h"
#include "target/radix.h"

enum { MOST_FUSED = 128 }; /* additions' worth of straight code at each side of a butterfly */

struct pass {
    uint32_t number, radix, each; /* which; its transform; how many of them a thread takes */
    int64_t before, apart; /* product of the radices before; distance of the elements: n / radix */
    const struct ix *b[FOURIER_RADIX]; /* butterflies of this thread */
    const char *guard[FOURIER_RADIX];  /* what must hold for them to exist, or NULL */
    const char *v[FOURIER_RADIX];      /* their elements */
};

struct fourier {
    const struct node *node;
    node_id id;
    enum vkc_type type;
    const char *glsl;
    int64_t n, inner, lines, gap, pitch;
    uint32_t radix[FOURIER_PASSES], passes;
    /* the line, and which of the workgroup's it is; threads along, across */
    const struct ix *o[2], *row[2];
    const char *thread[2];
    const char *live; /* whether the line exists, or NULL; in the direction of the last pass */
    bool across_load, across_store;
};

/* Element j of line o, flat in operand and result. */
static const struct ix *element(struct emit *e, const struct fourier *f, const struct ix *o,
                                const struct ix *j)
{
    const struct ix *outer = ix_scale(e->ix, ix_div(e->ix, o, f->inner), f->n * f->inner);
    return ix_add(e->ix, ix_add(e->ix, outer, ix_scale(e->ix, j, f->inner)),
                  ix_mod(e->ix, o, f->inner));
}

static bool loads_run_across(struct emit *e, const struct fourier *f)
{
    struct emit trial;
    if (!emit_trial(e, &trial))
        return false;
    trial.row = ix_var(e->ix, "o", f->lines, 1);
    trial.position = ix_var(e->ix, "j", f->n, 1);
    emit_flat(&trial, f->node->ins[0], element(e, f, trial.row, trial.position));
    return trial.along_outer > trial.along_row;
}

/* Which line and which of its threads this is, counting along lines or across them. */
static void place(struct emit *e, struct fourier *f, bool across)
{
    const struct fourier_schedule *s = &e->kernel->schedule.fourier;
    const char *row = across ? "row_a" : "row", *o = across ? "o_a" : "o",
               *thread = across ? "t_a" : "t";
    if (f->thread[across])
        return;
    if (s->group_lines == 1)
        emit_line(e, 0, "uint %s = 0u, %s = lid;", row, thread);
    else if (across)
        emit_line(e, 0, "uint %s = lid %% %uu, %s = lid / %uu;", row, s->group_lines, thread,
                  s->group_lines);
    else
        emit_line(e, 0, "uint %s = lid / %uu, %s = lid %% %uu;", row, s->line_threads, thread,
                  s->line_threads);
    bool partial = f->lines % s->group_lines != 0;
    emit_line(e, 0, partial ? "uint %s = min(row0 + %s, %lldu);" : "uint %s = row0 + %s;", o, row,
              (long long)f->lines - 1);
    f->o[across] = ix_var(e->ix, o, f->lines, 0);
    f->row[across] = ix_var(e->ix, row, s->group_lines, 0);
    f->thread[across] = thread;
}

/* Declares butterflies and registers of a pass. */
static struct pass begin(struct emit *e, const struct fourier *f, uint32_t number, bool across)
{
    const struct fourier_schedule *s = &e->kernel->schedule.fourier;
    struct pass p = {
        .number = number, .radix = f->radix[number], .before = 1, .apart = f->n / f->radix[number]};
    for (uint32_t i = 0; i < number; i++)
        p.before *= f->radix[i];
    p.each = (uint32_t)((p.apart + s->line_threads - 1) / s->line_threads);
    for (uint32_t c = 0; c < p.each; c++) {
        const char *b = emit_temp(e, "b");
        bool partial = (int64_t)(c + 1) * s->line_threads > p.apart;
        p.v[c] = emit_temp(e, "v");
        if (c == 0)
            emit_line(e, 0, "uint %s = %s;", b, f->thread[across]);
        else
            emit_line(e, 0, "uint %s = %s + %uu;", b, f->thread[across], c * s->line_threads);
        emit_line(e, 0, "%s %s[%u];", f->glsl, p.v[c], p.radix);
        p.guard[c] = partial ? arena_printf(e->arena, "%s < %lldu", b, (long long)p.apart) : NULL;
        p.b[c] = ix_var(e->ix, b, p.apart, partial ? 1 : 0);
    }
    return p;
}

static const struct ix *butterfly_element(struct emit *e, const struct pass *p, uint32_t c,
                                          const struct ix *i)
{
    return ix_add(e->ix, p->b[c], ix_scale(e->ix, i, p->apart));
}

/* "line[...]" of element j of a line of the workgroup. */
static const char *shared_element(struct emit *e, const struct fourier *f, const struct ix *row,
                                  const struct ix *j)
{
    const struct ix *at = ix_add(e->ix, j, ix_div(e->ix, j, f->gap));
    struct expr text = emit_index(e, ix_add(e->ix, ix_scale(e->ix, row, f->pitch), at));
    return text.text ? arena_printf(e->arena, "line[%s]", text.text) : "";
}

/* Fused code is repeated for each element of a butterfly. Much of it is better in a kernel of its
   own, for its registers and for the driver's compile time; Mesa 22.3 even gets 8 complex
   atan(exp(x)) wrong. */
static void weigh(struct emit *e, const struct pass *p, uint64_t flops_before)
{
    if ((e->flops - flops_before) * p->radix > MOST_FUSED)
        emit_fail(e, "its operations would stand %u times in straight code", p->radix);
}

static void read_operand(struct emit *e, struct fourier *f, const struct pass *p, uint32_t c)
{
    uint64_t before = e->flops;
    emit_open(e);
    const struct ix *i = ix_var(e->ix, "i", p->radix, e->scope->depth);
    struct expr x = emit_flat(e, f->node->ins[0],
                              element(e, f, f->o[f->across_load], butterfly_element(e, p, c, i)));
    if (x.text)
        emit_line(e, e->scope->depth, "%s[i] = %s;", p->v[c], x.text);
    emit_close_each(e, "i", p->radix);
    weigh(e, p, before);
}

static void read_shared(struct emit *e, struct fourier *f, const struct pass *p, uint32_t c)
{
    uint32_t d = e->scope->depth;
    const struct ix *row = f->row[f->across_store], *k = ix_mod(e->ix, p->b[c], p->before);
    const char *multiply = emit_call(e, "nx_mul", f->type);
    for (uint32_t i = 0; i < p->radix && !e->failed; i++) {
        const char *x = shared_element(e, f, row, butterfly_element(e, p, c, ix_const(e->ix, i)));
        if (i == 0) {
            emit_line(e, d, "%s[0] = %s;", p->v[c], x);
            continue;
        }
        struct expr w =
            emit_flat(e, f->node->ins[1], ix_scale(e->ix, k, i * (f->n / (p->before * p->radix))));
        if (w.text)
            emit_line(e, d, "%s[%u] = %s(%s, %s);", p->v[c], i, multiply, x, w.text);
    }
}

static void write_shared(struct emit *e, struct fourier *f, const struct pass *p, uint32_t c)
{
    const struct ix *row = f->row[p->number == 0 ? f->across_load : f->across_store];
    const struct ix *block =
                        ix_scale(e->ix, ix_div(e->ix, p->b[c], p->before), p->before * p->radix),
                    *k = ix_mod(e->ix, p->b[c], p->before);
    for (uint32_t i = 0; i < p->radix && !e->failed; i++) {
        const struct ix *j = ix_add_const(e->ix, ix_add(e->ix, block, k), i * p->before);
        emit_line(e, e->scope->depth, "%s = %s[%u];", shared_element(e, f, row, j), p->v[c], i);
    }
}

static void store(struct emit *e, struct fourier *f, const struct pass *p, uint32_t c)
{
    uint64_t before = e->flops;
    emit_open(e);
    const struct ix *i = ix_var(e->ix, "i", p->radix, e->scope->depth);
    const struct ix *flat = element(e, f, f->o[f->across_store], butterfly_element(e, p, c, i));
    emit_results(e, f->node, f->id, flat, f->glsl, arena_printf(e->arena, "%s[i]", p->v[c]));
    emit_close_each(e, "i", p->radix);
    weigh(e, p, before);
}

/* The part for each butterfly, under its guard. */
static void for_each(struct emit *e, struct fourier *f, const struct pass *p,
                     void (*part)(struct emit *, struct fourier *, const struct pass *, uint32_t),
                     const char *live)
{
    for (uint32_t c = 0; c < p->each && !e->failed; c++) {
        const char *both = live && p->guard[c]
                               ? arena_printf(e->arena, "%s && %s", live, p->guard[c])
                           : live ? live
                                  : p->guard[c];
        if (both)
            emit_open(e);
        part(e, f, p, c);
        if (both)
            emit_close(e, arena_printf(e->arena, "if (%s)", both));
    }
}

static void transform(struct emit *e, struct fourier *f, const struct pass *p, uint32_t c)
{
    (void)f;
    emit_line(e, e->scope->depth, "dft_%u(%s);", p->radix, p->v[c]);
}

static void run_pass(struct emit *e, struct fourier *f, uint32_t number)
{
    bool first = number == 0, last = number + 1 == f->passes;
    struct pass p = begin(e, f, number, first && !last ? f->across_load : f->across_store);
    for_each(e, f, &p, first ? read_operand : read_shared, NULL);
    if (!first && !last)
        emit_line(e, 0, "barrier();");
    for_each(e, f, &p, transform, NULL);
    for_each(e, f, &p, last ? store : write_shared, last ? f->live : NULL);
    if (!last)
        emit_line(e, 0, "barrier();");
}

static bool kernel_fourier(struct emit *e)
{
    struct kernel *k = e->kernel;
    struct fourier f = {
        .id = k->heroes[0], .node = func_node(e->func, k->heroes[0]), .n = k->space.fourier.length};
    const struct shape *shape = &f.node->outs[0].shape;
    f.type = f.node->outs[0].type;
    f.glsl = emit_type(e, f.type);
    f.inner = 1;
    for (uint32_t i = (uint32_t)attr_int(f.node, ATTR_axis, 0) + 1; i < shape->rank; i++)
        f.inner *= shape->dim[i];
    f.lines = k->space.fourier.lines;
    f.passes = fourier_radices(f.n, f.radix);
    struct fourier_limits limits = fourier_limits(e->unit->target);
    uint32_t bytes = type_bytes(f.type);
    f.gap = fourier_gap(f.n, bytes, limits);
    f.pitch = fourier_pitch(f.n, bytes, limits);
    if (e->unit->workgroup || !fourier_fits(f.n, bytes, limits)) {
        emit_fail(e,
                  e->unit->workgroup ? "n%u %s takes a workgroup of its own"
                                     : "n%u %s: its lines do not fit into a workgroup",
                  f.node->label, op_name(f.node->op));
        return false;
    }
    f.across_store = f.inner > 1;
    f.across_load = f.passes > 1 ? loads_run_across(e, &f) : f.across_store;
    place(e, &f, f.across_load);
    place(e, &f, f.across_store);
    if (f.lines % k->schedule.fourier.group_lines != 0)
        f.live = arena_printf(e->arena, "row0 + %s < %lldu", f.across_store ? "row_a" : "row",
                              (long long)f.lines);
    for (uint32_t i = 0; i < f.passes && !e->failed; i++) {
        run_pass(e, &f, i);
        emit_count(e, 5 * (f.radix[i] >= 8 ? 3 : 2));
    }
    if (!e->failed)
        emit_scalars(e, family_places(k), "if (row0 == 0u && lid == 0u)");
    k->shared_bytes =
        f.passes > 1 ? (uint32_t)(f.pitch * k->schedule.fourier.group_lines) * type_bytes(f.type)
                     : 0;
    return e->failed == NULL;
}

static void fourier_shared(struct emit *e, struct str *out)
{
    const struct kernel *k = e->kernel;
    const struct node *n = func_node(e->func, k->heroes[0]);
    uint32_t radix[FOURIER_PASSES], passes = fourier_radices(k->space.fourier.length, radix);
    if (passes > 1)
        str_printf(out, "shared %s line[%u];\n", emit_type(e, n->outs[0].type),
                   k->shared_bytes / type_bytes(n->outs[0].type));
    for (uint32_t i = 0; i < passes; i++)
        if (i == 0 || radix[i] != radix[i - 1])
            fourier_function(e, out, radix[i], n->outs[0].type, attr_bool(n, ATTR_inverse));
}

/* ---- the row ---- */

/* As many lines as a workgroup has work for. */
static void schedule_fourier(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    (void)most_unroll;
    const struct vkc_target *t = u->target;
    struct fourier_schedule *s = &k->schedule.fourier;
    const struct fourier_space *space = &k->space.fourier;
    uint32_t radix[FOURIER_PASSES], passes = fourier_radices(space->length, radix);
    uint32_t bytes = type_bytes(unit_func(u)->nodes[k->heroes[0]].outs[0].type);
    int64_t line_bytes = fourier_pitch(space->length, bytes, fourier_limits(t)) * bytes;
    int64_t lines = space->lines, most = passes > 1 ? t->max_shared_bytes / line_bytes : lines;
    s->line_threads = passes ? (uint32_t)(space->length / radix[0]) : 1;
    uint32_t group = min32(u->tuning->transform_group, t->max_invocations);
    s->group_lines = s->line_threads < group ? group / s->line_threads : 1;
    s->group_lines = most < s->group_lines    ? (uint32_t)most
                     : lines < s->group_lines ? (uint32_t)lines
                                              : s->group_lines;
    s->group_lines = s->group_lines > 0 ? s->group_lines : 1;
    k->schedule.group = s->line_threads * s->group_lines;
    schedule_spread(k, (lines + s->group_lines - 1) / s->group_lines);
}

static void print_space(const struct kernel *k, struct str *out)
{
    const struct fourier_space *space = &k->space.fourier;
    str_printf(out, " %lld x %lld", (long long)space->lines, (long long)space->length);
}

static int64_t elements(const struct kernel *k)
{
    return k->space.fourier.lines * k->space.fourier.length;
}

static int64_t length(const struct kernel *k)
{
    return k->space.fourier.length;
}

static uint32_t elements_at_once(const struct kernel *k)
{
    (void)k;
    return FOURIER_RADIX;
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    const struct kernel *k = e->kernel;
    text_add(t, "BODY", t->body);
    text_add(t, "SHARED", t->shared);
    text_add_number(e, t, "GROUP_ROWS", k->schedule.fourier.group_lines);
    text_add_number(e, t, "ROW_THREADS", k->schedule.fourier.line_threads);
    text_add_number(e, t, "ROWS", k->space.fourier.lines);
    return text_fill(e, t, "fourier.comp", out);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    if (n->op != OP_FOURIER)
        return false;
    k->space.fourier.length = n->outs[0].shape.dim[attr_int(n, ATTR_axis, 0)];
    k->space.fourier.lines = unit_size(u, v) / k->space.fourier.length;
    return true;
}

const struct family fourier_family = {
    .name = "fourier",
    .places = elements,
    .length = length,
    .starts = starts,
    .join = places_join,
    .has_place = has_places,
    .print_space = print_space,
    .schedule = schedule_fourier,
    .elements_at_once = elements_at_once,
    .write = kernel_fourier,
    .repeats = elements,
    .print_shared = fourier_shared,
    .fill = fill,
};
