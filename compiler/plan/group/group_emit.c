/* The code of a workgroup program: a block for each phase, a barrier where a phase touches what
   another thread may have written since the last one, and the shader's own loops and branches.
   Every thread reaches every barrier: what decides a loop or branch is the same in all of them. */
#include <string.h>

#include "runtime/bundle.h"
#include "codegen/family/family.h"
#include "codegen/family/generate.h"
#include "plan/group/group.h"
#include "plan/group/group_gang.h"
#include "plan/group/group_hazards.h"
#include "plan/group/group_kept.h"
#include "plan/group/group_slice.h"
#include "plan/plan_steps.h"
#include "codegen/template.h"

struct writer {
    struct group *g;
    struct plan *plan;
    struct arena *arena;
    struct str text;
    uint32_t indent;
    struct touched since;
    struct needs needs;
    uint32_t phases, statements; /* written so far */
    struct kept kept;            /* of gangs */
    bool gang_read;              /* the arrays of gangs may be read since the last barrier */
    const char *why_not;
    struct diag *diag;
};

static void line(struct writer *w, const char *text)
{
    for (uint32_t i = 0; i < w->indent && *text; i++)
        str_add(&w->text, "    ");
    str_add(&w->text, text);
    str_add(&w->text, "\n");
}

/* A body's lines, which stand one step in. */
static void body(struct writer *w, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        for (uint32_t i = 0; i < w->indent && n; i++)
            str_add(&w->text, "    ");
        str_addn(&w->text, text, n);
        str_add(&w->text, "\n");
        text += n + (text[n] != '\0');
    }
}

static bool keep_needs(struct writer *w, const struct emit *e)
{
    return needs_join(&w->needs, w->arena, &e->needs) || FAIL(w->diag, MEMORY, "out of memory");
}

/* ---- barriers ---- */

static void write_barrier(struct writer *w, bool buffers)
{
    if (!touched_clear(w->g, &w->since, buffers))
        return;
    line(w, buffers ? "memoryBarrierBuffer(); barrier();" : "barrier();");
    w->gang_read = false;
}

static void barrier(struct writer *w)
{
    write_barrier(w, touched_buffers(w->g, &w->since));
}

/* A barrier if the step needs one, then the step's own accesses. */
static bool hazards(struct writer *w, const struct task_step *t, bool parts)
{
    struct row_write rows = group_row_write(w->g, t);
    if (touched_meets(w->g, &w->since, &t->step, rows, parts))
        write_barrier(w, touched_buffers(w->g, &w->since) ||
                             touched_meets_rows(w->g, &w->since, &t->step, rows));
    return touched_add(w->g, &w->since, &t->step, rows, parts) ||
           FAIL(w->diag, MEMORY, "out of memory");
}

/* Of all that the round has touched, before the next. */
static void round_barrier(struct writer *w, const struct task_step *t)
{
    bool buffers = touched_buffers(w->g, &w->since);
    for (uint32_t i = 0; i < w->since.n; i++) {
        struct row_write rows = {w->since.list[i].buffer, w->since.list[i].row};
        for (uint32_t r = 0; r < 2 && rows.row; r++)
            buffers |= group_touches_row(w->g, t->range[r], rows);
    }
    write_barrier(w, buffers);
}

/* ---- phases ---- */

/* for (uint t = lid; t < count; t += THREADS), or what that is when the count is small. */
static const char *strided(const struct writer *w, const char *name, int64_t count)
{
    uint32_t threads = w->g->threads;
    if (count > threads)
        return arena_printf(w->arena, "for (uint %s = lid; %s < %lldu; %s += %uu) {", name, name,
                            (long long)count, name, threads);
    return count == threads ? "{" : arena_printf(w->arena, "if (lid < %lldu) {", (long long)count);
}

static void open_phase(struct writer *w, const struct kernel *k, const struct phase *p,
                       bool uniform)
{
    struct arena *a = w->arena;
    bool map = family_of(k)->is_elementwise;
    long long rows = (long long)p->count;
    if (p->threads == 1) {
        const char *name = map ? "t" : "o";
        line(w, uniform ? "{" : strided(w, name, p->count));
        if (uniform || p->count == 1) {
            if (!map)
                line(w, "    const uint o = 0u;");
        } else if (p->count <= w->g->threads)
            line(w, arena_printf(a, "    uint %s = lid;", name));
        return;
    }
    const char *by = arena_printf(a, "%uu", p->across ? p->at_once : p->threads);
    const char *part =
        p->at_once == 1 ? "lid" : arena_printf(a, p->across ? "lid / %s" : "lid %% %s", by);
    const char *row =
        p->at_once == 1 ? "0u" : arena_printf(a, p->across ? "lid %% %s" : "lid / %s", by);
    bool loops = rows > p->at_once;
    line(w, loops ? arena_printf(a, "for (uint first = 0u; first < %lldu; first += %uu) {", rows,
                                 p->at_once)
                  : "{");
    line(w, arena_printf(a, "    uint part = %s, row = %s, o = %srow;", part, row,
                         loops ? "first + " : ""));
    line(w, arena_printf(a, "    bool live = o < %lldu;", rows));
    line(w,
         arena_printf(a, "    o = min(o, %lldu); // every thread reaches every barrier", rows - 1));
}

/* The same where only a slice is gone through. */
static void open_slice(struct writer *w, const struct kernel *k, const struct slice *s)
{
    line(w, strided(w, "at", s->count));
    line(w,
         arena_printf(w->arena, "    uint %s = %s + %s;", family_of(k)->is_elementwise ? "t" : "o",
                      group_slice_begin(w->g, s), s->count > w->g->threads ? "at" : "lid"));
}

/* What is kept, and what gangs of the phase compute. */
static struct single *single_lists(struct writer *w, const struct single *kept, uint32_t nkept,
                                   const struct gangs *gangs)
{
    struct single *both = ARENA_ARRAY(w->arena, struct single, nkept + gangs->nsingles);
    for (uint32_t i = 0; both && i < nkept; i++)
        both[i] = kept[i];
    for (uint32_t i = 0; both && i < gangs->nsingles; i++)
        both[nkept + i] = gangs->singles[i];
    return both;
}

/* The phase's body, and before it what goes in gangs. */
static bool phase_body(struct writer *w, const struct task_step *t, bool is_slice, struct emit *e,
                       struct gangs *gangs)
{
    struct kernel *k = &w->plan->kernels[t->step.kernel];
    struct unit *u = t->unit;
    bool uniform = group_is_uniform(k), ok;
    uint64_t flops = k->flops;
    struct single *singles;
    uint32_t nkept = kept_of(&w->kept, u, &singles);
    if (nkept == UINT32_MAX)
        return FAIL(w->diag, MEMORY, "out of memory");
    u->places = w->g->place;
    u->place_access = w->g->access;
    u->only_slice = is_slice ? func_node(unit_func(u), unit_base(u, k->roots[0]).node) : NULL;
    k->shared_bytes = 0;
    u->singles = singles;
    u->nsingles = nkept;
    ok = kernel_body(u, k, 1, uniform, e, w->diag) && group_gangs(w->g, e, gangs, w->diag);
    if (ok && gangs->nsingles) {
        u->singles = single_lists(w, singles, nkept, gangs);
        u->nsingles = u->singles ? nkept + gangs->nsingles : 0;
        ok = u->singles && kernel_body(u, k, 1, uniform, e, w->diag);
    }
    u->nsingles = 0;
    u->places = NULL;
    u->only_slice = NULL;
    k->flops = flops;
    if (!ok)
        w->why_not = e->failed ? e->failed : "a phase cannot be written";
    return ok && keep_needs(w, e) &&
           (needs_join(&w->needs, w->arena, &gangs->needs) ||
            FAIL(w->diag, MEMORY, "out of memory"));
}

/* All that was touched before is waited for, as it would be somewhere in the phase, so that the
   gangs' own barriers need not say what they are for. */
static bool open_gangs(struct writer *w, const struct gangs *gangs, const struct block *b,
                       uint32_t step)
{
    struct str keep;
    str_init(&keep, w->arena);
    barrier(w);
    if (w->gang_read)
        line(w, "barrier(); // the arrays of gangs have been read");
    w->gang_read = true;
    line(w, "{");
    body(w, gangs->text);
    if (!kept_add(&w->kept, w->g, b->steps[step].unit, gangs, b, step + 1, &keep))
        return FAIL(w->diag, MEMORY, "out of memory");
    body(w, str_text(&keep));
    w->indent++;
    return true;
}

static bool phase(struct writer *w, const struct block *b, uint32_t step)
{
    const struct task_step *t = &b->steps[step];
    struct kernel *k = &w->plan->kernels[t->step.kernel];
    struct emit e;
    struct gangs gangs;
    bool uniform = group_is_uniform(k);
    struct phase p = family_phase(k);
    const struct slice slice = group_slice(w->g, t, &p);
    const bool is_slice = slice.count > 0 && !uniform;
    if (!phase_body(w, t, is_slice, &e, &gangs))
        return false;
    p = family_phase(k); /* of packed elements fewer, once their body is there */
    if (gangs.nsingles && !open_gangs(w, &gangs, b, step))
        return false;
    if (!hazards(w, t, p.threads > 1))
        return false;
    const char *label = kernel_label(t->unit, w->arena, k);
    line(w, arena_printf(w->arena, "// phase %u: %s", w->phases++, label));
    if (is_slice)
        open_slice(w, k, &slice);
    else
        open_phase(w, k, &p, uniform);
    body(w, str_text(&e.scope->text));
    if (p.threads > 1 && p.count > p.at_once)
        line(w, "    barrier(); // before the next rows take the arrays of partial results");
    line(w, "}");
    w->statements += e.statements;
    if (gangs.nsingles) {
        w->indent--;
        line(w, "}");
    }
    return true;
}

/* An emitter of no kernel, for a value that lies in a buffer. `unit`: of that. */
static struct emit apart(struct writer *w, struct unit *unit)
{
    *unit = (struct unit){.arena = w->arena, .target = w->plan->target, .tuning = &w->plan->tuning};
    return (struct emit){.arena = w->arena, .unit = unit, .diag = w->diag};
}

/* ---- copies ---- */

static bool copy(struct writer *w, const struct task_step *t)
{
    uint32_t from = t->step.buffers[0], to = t->step.buffers[1];
    const struct place *x = &w->g->place[from], *y = &w->g->place[to];
    enum vkc_type type = w->plan->buffers[to].type;
    int64_t n = w->plan->buffers[to].elements;
    uint32_t packed = packed_per_word(type), px = x->kind == PLACE_BOUND ? packed : 1,
             py = y->kind == PLACE_BOUND ? packed : 1, bits = 8 * type_bytes(type);
    struct arena *a = w->arena;
    struct unit unit;
    struct emit e = apart(w, &unit);
    if (group_copies_nothing(w->g, &t->step))
        return true;
    if (!hazards(w, t, false))
        return false;
    w->g->access[from] |= VKB_READ;
    w->g->access[to] |= VKB_WRITE;
    const char *comment =
        arena_printf(a, "// copy %s", w->plan->buffers[to].name ? w->plan->buffers[to].name : "");
    if (y->kind == PLACE_LOCAL) {
        const char *value = place_element(a, x, "0u");
        line(w, arena_printf(a, "%s = %s; %s", y->array,
                             px > 1 ? emit_unpack(&e, type, value, "0u") : value, comment));
        return keep_needs(w, &e);
    }
    line(w, comment);
    int64_t count = group_copy_count(w->g, &t->step);
    line(w, strided(w, "t", count));
    if (count <= w->g->threads)
        line(w, "    uint t = lid;");
    if (px == py)
        line(w,
             arena_printf(a, "    %s = %s;", place_element(a, y, "t"), place_element(a, x, "t")));
    else if (py == 1) {
        const char *word = place_element(a, x, arena_printf(a, "t / %uu", px));
        line(w, arena_printf(a, "    %s = %s;", place_element(a, y, "t"),
                             emit_unpack(&e, type, word, arena_printf(a, "(t %% %uu)", px))));
    } else {
        line(w, "    uint word = 0u;");
        for (uint32_t l = 0; l < py; l++) {
            const char *at = arena_printf(a, "%uu * t + %uu", py, l);
            line(w, arena_printf(a, "    if (%s < %lldu) word |= %s << %uu;", at, (long long)n,
                                 emit_pack(&e, type, place_element(a, x, at)), l * bits));
        }
        line(w, arena_printf(a, "    %s = word;", place_element(a, y, "t")));
    }
    line(w, "}");
    return keep_needs(w, &e);
}

/* ---- loops and branches ---- */

static bool steps(struct writer *w, const struct block *b);

/* Whether the predicate, a u8, holds, read by every thread. */
static const char *predicate(struct writer *w, const struct task_step *t)
{
    struct unit unit;
    struct emit e = apart(w, &unit);
    uint32_t buffer = t->step.buffers[0];
    const char *value = place_element(w->arena, &w->g->place[buffer], "0u");
    w->g->access[buffer] |= VKB_READ;
    if (w->g->place[buffer].kind == PLACE_BOUND)
        value = emit_unpack(&e, TYPE_U8, value, "0u");
    return hazards(w, t, false) && keep_needs(w, &e)
               ? arena_printf(w->arena, "%s %s %uu", value, t->equals ? "==" : "!=", t->equals)
               : NULL;
}

static bool loop(struct writer *w, const struct task_step *t)
{
    /* what was touched before need not be waited for in every round */
    if (t->portion || touched_buffers(w->g, &w->since))
        barrier(w);
    line(w, t->portion ? "for (uint portion = 0u;; portion++) {" : "for (;;) {");
    w->indent++;
    w->gang_read = true; /* in the round before; also where the loop is left */
    if (!steps(w, t->range[0]))
        return false;
    const char *holds = predicate(w, t);
    if (!holds)
        return false;
    line(w, t->portion
                ? arena_printf(w->arena, "if (!(%s) || portion == %uu) break;", holds, t->portion)
                : arena_printf(w->arena, "if (!(%s)) break;", holds));
    struct touched at_break;
    if (!touched_copy(w->arena, &w->since, &at_break) || !steps(w, t->range[1]))
        return false;
    round_barrier(w, t);
    if (!touched_rows(w->g, &at_break, &w->since))
        return FAIL(w->diag, MEMORY, "out of memory");
    w->since = at_break;
    w->gang_read = true;
    w->indent--;
    line(w, "}");
    return true;
}

static bool branches(struct writer *w, const struct task_step *t)
{
    const char *holds = predicate(w, t);
    struct touched before, after;
    bool read_before = w->gang_read;
    if (!holds || !touched_copy(w->arena, &w->since, &before))
        return false;
    line(w, arena_printf(w->arena, "if (%s) {", holds));
    w->indent++;
    if (!steps(w, t->range[0]))
        return false;
    w->indent--;
    after = w->since;
    w->since = before;
    bool read_there = w->gang_read;
    w->gang_read = read_before;
    line(w, "} else {");
    w->indent++;
    if (t->range[1] && !steps(w, t->range[1]))
        return false;
    w->gang_read |= read_there;
    w->indent--;
    line(w, "}");
    return touched_join(w->g, &w->since, &after) || FAIL(w->diag, MEMORY, "out of memory");
}

static bool steps(struct writer *w, const struct block *b)
{
    uint32_t nkept = w->kept.n;
    for (uint32_t i = 0; i < b->nsteps; i++) {
        const struct task_step *t = &b->steps[i];
        bool ok = t->step.kind == STEP_DISPATCH ? phase(w, b, i)
                  : t->step.kind == STEP_COPY   ? copy(w, t)
                  : t->step.kind == STEP_WHILE  ? loop(w, t)
                                                : branches(w, t);
        if (!ok)
            return false;
    }
    w->kept.n = nkept;
    return true;
}

/* ---- declarations ---- */

static void print_buffers(struct writer *w, struct kernel *k, uint32_t *buffers, uint8_t *access,
                          struct str *out)
{
    const struct group *g = w->g;
    for (uint32_t i = 0; i < w->plan->nbuffers; i++) {
        const struct plan_buffer *b = &w->plan->buffers[i];
        unsigned use = g->access[i];
        if (g->place[i].kind != PLACE_BOUND || !use)
            continue;
        buffers[k->nbound] = b->is_row ? b->rows_of : i;
        access[k->nbound] = (uint8_t)use;
        const char *how = use == VKB_READ    ? "readonly "
                          : use == VKB_WRITE ? "writeonly "
                                             : "coherent ";
        const char *comment = arena_printf(w->arena, "%s  %s[%lld]", b->name ? b->name : "",
                                           type_name(b->type), (long long)b->elements);
        uint32_t element_bytes = type_bytes(b->type) < 4 ? 4 : type_bytes(b->type);
        needs_type(&w->needs, b->type);
        if (g->place[i].in_parts) {
            emit_addresses(&w->needs, k->nbound, comment, out);
            emit_parts(w->plan->target,
                       &(struct parts){g->place[i].array, how, memory_glsl(b->type), element_bytes,
                                       k->nbound},
                       out);
        } else
            str_printf(out, "layout(std430, binding = %u) %sbuffer B%u { %s %s[]; }; // %s\n",
                       k->nbound, how, k->nbound, memory_glsl(b->type), g->place[i].array, comment);
        k->nbound++;
    }
    if (!g->scratch_bytes)
        return;
    buffers[k->nbound] = NO_INDEX;
    access[k->nbound] = VKB_READ | VKB_WRITE;
    for (uint32_t i = 0; i < GROUP_TYPES; i++)
        if (g->scratch[i]) {
            const char *type = needs_type(&w->needs, group_types[i]);
            str_printf(out,
                       "layout(std430, binding = %u) coherent buffer B%u_%s { %s tmp_%s[]; };\n",
                       k->nbound, k->nbound, type, type, type);
        }
    k->nbound++;
}

static void print_shared(struct writer *w, struct str *out)
{
    const struct group *g = w->g;
    gang_print_shared(g, &w->needs, out);
    for (uint32_t i = 0; i < GROUP_TYPES; i++)
        if (g->shared[i]) {
            const char *type = needs_type(&w->needs, group_types[i]);
            str_printf(out, "shared %s sh_%s[%u];\n", type, type, g->shared[i]);
        }
    for (uint32_t i = 0; i < GROUP_TYPES; i++)
        if (g->parts[i]) {
            const char *type = needs_type(&w->needs, group_types[i]);
            str_printf(out, "shared %s part_%s[%u];\n", type, type, g->parts[i] * g->threads);
        }
    if (g->parts[GROUP_TYPES])
        str_printf(out, "shared uint where_uint[%u];\n", g->parts[GROUP_TYPES] * g->threads);
}

static void print_locals(struct writer *w, struct str *out)
{
    for (uint32_t i = w->g->inside; i < w->plan->nbuffers; i++)
        if (w->g->place[i].kind == PLACE_LOCAL)
            str_printf(out, "    %s %s;\n", needs_type(&w->needs, w->plan->buffers[i].type),
                       w->g->place[i].array);
    str_add(out, str_text(&w->kept.locals));
}

static struct kernel kernel_of(const struct group *g)
{
    uint32_t groups = g->instances ? (uint32_t)g->instances : 1;
    return (struct kernel){.family = KERNEL_GROUP,
                           .same_as = NO_INDEX,
                           .flops = g->flops,
                           .shared_bytes = g->shared_bytes + gang_bytes(g),
                           .schedule = {.group = g->threads, .groups = {groups, 1, 1}}};
}

bool group_emit(struct group *g, const char *what, struct kernel *out, uint32_t **out_buffers,
                uint8_t **out_access, const char **why_not, struct diag *d)
{
    struct plan *p = g->plan;
    struct arena *a = p->arena;
    struct writer w = {.g = g, .plan = p, .arena = a, .indent = 1, .diag = d};
    struct str bindings, shared, functions, locals, glsl;
    str_init(&w.text, a);
    str_init(&bindings, a);
    str_init(&shared, a);
    str_init(&functions, a);
    str_init(&locals, a);
    str_init(&glsl, a);
    *out_buffers = ARENA_ARRAY(a, uint32_t, p->nbuffers);
    *out_access = ARENA_ARRAY(a, uint8_t, p->nbuffers);
    if (!*out_buffers || !*out_access)
        return FAIL(d, MEMORY, "out of memory");
    *why_not = NULL;
    w.since.arena = a;
    kept_init(&w.kept, a);
    if (!steps(&w, g->block)) {
        *why_not = w.why_not;
        return false;
    }
    g->statements = w.statements;
    *out = kernel_of(g);
    print_buffers(&w, out, *out_buffers, *out_access, &bindings);
    print_shared(&w, &shared);
    print_locals(&w, &locals);
    out->label = arena_printf(a, "group %u: %s, %u phases, %u barriers", g->threads, what,
                              g->phases, g->barriers);
    if (!needs_functions(&w.needs, a, &functions, d))
        return false;
    const char *body_text = arena_printf(
        a, "%s%s%s", g->instances ? "    const uint instance = gl_WorkGroupID.x;\n" : "",
        str_text(&locals), str_text(&w.text));
    const char *ext = kernel_extensions(out, a, g->plan->target, &w.needs);
    if (bindings.len)
        bindings.data[--bindings.len] = '\0';
    if (shared.len)
        shared.data[--shared.len] = '\0';
    struct template_var v[] = {{"EXTENSIONS", ext},
                               {"LABEL", out->label},
                               {"WHY", g->instances ? arena_printf(a,
                                                                   "one dispatch: %lld instances, "
                                                                   "a workgroup each",
                                                                   (long long)g->instances)
                                                    : "one dispatch: every value is small"},
                               {"GROUP", arena_printf(a, "%u", g->threads)},
                               {"BINDINGS", str_text(&bindings)},
                               {"SHARED", str_text(&shared)},
                               {"FUNCTIONS", str_text(&functions)},
                               {"BODY", body_text}};
    if (a->failed)
        return FAIL(d, MEMORY, "out of memory");
    if (!template_fill("group.comp", v, sizeof v / sizeof *v, &glsl, d))
        return false;
    out->glsl = str_text(&glsl);
    return true;
}
