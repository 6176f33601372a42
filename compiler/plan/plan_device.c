/* Loops and branches that the device steers itself: those whose values are too large for a
   workgroup program and that do not call the host.

   A branch is a gate with two flows (plan_gate.h). A loop of known length is its body, written out
   once per round. Any other loop is a round (condition, gate, body) that is repeated in blocks.
   After each block the host reads the loop's word `runs` and stops if it is 0; the rounds that were
   left in the block did nothing.

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
#include "plan/plan_copy.h"
#include "plan/plan_device.h"
#include "plan/plan_gate.h"
#include "plan/plan_rounds.h"

enum {
    /* of a block at most: what is left of the last does nothing, but its barriers cost time */
    ROUNDS = 8,
    BLOCK_STEPS = 64, /* fewer rounds when they are long */
    INNER = 4,        /* rounds of a loop in a loop in one round of the outer one */
    INNER_STEPS = 32,
    /* a loop of known length inside another is written out up to that many steps */
    KNOWN_STEPS = 4096,
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

/* ---- branches ---- */

static bool gated_steps(struct nest *n, const struct block *from, uint32_t flow, struct block *to,
                        uint32_t *out_flow);

static bool branch(struct nest *n, const struct task_step *t, uint32_t flow, struct block *to,
                   uint32_t *out_flow)
{
    struct arena *a = n->b->plan->arena;
    uint32_t then = nest_words(n, 1), otherwise = nest_words(n, 1), after[2];
    struct gate *g;
    if (!nest_gate(n, to, t->step.buffers[0],
                   arena_printf(a, "if %s", n->b->plan->buffers[t->step.buffers[0]].name), &g))
        return false;
    gate_set(n, g, then, arena_printf(a, "%s & holds", flow_text(n, flow)));
    gate_set(n, g, otherwise, arena_printf(a, "%s & (1u - holds)", flow_text(n, flow)));
    struct block none = {0};
    if (!gated_steps(n, t->range[0], then, to, &after[0]) ||
        !gated_steps(n, t->range[1] ? t->range[1] : &none, otherwise, to, &after[1]))
        return false;
    *out_flow = flow;
    if (after[0] == then && after[1] == otherwise)
        return true;
    *out_flow = nest_words(n, 1);
    if (!nest_gate(n, to, NO_INDEX, "end of a branch", &g))
        return false;
    gate_set(n, g, *out_flow,
             arena_printf(a, "%s | %s", flow_text(n, after[0]), flow_text(n, after[1])));
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
    const char *text = flow_text(n, runs);
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
    struct loop_words w = {.runs = nest_words(n, 1), .over = ALWAYS, .odd = ALWAYS};
    if (!outermost)
        w.over = nest_words(n, 1);
    w.start = nested ? nest_words(n, 1) : w.runs;
    if (!nested && plan_changes_places(t))
        w.odd = nest_words(n, 1);
    return w;
}

/* Condition, gate, body. `failed`: NO_INDEX, or a word that is set if the condition fails here. */
static bool one_round(struct nest *n, const struct task_step *t, const struct loop_words *w,
                      uint32_t failed, struct block *round)
{
    struct arena *a = n->b->plan->arena;
    uint32_t tested, after, runs = w->runs, go = w->start == runs ? runs : nest_words(n, 1);
    struct gate *g;
    if (!gated_steps(n, t->range[0], w->start, round, &tested) ||
        !nest_gate(n, round, t->step.buffers[0], "while", &g))
        return false;
    if (failed != NO_INDEX)
        gate_set(n, g, failed,
                 arena_printf(a, "w[%u] | (%s & (1u - holds))", failed, flow_text(n, tested)));
    if (w->over != ALWAYS)
        gate_set(n, g, w->over,
                 arena_printf(a, "w[%u] | (%s & (1u - holds))", w->over, flow_text(n, tested)));
    if (go == runs)
        gate_set(n, g, runs, arena_printf(a, "w[%u] & holds", runs));
    else {
        gate_set(n, g, go, arena_printf(a, "%s & holds", flow_text(n, tested)));
        gate_set(n, g, runs,
                 arena_printf(a, "w[%u] & (1u - (%s & (1u - holds)))", runs, flow_text(n, tested)));
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
    if (!nest_gate(n, to, NO_INDEX, "a loop begins", &g) || !round_of(n, t, &w, round))
        return false;
    g = &n->gates[gate];
    gate_set(n, g, w.runs, arena_printf(a, "w[%u] | %s", w.runs, flow_text(n, flow)));
    gate_set(n, g, w.over, "0u");
    if (nested)
        gate_set(n, g, w.start, unless_inside(n, w.runs, first));
    if (w.odd != ALWAYS)
        gate_set(n, g, w.odd, "0u");
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
    if (!nest_begin(&n, b))
        return false;
    struct loop_words w = new_loop(&n, t, true);
    bool nested = w.start != w.runs;
    if (!nest_gate(&n, to, NO_INDEX, "a loop begins", &g) ||
        (nested && !nest_gate(&n, round, NO_INDEX, "a round begins", &g)) ||
        !round_of(&n, t, &w, round))
        return false;
    gate_set(&n, &n.gates[0], w.runs, "1u");
    if (w.odd != ALWAYS)
        gate_set(&n, &n.gates[0], w.odd, "0u");
    for (uint32_t i = 0; i < n.nrunning; i++)
        n.gates[0].text =
            arena_printf(b->plan->arena, "%s    w[%u] = 0u;\n", n.gates[0].text, n.running[i]);
    if (nested)
        gate_set(&n, &n.gates[1], w.start, unless_inside(&n, w.runs, 0));
    uint64_t times = rounds_of(round, &w, ROUNDS, BLOCK_STEPS);
    return (add_repeat(b, to, times, n.words, round) || no_memory(b)) && after_odd(&n, t, &w, to) &&
           nest_finish(&n);
}

static bool gated_steps(struct nest *n, const struct block *from, uint32_t flow, struct block *to,
                        uint32_t *out_flow)
{
    for (uint32_t i = 0; i < from->nsteps; i++) {
        struct task_step *t = &from->steps[i];
        if (t->step.kind == STEP_COPY && flow != ALWAYS) { /* those that follow join it */
            uint32_t copies = plan_copies_together(n->b->plan, from, i);
            if (!plan_copy_kernel(n->b, t, copies) || !nest_dispatch(n, flow, t, to))
                return false;
            i += copies - 1;
            continue;
        }
        bool ok = t->step.kind == STEP_IF           ? branch(n, t, flow, to, &flow)
                  : t->step.kind != STEP_WHILE      ? nest_dispatch(n, flow, t, to)
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
    return nest_begin(&n, b) &&
           (t->step.kind == STEP_WHILE ? counted(&n, t, ALWAYS, to)
                                       : branch(&n, t, ALWAYS, to, &after)) &&
           nest_finish(&n);
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
        if (!block_append(b, &done, t))
            return false;
    }
    *block = done;
    return true;
}

bool plan_set_flag(struct planner *b, uint32_t flag, uint32_t value, struct block *to)
{
    struct nest n = {.b = b, .words = flag};
    struct gate *g;
    uint32_t word = nest_words(&n, 1);
    if (!nest_gate(&n, to, NO_INDEX, "a run begins", &g))
        return false;
    gate_set(&n, g, word, arena_printf(b->plan->arena, "%uu", value));
    return nest_finish(&n);
}
