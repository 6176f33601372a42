/* Loops and branches that the device steers itself: those whose values are too large for a
   workgroup program and that do not call the host.

   A *flow* is a word in memory that is 1 while the steps that depend on it run. Their dispatches
   read their group counts from memory next to the word. A *gate*, a kernel of one thread, writes
   the counts or zeros there. A branch is a gate with two flows. A loop of known length is its body,
   written out once per round. Any other loop is a round (condition, gate, body) that is repeated
   in blocks. After each block the host reads the loop's word `runs` and stops if it is 0; the
   rounds that were left in the block did nothing.

   Where carried values change places (plan_rounds.c), a round is written out twice: the second
   time it reads where the first wrote. If the condition fails between the two, the word `odd` turns
   on copies that follow the loop.

   A loop inside such a loop shares the rounds of the outer one: each round of the outer loop runs
   up to `INNER` rounds of it. While it has not finished, its word `runs` stays 1. The next rounds
   of the outer loop then skip the steps before it, because `start`, the flow of the outer loop's
   condition, is 0 while an inner loop runs. When its own condition fails, its word `over` turns on
   the steps after it. So any nest of loops is one repetition of a flat list of steps. */
#include <string.h>

#include "runtime/bundle.h"
#include "plan/plan_device.h"
#include "plan/plan_copy.h"
#include "plan/plan_rounds.h"
#include "codegen/template.h"

enum {
    /* of a block at most: what is left of the last does nothing, but its barriers cost time */
    ROUNDS = 8,
    BLOCK_STEPS = 64, /* fewer rounds when they are long */
    INNER = 4,        /* rounds of a loop in a loop in one round of the outer one */
    INNER_STEPS = 32,
    /* a loop of known length inside another is written out up to that many steps */
    KNOWN_STEPS = 4096,
};

#define ALWAYS UINT32_MAX /* the flow of what is not turned off */

/* A dispatch whose group counts depend on a flow. */
struct gated {
    uint32_t flow, at; /* words */
    uint32_t kernel;
};

struct gate {
    const char *label, *text;
    uint32_t flows[3], nflows; /* the words that it writes and dispatches depend on */
    uint32_t kernel;
};

/* One nest of loops and branches, with words of its own. */
struct nest {
    struct planner *b;
    uint32_t words; /* buffer */
    uint32_t nwords;
    struct gated *gated;
    uint32_t ngated, cap_gated;
    struct gate *gates;
    uint32_t ngates, cap_gates;
    uint32_t *running; /* words `runs` of loops in loops */
    uint32_t nrunning, cap_running;
};

static bool no_memory(struct planner *b)
{
    return FAIL(b->diag, MEMORY, "out of memory");
}

/* ---- what a step holds ---- */

static bool any_step(const struct block *r, bool (*holds)(const struct task_step *t))
{
    for (uint32_t i = 0; r && i < r->nsteps; i++)
        if (holds(&r->steps[i]) || any_step(r->steps[i].range[0], holds) ||
            any_step(r->steps[i].range[1], holds))
            return true;
    return false;
}

static bool steers(const struct task_step *t)
{
    return t->step.kind != STEP_DISPATCH && t->step.kind != STEP_COPY;
}

static bool is_host(const struct task_step *t)
{
    return t->step.kind == STEP_HOST;
}

static bool calls_host(const struct task_step *t)
{
    return any_step(t->range[0], is_host) || any_step(t->range[1], is_host);
}

static uint64_t written_out(const struct block *r);

/* Steps of a round, with a copy of each value that changes places. */
static uint64_t body_steps(const struct task_step *t)
{
    return written_out(t->range[1]) + t->nchanges;
}

static bool is_unknown(const struct task_step *t)
{
    return t->step.kind == STEP_WHILE &&
           (!t->trips.exact || (uint64_t)t->trips.most * body_steps(t) > KNOWN_STEPS);
}

/* An outermost loop of known length around none of unknown length. The runtime cuts it into
   pieces. */
static bool is_counted(const struct task_step *t)
{
    return t->step.kind == STEP_WHILE && t->trips.exact && t->trips.most <= UINT32_MAX &&
           !any_step(t->range[1], is_unknown) && body_steps(t) <= VKB_MAX_RECORDED;
}

/* Steps in a command buffer, gates included. */
static uint64_t written_out(const struct block *r)
{
    uint64_t n = 0;
    for (uint32_t i = 0; r && i < r->nsteps && n <= VKB_MAX_RECORDED; i++) {
        const struct task_step *t = &r->steps[i];
        uint64_t inner = written_out(t->range[0]) + written_out(t->range[1]);
        if (t->step.kind == STEP_REPEAT)
            inner *= t->step.times;
        else if (t->step.kind == STEP_WHILE && t->trips.exact)
            inner = body_steps(t) * (uint64_t)t->trips.most;
        n += 1 + inner;
    }
    return n;
}

/* ---- words, gates, gated steps ---- */

static uint32_t new_words(struct nest *n, uint32_t count)
{
    n->nwords += count;
    return n->nwords - count;
}

static bool begin_nest(struct nest *n, struct planner *b)
{
    struct tensor word = {.type = TYPE_U32};
    *n = (struct nest){.b = b};
    n->words = plan_new_buffer(b, PLAN_SCRATCH, 0, &word, "words");
    return n->words != NO_INDEX || no_memory(b);
}

/* A gate with its step. `predicate`: NO_INDEX, or what it reads as `holds`. The text is lines of
   GLSL. */
static bool add_gate(struct nest *n, struct block *to, uint32_t predicate, const char *label,
                     struct gate **out)
{
    struct planner *b = n->b;
    if (!arena_grow(b->plan->arena, &n->gates, n->ngates, &n->cap_gates, sizeof *n->gates))
        return no_memory(b);
    struct kernel k = {.family = KERNEL_STEER,
                       .schedule = {.group = 1, .groups = {1, 1, 1}},
                       .same_as = NO_INDEX,
                       .label = arena_printf(b->plan->arena, "gate: %s", label)};
    k.nbound = predicate == NO_INDEX ? 1 : 2;
    struct gate *g = &n->gates[n->ngates++];
    *g = (struct gate){.label = k.label, .text = "", .kernel = plan_add_kernel(b, &k)};
    struct plan_step *s = plan_new_step(b, to, STEP_DISPATCH, k.nbound);
    if (!s || g->kernel == NO_INDEX)
        return no_memory(b);
    s->kernel = g->kernel;
    s->buffers[0] = n->words;
    s->access[0] = VKB_READ | VKB_WRITE;
    if (predicate != NO_INDEX) {
        s->buffers[1] = predicate;
        s->access[1] = VKB_READ;
    }
    *out = g;
    return true;
}

/* w[word] = expression, which every dispatch of that flow follows. */
static void set(struct nest *n, struct gate *g, uint32_t word, const char *expression)
{
    g->text = arena_printf(n->b->plan->arena, "%s    w[%u] = %s;\n", g->text, word, expression);
    g->flows[g->nflows++] = word;
}

static const char *word(struct nest *n, uint32_t flow)
{
    return flow == ALWAYS ? "1u" : arena_printf(n->b->plan->arena, "w[%u]", flow);
}

static bool append(struct planner *b, struct block *to, const struct task_step *t)
{
    if (!arena_grow(b->plan->arena, &to->steps, to->nsteps, &to->cap_steps, sizeof *to->steps))
        return no_memory(b);
    to->steps[to->nsteps++] = *t;
    return true;
}

static bool add_gated(struct nest *n, uint32_t flow, const struct task_step *t, struct block *to)
{
    if (!append(n->b, to, t))
        return false;
    struct plan_step *s = &to->steps[to->nsteps - 1].step;
    if (flow == ALWAYS)
        return true;
    s->counts = n->words;
    s->counts_at = new_words(n, 3 * kernel_bodies(&n->b->plan->kernels[s->kernel]));
    if (!arena_grow(n->b->plan->arena, &n->gated, n->ngated, &n->cap_gated, sizeof *n->gated))
        return no_memory(n->b);
    n->gated[n->ngated++] = (struct gated){flow, s->counts_at, s->kernel};
    return true;
}

static void print_gate(const struct gated *g, uint32_t at, const struct kernel *k, struct str *out)
{
    const uint32_t *groups = k->schedule.groups;
    str_printf(out, "    gate(%uu, w[%u], %uu, %uu, %uu);\n", at, g->flow, groups[0], groups[1],
               groups[2]);
}

/* Lines that set the group counts of a dispatch: three words for each body, as bundle.h has
   them. */
static void print_counts(const struct gated *g, const struct kernel *k, struct str *out)
{
    uint32_t at = g->at;
    for (const struct kernel *v = k->variant; v; v = v->variant, at += 3)
        print_gate(g, at, v, out);
    print_gate(g, at, k, out);
}

/* The gates' code, now that it is known what depends on each flow. */
static bool finish_nest(struct nest *n)
{
    struct plan *p = n->b->plan;
    for (uint32_t i = 0; i < n->ngates; i++) {
        struct gate *g = &n->gates[i];
        struct kernel *k = &p->kernels[g->kernel];
        struct str body, glsl;
        str_init(&body, p->arena);
        str_init(&glsl, p->arena);
        if (k->nbound > 1)
            str_add(&body, "    uint holds = predicate();\n");
        str_add(&body, g->text);
        for (uint32_t j = 0; j < n->ngated; j++)
            for (uint32_t f = 0; f < g->nflows; f++)
                if (n->gated[j].flow == g->flows[f])
                    print_counts(&n->gated[j], &p->kernels[n->gated[j].kernel], &body);
        struct template_var v[] = {
            {"LABEL", g->label},
            {"WHY", "decides which steps run, so that the host need not"},
            {"PREDICATE", k->nbound > 1 ? template_body("predicate.glsl") : ""},
            {"BODY", str_text(&body)},
        };
        if (p->arena->failed)
            return no_memory(n->b);
        if (!template_fill("gate.comp", v, sizeof v / sizeof *v, &glsl, n->b->diag))
            return false;
        k->glsl = str_text(&glsl);
    }
    p->buffers[n->words].elements = n->nwords;
    p->buffers[n->words].bytes = 4 * (uint64_t)n->nwords;
    return true;
}

/* ---- branches ---- */

static bool gated_steps(struct nest *n, const struct block *from, uint32_t flow, struct block *to,
                        uint32_t *out_flow);

static bool branch(struct nest *n, const struct task_step *t, uint32_t flow, struct block *to,
                   uint32_t *out_flow)
{
    struct arena *a = n->b->plan->arena;
    uint32_t then = new_words(n, 1), otherwise = new_words(n, 1), after[2];
    struct gate *g;
    if (!add_gate(n, to, t->step.buffers[0],
                  arena_printf(a, "if %s", n->b->plan->buffers[t->step.buffers[0]].name), &g))
        return false;
    set(n, g, then, arena_printf(a, "%s & holds", word(n, flow)));
    set(n, g, otherwise, arena_printf(a, "%s & (1u - holds)", word(n, flow)));
    struct block none = {0};
    if (!gated_steps(n, t->range[0], then, to, &after[0]) ||
        !gated_steps(n, t->range[1] ? t->range[1] : &none, otherwise, to, &after[1]))
        return false;
    *out_flow = flow;
    if (after[0] == then && after[1] == otherwise)
        return true;
    *out_flow = new_words(n, 1);
    if (!add_gate(n, to, NO_INDEX, "end of a branch", &g))
        return false;
    set(n, g, *out_flow, arena_printf(a, "%s | %s", word(n, after[0]), word(n, after[1])));
    return true;
}

/* ---- loops ---- */

static struct plan_step *add_repeat(struct planner *b, struct block *to, uint64_t times,
                                    uint32_t flag, struct block *round)
{
    struct plan_step *s = plan_new_step(b, to, STEP_REPEAT, flag != NO_INDEX);
    if (!s)
        return NULL;
    s->times = (uint32_t)times;
    if (flag != NO_INDEX) {
        s->buffers[0] = flag;
        s->access[0] = VKB_READ;
    }
    to->steps[to->nsteps - 1].range[0] = round;
    return s;
}

/* The body, once per round; it contains no loop of unknown length. Where carried values change
   places, a repetition is of two rounds, and an odd one comes before them. */
static bool counted(struct nest *n, struct task_step *t, uint32_t flow, struct block *to)
{
    struct block *round = ARENA_NEW(n->b->plan->arena, struct block);
    uint64_t times = (uint64_t)t->trips.most;
    bool pairs = times > 1 && plan_changes_places(t) && 2 * body_steps(t) <= VKB_MAX_RECORDED;
    struct task_step odd, second;
    uint32_t after;
    if (!round)
        return no_memory(n->b);
    if (times == 0)
        return true;
    if (pairs && times % 2 &&
        (!plan_clone_loop(n->b, t, false, &odd) || !plan_copy_changes(n->b, &odd) ||
         !gated_steps(n, odd.range[1], flow, to, &after)))
        return false;
    if ((pairs ? !plan_clone_loop(n->b, t, true, &second) : !plan_copy_changes(n->b, t)) ||
        !gated_steps(n, t->range[1], flow, round, &after) ||
        (pairs && !gated_steps(n, second.range[1], flow, round, &after)))
        return false;
    return round->nsteps == 0 || add_repeat(n->b, to, pairs ? times / 2 : times, NO_INDEX, round) ||
           no_memory(n->b);
}

/* "w[3]", or "w[3] & (1u - w[5]) & (1u - w[7])": unless a loop inside still runs. */
static const char *unless_inside(struct nest *n, uint32_t runs, uint32_t first_running)
{
    const char *text = word(n, runs);
    for (uint32_t i = first_running; i < n->nrunning; i++)
        text = arena_printf(n->b->plan->arena, "%s & (1u - w[%u])", text, n->running[i]);
    return text;
}

/* Whether it contains a loop that shares its rounds. */
static bool has_loops(const struct task_step *t)
{
    return any_step(t->range[0], is_unknown) || any_step(t->range[1], is_unknown);
}

/* The words of a loop of unknown length. */
struct loop_words {
    uint32_t runs;
    uint32_t over;  /* ALWAYS: the outermost loop */
    uint32_t start; /* `runs`, unless loops inside it may still run */
    uint32_t odd;   /* ALWAYS: its values do not change places */
};

static struct loop_words new_loop(struct nest *n, const struct task_step *t, bool outermost)
{
    bool nested = has_loops(t);
    struct loop_words w = {.runs = new_words(n, 1), .over = ALWAYS, .odd = ALWAYS};
    if (!outermost)
        w.over = new_words(n, 1);
    w.start = nested ? new_words(n, 1) : w.runs;
    if (!nested && plan_changes_places(t))
        w.odd = new_words(n, 1);
    return w;
}

/* Condition, gate, body. `failed`: NO_INDEX, or a word that is set if the condition fails here. */
static bool one_round(struct nest *n, const struct task_step *t, const struct loop_words *w,
                      uint32_t failed, struct block *round)
{
    struct arena *a = n->b->plan->arena;
    uint32_t tested, after, runs = w->runs, go = w->start == runs ? runs : new_words(n, 1);
    struct gate *g;
    if (!gated_steps(n, t->range[0], w->start, round, &tested) ||
        !add_gate(n, round, t->step.buffers[0], "while", &g))
        return false;
    if (failed != NO_INDEX)
        set(n, g, failed, arena_printf(a, "w[%u] | (%s & (1u - holds))", failed, word(n, tested)));
    if (w->over != ALWAYS)
        set(n, g, w->over,
            arena_printf(a, "w[%u] | (%s & (1u - holds))", w->over, word(n, tested)));
    if (go == runs)
        set(n, g, runs, arena_printf(a, "w[%u] & holds", runs));
    else {
        set(n, g, go, arena_printf(a, "%s & holds", word(n, tested)));
        set(n, g, runs,
            arena_printf(a, "w[%u] & (1u - (%s & (1u - holds)))", runs, word(n, tested)));
    }
    return gated_steps(n, t->range[1], go, round, &after);
}

/* A round of a loop of unknown length, or two between which carried values change places. */
static bool round_of(struct nest *n, struct task_step *t, const struct loop_words *w,
                     struct block *round)
{
    struct task_step second;
    if (w->odd == ALWAYS)
        return plan_copy_changes(n->b, t) && one_round(n, t, w, NO_INDEX, round);
    return plan_clone_loop(n->b, t, true, &second) && one_round(n, t, w, NO_INDEX, round) &&
           one_round(n, &second, w, w->odd, round);
}

/* What is left to copy when an odd number of rounds was made. */
static bool after_odd(struct nest *n, const struct task_step *t, const struct loop_words *w,
                      struct block *to)
{
    struct block copies = {0};
    uint32_t flow;
    if (w->odd == ALWAYS)
        return true;
    for (uint32_t i = 0; i < t->nchanges; i++)
        if (t->changes[i].is_wanted &&
            !plan_copy_step(n->b, &copies, t->changes[i].next, t->changes[i].old))
            return false;
    return gated_steps(n, &copies, w->odd, to, &flow);
}

/* How often the round, which is that of `w`, is repeated without a look at the flag. */
static uint64_t rounds_of(const struct block *round, const struct loop_words *w, uint32_t most,
                          uint32_t steps)
{
    uint64_t n = written_out(round), times = n ? steps / n : 1;
    most = w->odd == ALWAYS ? most : most / 2;
    return times < 1 ? 1 : times > most ? most : times;
}

static bool inner_loop(struct nest *n, struct task_step *t, uint32_t flow, struct block *to,
                       uint32_t *out_flow)
{
    struct arena *a = n->b->plan->arena;
    struct loop_words w = new_loop(n, t, false);
    bool nested = w.start != w.runs;
    uint32_t first = n->nrunning + 1, gate = n->ngates;
    struct block *round = ARENA_NEW(a, struct block);
    struct gate *g;
    if (!round || !arena_grow(a, &n->running, n->nrunning, &n->cap_running, sizeof *n->running))
        return no_memory(n->b);
    n->running[n->nrunning++] = w.runs;
    if (!add_gate(n, to, NO_INDEX, "a loop begins", &g) || !round_of(n, t, &w, round))
        return false;
    g = &n->gates[gate];
    set(n, g, w.runs, arena_printf(a, "w[%u] | %s", w.runs, word(n, flow)));
    set(n, g, w.over, "0u");
    if (nested)
        set(n, g, w.start, unless_inside(n, w.runs, first));
    if (w.odd != ALWAYS)
        set(n, g, w.odd, "0u");
    *out_flow = w.over;
    /* a workgroup program in portions is seldom run twice */
    bool once = nested || t->range[1]->nsteps == 0;
    uint64_t times = once ? 1 : rounds_of(round, &w, INNER, INNER_STEPS);
    return (add_repeat(n->b, to, times, NO_INDEX, round) || no_memory(n->b)) &&
           after_odd(n, t, &w, to);
}

/* The outermost loop. Its word `runs` is the first of the buffer, where the host looks. */
static bool outer_loop(struct planner *b, struct task_step *t, struct block *to)
{
    struct nest n;
    struct block *round = ARENA_NEW(b->plan->arena, struct block);
    struct gate *g;
    if (!round)
        return no_memory(b);
    /* a workgroup program in portions: its flag is the predicate */
    if (t->range[1]->nsteps == 0 && !any_step(t->range[0], steers))
        return add_repeat(b, to, 1, t->step.buffers[0], t->range[0]) || no_memory(b);
    if (!begin_nest(&n, b))
        return false;
    struct loop_words w = new_loop(&n, t, true);
    bool nested = w.start != w.runs;
    if (!add_gate(&n, to, NO_INDEX, "a loop begins", &g) ||
        (nested && !add_gate(&n, round, NO_INDEX, "a round begins", &g)) ||
        !round_of(&n, t, &w, round))
        return false;
    set(&n, &n.gates[0], w.runs, "1u");
    if (w.odd != ALWAYS)
        set(&n, &n.gates[0], w.odd, "0u");
    for (uint32_t i = 0; i < n.nrunning; i++)
        n.gates[0].text =
            arena_printf(b->plan->arena, "%s    w[%u] = 0u;\n", n.gates[0].text, n.running[i]);
    if (nested)
        set(&n, &n.gates[1], w.start, unless_inside(&n, w.runs, 0));
    uint64_t times = rounds_of(round, &w, ROUNDS, BLOCK_STEPS);
    return (add_repeat(b, to, times, n.words, round) || no_memory(b)) && after_odd(&n, t, &w, to) &&
           finish_nest(&n);
}

static bool gated_steps(struct nest *n, const struct block *from, uint32_t flow, struct block *to,
                        uint32_t *out_flow)
{
    for (uint32_t i = 0; i < from->nsteps; i++) {
        struct task_step *t = &from->steps[i];
        if (t->step.kind == STEP_COPY && flow != ALWAYS) { /* those that follow join it */
            uint32_t copies = plan_copies_together(n->b->plan, from, i);
            if (!plan_copy_kernel(n->b, t, copies) || !add_gated(n, flow, t, to))
                return false;
            i += copies - 1;
            continue;
        }
        bool ok = t->step.kind == STEP_IF           ? branch(n, t, flow, to, &flow)
                  : t->step.kind != STEP_WHILE      ? add_gated(n, flow, t, to)
                  : !is_unknown(t) && !has_loops(t) ? counted(n, t, flow, to)
                                                    : inner_loop(n, t, flow, to, &flow);
        if (!ok)
            return false;
    }
    *out_flow = flow;
    return true;
}

/* ---- steps that the host submits ---- */

static bool device_step(struct planner *b, struct task_step *t, struct block *to)
{
    struct nest n;
    uint32_t after;
    if (t->step.kind == STEP_WHILE && !is_counted(t))
        return outer_loop(b, t, to);
    return begin_nest(&n, b) &&
           (t->step.kind == STEP_WHILE ? counted(&n, t, ALWAYS, to)
                                       : branch(&n, t, ALWAYS, to, &after)) &&
           finish_nest(&n);
}

bool plan_on_device(struct planner *b, struct block *block)
{
    struct block done = {0};
    for (uint32_t i = 0; i < block->nsteps; i++) {
        struct task_step *t = &block->steps[i];
        bool control = t->step.kind == STEP_WHILE || t->step.kind == STEP_IF;
        bool stays = calls_host(t) ||
                     (t->step.kind == STEP_IF &&
                      (any_step(t->range[0], is_unknown) || any_step(t->range[1], is_unknown)));
        if (control && !stays) {
            if (!device_step(b, t, &done))
                return false;
            continue;
        }
        if (control && !plan_copy_changes(b, t))
            return false;
        for (uint32_t r = 0; control && r < 2; r++)
            if (t->range[r] && !plan_on_device(b, t->range[r]))
                return false;
        if (!append(b, &done, t))
            return false;
    }
    *block = done;
    return true;
}

bool plan_set_flag(struct planner *b, uint32_t flag, uint32_t value, struct block *to)
{
    struct nest n = {.b = b, .words = flag};
    struct gate *g;
    uint32_t word = new_words(&n, 1);
    if (!add_gate(&n, to, NO_INDEX, "a run begins", &g))
        return false;
    set(&n, g, word, arena_printf(b->plan->arena, "%uu", value));
    return finish_nest(&n);
}
