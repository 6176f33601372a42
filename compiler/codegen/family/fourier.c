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
    int64_t n, inner, lines;
    uint32_t radix[FOURIER_PASSES], passes;
    struct fourier_exchange exchange[FOURIER_PASSES];
    int64_t line_step, element_step; /* in shared memory */
    bool halves;                     /* of elements are exchanged, one after the other */
    const char *part;                /* the one that is: ".x", ".y", or "" for all of it */
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

/* "line[...]" of element j of a line of the workgroup, with its gaps after pass `number`. */
static const char *shared_element(struct emit *e, const struct fourier *f, uint32_t number,
                                  const struct ix *row, const struct ix *j)
{
    const struct fourier_exchange x = f->exchange[number];
    const struct ix *at = ix_add(e->ix, j, ix_scale(e->ix, ix_div(e->ix, j, x.gap), x.pad));
    struct expr text = emit_index(
        e, ix_add(e->ix, ix_scale(e->ix, row, f->line_step), ix_scale(e->ix, at, f->element_step)));
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
    const struct ix *row = f->row[f->across_store];
    for (uint32_t i = 0; i < p->radix && !e->failed; i++)
        emit_line(e, e->scope->depth, "%s[%u]%s = %s;", p->v[c], i, f->part,
                  shared_element(e, f, p->number - 1, row,
                                 butterfly_element(e, p, c, ix_const(e->ix, i))));
}

static void turn(struct emit *e, struct fourier *f, const struct pass *p, uint32_t c)
{
    const struct ix *k = ix_mod(e->ix, p->b[c], p->before);
    for (uint32_t i = 1; i < p->radix && !e->failed; i++) {
        struct expr w = emit_flat(e, f->node->ins[1], ix_add_const(e->ix, k, i * p->before));
        if (w.text)
            emit_line(e, e->scope->depth, "%s[%u] = turned(%s[%u], %s);", p->v[c], i, p->v[c], i,
                      w.text);
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
        emit_line(e, e->scope->depth, "%s = %s[%u]%s;", shared_element(e, f, p->number, row, j),
                  p->v[c], i, f->part);
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

/* What a pass has goes to the threads that need it next. */
static void exchange(struct emit *e, struct fourier *f, const struct pass *from,
                     const struct pass *to)
{
    static const char *const parts[2] = {".x", ".y"};
    for (uint32_t i = 0; i < (f->halves ? 2 : 1); i++) {
        f->part = f->halves ? parts[i] : "";
        if (from->number > 0 || i > 0)
            emit_line(e, 0, "barrier();"); /* what was there has been read */
        for_each(e, f, from, write_shared, NULL);
        emit_line(e, 0, "barrier();");
        for_each(e, f, to, read_shared, NULL);
    }
    for_each(e, f, to, turn, NULL);
}

static void run_passes(struct emit *e, struct fourier *f)
{
    struct pass p = begin(e, f, 0, f->passes > 1 ? f->across_load : f->across_store);
    for_each(e, f, &p, read_operand, NULL);
    for (uint32_t i = 0; i < f->passes && !e->failed; i++) {
        for_each(e, f, &p, transform, NULL);
        emit_count(e, 5 * (f->radix[i] >= 8 ? 3 : 2));
        if (i + 1 == f->passes)
            break;
        struct pass next = begin(e, f, i + 1, f->across_store);
        exchange(e, f, &p, &next);
        p = next;
    }
    for_each(e, f, &p, store, f->live);
}

/* How lines lie in shared memory: one after the other, or, where neighbouring threads have
   neighbouring lines, side by side. */
static void lay_out(struct emit *e, struct fourier *f)
{
    struct kernel *k = e->kernel;
    uint32_t lines = k->schedule.fourier.group_lines, bytes = type_bytes(f->type);
    bool side_by_side = f->across_load && f->across_store;
    f->halves = e->unit->tuning->transform_halves;
    int64_t unit = fourier_unit(bytes, f->halves);
    int64_t pitch =
        fourier_exchanges(f->n, fourier_banks((uint32_t)unit, side_by_side ? lines : 1),
                          e->unit->target->max_shared_bytes / (unit * lines), f->exchange);
    f->line_step = side_by_side ? 1 : pitch;
    f->element_step = side_by_side ? lines : 1;
    k->shared_bytes = f->passes > 1 ? (uint32_t)(pitch * lines * unit) : 0;
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
    uint32_t bytes = type_bytes(f.type);
    if (e->unit->workgroup ||
        !fourier_fits(f.n, bytes, fourier_limits(e->unit->target, e->unit->tuning, bytes, false))) {
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
    lay_out(e, &f);
    run_passes(e, &f);
    if (!e->failed)
        emit_scalars(e, family_places(k), "if (row0 == 0u && lid == 0u)");
    return e->failed == NULL;
}

static void fourier_shared(struct emit *e, struct str *out)
{
    const struct kernel *k = e->kernel;
    const struct node *n = func_node(e->func, k->heroes[0]);
    uint32_t radix[FOURIER_PASSES], passes = fourier_radices(k->space.fourier.length, radix);
    enum vkc_type type = n->outs[0].type;
    if (passes > 1) {
        bool halves = e->unit->tuning->transform_halves;
        str_printf(out, "shared %s line[%u];\n",
                   emit_type(e, !halves             ? type
                                : type == TYPE_C128 ? TYPE_F64
                                                    : TYPE_F32),
                   k->shared_bytes / fourier_unit(type_bytes(type), halves));
        fourier_turn_function(e, out, type);
    }
    for (uint32_t i = 0; i < passes; i++)
        if (i == 0 || radix[i] != radix[i - 1])
            fourier_function(e, out, radix[i], type, attr_bool(n, ATTR_inverse));
}

/* ---- the row ---- */

/* As many lines as a workgroup has work for, and as memory comes in pieces. */
static void schedule_fourier(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    (void)most_unroll;
    const struct node *n = &unit_func(u)->nodes[k->heroes[0]];
    const struct shape *shape = &n->outs[0].shape;
    struct fourier_schedule *s = &k->schedule.fourier;
    const struct fourier_space *space = &k->space.fourier;
    struct fourier_exchange exchange[FOURIER_PASSES];
    uint32_t radix[FOURIER_PASSES], passes = fourier_radices(space->length, radix);
    uint32_t bytes = type_bytes(n->outs[0].type),
             unit = fourier_unit(bytes, u->tuning->transform_halves);
    bool across = false;
    for (uint32_t i = (uint32_t)attr_int(n, ATTR_axis, 0) + 1; i < shape->rank; i++)
        across |= shape->dim[i] > 1;
    int64_t lines = space->lines, most = u->target->max_shared_bytes / unit,
            pitch = fourier_exchanges(space->length, fourier_banks(unit, 1), most, exchange);
    s->line_threads = passes ? (uint32_t)(space->length / radix[0]) : 1;
    uint32_t group = min32(u->tuning->transform_group, u->target->max_invocations);
    s->group_lines = s->line_threads < group ? group / s->line_threads : 1;
    if (passes > 1 && most / pitch < s->group_lines)
        s->group_lines = (uint32_t)(most / pitch);
    /* these may have to do without gaps */
    for (uint32_t piece = across ? u->tuning->transform_wide : 0;
         piece >= u->tuning->transform_piece && piece >= 2 * bytes; piece /= 2)
        if (s->group_lines < piece / bytes &&
            piece / bytes * s->line_threads <= u->target->max_invocations &&
            (passes == 1 || space->length * (piece / bytes) <= most))
            s->group_lines = piece / bytes;
    s->group_lines = lines < s->group_lines ? (uint32_t)lines : s->group_lines;
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
