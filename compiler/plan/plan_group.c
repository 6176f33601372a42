/* What becomes a workgroup program: loops and branches whose values are small, and whole
   functions for which that holds. Sizes are checked first, so that large graphs pay little. Then
   it is tried: the steps are planned with kernels cut for one workgroup, laid out, and measured
   against the limits. If they do not fit, all of that is dropped, the reason is noted, and the
   host steers as before. Code is written only for what fits. */
#include <string.h>

#include "runtime/bundle.h"
#include "target/limits.h"
#include "codegen/family/row_elements.h"
#include "passes/instances.h"
#include "plan/group/group.h"
#include "plan/plan_group.h"
#include "plan/plan_control.h"
#include "plan/plan_device.h"
#include "plan/plan_resume.h"
#include "plan/plan_touch.h"

/* Statements bound the driver's compile time, which grows faster than they do (lavapipe: 5,500 in
   one shader take 95 s, in 69 shaders 25 s). Other limits are in target/: limits.h has those that
   passes need, tuning.def those that depend on the device. */
static const struct {
    uint64_t scratch_bytes;
    uint32_t nodes; /* of all functions in it */
    uint32_t statements;
} limits = {256 << 10, 6000, 4000};

/* ---- sizes ---- */

struct sizes {
    const struct graph *g;
    const struct tuning *tuning;
    struct arena *arena;
    uint32_t nodes, controls;
    uint32_t storable; /* nodes that may have a kernel: no more phases than these */
    double work;       /* additions of its sums and contractions, at the least */
    int64_t most;      /* elements of the largest value: what the workgroup is sized by */
    const char *why;
};

static bool small_value(struct sizes *s, const struct func *f, struct value v)
{
    int64_t n = shape_size(&func_tensor(f, v)->shape);
    s->most = n > s->most ? n : s->most;
    if (n > PROGRAM_ELEMENTS)
        s->why = "a value has more elements than one workgroup should walk";
    return n <= PROGRAM_ELEMENTS;
}

/* What is never stored, unless it is a result. */
static bool is_view(const struct node *n)
{
    return n->op == OP_PARAMETER || n->op == OP_LITERAL || n->op == OP_RESHAPE ||
           n->op == OP_TRANSPOSE || n->op == OP_BROADCAST || n->op == OP_SLICE ||
           n->op == OP_REVERSE;
}

static bool small_func(struct sizes *s, uint32_t func);

static bool small_node(struct sizes *s, const struct func *f, node_id id)
{
    const struct node *n = func_node(f, id);
    s->storable += !is_view(n);
    if (op_class(n->op) == CLASS_EFFECT ||
        (op_class(n->op) == CLASS_CONTROL && n->op != OP_WHILE && n->op != OP_COND)) {
        s->why = "it calls back to the host";
        return false;
    }
    if (op_class(n->op) == CLASS_CONTROL) {
        s->controls++;
        for (uint32_t o = 0; o < n->nouts; o++) {
            if (!(n->op == OP_WHILE && trips_unchanged(s->g, n, o)) &&
                !small_value(s, f, (struct value){id, o}))
                return false;
        }
        for (uint32_t r = 0; r < n->nregions; r++)
            if (!small_func(s, n->regions[r]))
                return false;
        return true;
    }
    if (op_kernel(n->op) == KERNEL_WORKGROUP) {
        s->why = arena_printf(s->arena, "%s takes a workgroup of its own", op_name(n->op));
        return false;
    }
    if (!node_is_hero(n))
        return true;
    int64_t inner =
        n->op == OP_TRIANGULAR_SOLVE ? func_tensor(f, n->ins[0])->shape.dim[0] : hero_inner(f, n);
    if (!small_value(s, f, (struct value){id, 0}))
        return false;
    s->most = inner > s->most ? inner : s->most;
    if (n->op == OP_DOT || op_class(n->op) == CLASS_REDUCE)
        s->work += (double)shape_size(&n->outs[0].shape) * (double)inner;
    if (shape_size(&n->outs[0].shape) * inner > s->tuning->program_work) {
        s->why = "a reduction or contraction is more work than one workgroup should do";
        return false;
    }
    return true;
}

static bool small_func(struct sizes *s, uint32_t func)
{
    const struct func *f = &s->g->funcs[func];
    s->nodes += f->nnodes;
    s->storable += f->nresults;
    if (s->nodes > limits.nodes) {
        s->why = "it has too many nodes";
        return false;
    }
    for (uint32_t i = 0; i < f->nresults; i++)
        if (func_node(f, f->results[i].node)->op != OP_PARAMETER &&
            !small_value(s, f, f->results[i]))
            return false;
    for (node_id i = 0; i < f->nnodes; i++)
        if (!small_node(s, f, i))
            return false;
    return true;
}

/* As many threads as the largest value keeps busy. */
static uint32_t threads_for(const struct plan *p, int64_t most)
{
    uint32_t n = p->tuning.vector_threads, invocations = p->target->max_invocations;
    while (n < p->tuning.program_threads && n < most && n * 2 <= invocations)
        n *= 2;
    return n <= invocations ? n : invocations;
}

/* ---- trying ---- */

struct attempt {
    struct planner *b;
    const struct sizes *sizes;
    uint32_t nbuffers, nkernels;
    struct group group;
    int64_t instances;
    uint32_t chained; /* kernels that it stands for, see plan_chain.c; 0: it is no chain */
    const char *why;
};

static void begin(struct attempt *x, struct planner *b, const struct sizes *s)
{
    *x = (struct attempt){
        .b = b, .sizes = s, .nbuffers = b->plan->nbuffers, .nkernels = b->plan->nkernels};
    b->workgroup = threads_for(b->plan, s->most);
    b->inside = b->plan->nbuffers;
}

static bool note(struct planner *b, uint32_t func, node_id node, const char *why)
{
    struct plan *p = b->plan;
    if (!arena_grow(p->arena, &p->notes, p->nnotes, &p->cap_notes, sizeof *p->notes))
        return FAIL(b->diag, MEMORY, "out of memory");
    p->notes[p->nnotes++] =
        (struct plan_note){func, node, why ? why : "it cannot be compiled as one"};
    return true;
}

/* Drops what was tried. False for errors that end the compile. */
static bool give_up(struct attempt *x, uint32_t func, node_id node)
{
    struct planner *b = x->b;
    const char *why = x->why;
    if (b->diag->code == DIAG_MEMORY || b->diag->code == DIAG_INTERNAL ||
        b->diag->code == DIAG_CANCELLED)
        return false;
    if (b->diag->code != DIAG_OK)
        why = arena_strdup(b->plan->arena, b->diag->message);
    *b->diag = (struct diag){0};
    b->plan->nbuffers = x->nbuffers;
    b->plan->nkernels = x->nkernels;
    return note(b, func, node, why);
}

static const char too_many_rounds[] =
    "it may have more loop iterations than one dispatch is to make";

/* Rounds of a portion, given the iterations of a round. */
static uint32_t portion_rounds(const struct tuning *t, uint64_t iterations)
{
    uint64_t rounds = 2 * t->portion_iterations / (iterations ? iterations : 1);
    return rounds > 1 ? (uint32_t)rounds - 1 : 1;
}

/* How many instances a workgroup's place on the device computes one after another. */
static uint64_t group_waves(const struct group *g)
{
    uint64_t at_once = g->plan->tuning.program_groups;
    return g->instances ? ((uint64_t)g->instances + at_once - 1) / at_once : 1;
}

static const char *over_limit(const struct group *g)
{
    const struct vkc_target *t = g->plan->target;
    const struct tuning *tuning = &g->plan->tuning;
    if (g->statements > limits.statements)
        return arena_printf(g->plan->arena, "its code would be too long: %u statements",
                            g->statements);
    if ((uint64_t)g->statements * g->barriers > tuning->program_barriers)
        return arena_printf(g->plan->arena,
                            "the driver would take too long over %u statements and %u barriers",
                            g->statements, g->barriers);
    if (g->bindings > kernel_bindings(t->max_bindings))
        return "it needs more buffers than the target binds";
    if (g->scratch_bytes - g->saved_bytes > limits.scratch_bytes ||
        g->scratch_bytes > unit_part_bytes(t))
        return "its values do not fit shared memory and scratch";
    if (g->iterations > tuning->dispatch_iterations / group_waves(g))
        return too_many_rounds;
    if (g->instances && g->scratch_bytes)
        return "the values of an instance do not fit shared memory";
    return NULL;
}

static const char too_slow[] = "one workgroup would take longer than the dispatches it saves";

/* Why a function without loops and branches, or instances of one, are better dispatched phase by
   phase, or NULL. */
static const char *not_worth_it(const struct group *g, const struct attempt *x)
{
    const struct sizes *s = x->sizes;
    /* instances are no reason to wait for: the steps of all of them at once are dispatches, too */
    double saved = s->tuning->dispatch_seconds * ((g->instances ? g->dispatches : g->phases) - 1.0);
    if (x->chained > 0) { /* what the kernels take themselves is about a dispatch, too */
        double waiting = (double)g->iterations * s->tuning->iteration_seconds;
        return g->seconds + waiting < s->tuning->dispatch_seconds * x->chained ? NULL : too_slow;
    }
    if (s->controls > 0 && !g->instances)
        return NULL;
    if (g->seconds * (double)group_waves(g) >= saved)
        return too_slow;
    if ((uint64_t)g->loops * g->barriers > s->tuning->program_loops)
        return arena_printf(
            g->plan->arena,
            "the driver would take too long over %u loops and %u barriers in one shader", g->loops,
            g->barriers);
    return NULL;
}

/* Whether the sizes alone show that: it has too much work even if every node saved a dispatch. */
static bool surely_too_slow(const struct sizes *s)
{
    double saved = (s->tuning->dispatch_seconds - s->tuning->phase_seconds) * (double)s->storable;
    return s->controls == 0 && s->work * s->tuning->flop_seconds > saved;
}

/* Whether the steps of `from` should be one dispatch; nothing is written for that. False with
   x->why or a diagnostic. */
static bool is_worth_writing(struct attempt *x, const struct block *from)
{
    struct planner *b = x->b;
    struct group *g = &x->group;
    *g = (struct group){.plan = b->plan,
                        .block = from,
                        .threads = b->workgroup,
                        .inside = b->inside,
                        .instances = x->instances};
    if (!group_layout(g, &x->why, b->diag) || !group_size(g, b->diag))
        return false;
    x->why = over_limit(g);
    if (!x->why)
        x->why = not_worth_it(g, x);
    return !x->why;
}

/* Writes the steps of `from` as one dispatch. False when they do not fit, with x->why or a
   diagnostic. */
static bool collapse(struct attempt *x, const struct block *from, const char *what,
                     struct block *to)
{
    struct planner *b = x->b;
    struct plan *p = b->plan;
    struct group *g = &x->group;
    struct kernel k;
    uint32_t *buffers;
    uint8_t *access;
    if (!is_worth_writing(x, from) || !group_emit(g, what, &k, &buffers, &access, &x->why, b->diag))
        return false;
    /* where values lie can change how many lanes a thread has, and so what was counted before */
    if ((x->why = over_limit(g)) != NULL)
        return false;
    if (!arena_grow(p->arena, &p->kernels, p->nkernels, &p->cap_kernels, sizeof *p->kernels))
        return FAIL(b->diag, MEMORY, "out of memory");
    p->kernels[p->nkernels++] = k;
    struct plan_step *s = plan_new_step(b, to, STEP_DISPATCH, k.nbound);
    if (!s)
        return FAIL(b->diag, MEMORY, "out of memory");
    s->kernel = p->nkernels - 1;
    for (uint32_t i = 0; i < k.nbound; i++) {
        struct tensor scratch = {.type = TYPE_U32,
                                 .shape = {1, {(int64_t)(g->scratch_bytes + 3) / 4}}};
        s->buffers[i] = buffers[i] == NO_INDEX
                            ? plan_new_buffer(b, PLAN_SCRATCH, 0, &scratch, "scratch")
                            : buffers[i];
        if (s->buffers[i] == NO_INDEX)
            return FAIL(b->diag, MEMORY, "out of memory");
        s->access[i] = access[i];
        s->bytes += p->buffers[s->buffers[i]].bytes;
    }
    return true;
}

/* A loop whose rounds may be too many for one dispatch: a program that runs as many as it may,
   again and again until its flag is 0. It is first written with one round, to see what a round
   takes. */
static bool in_portions(struct attempt *x, struct unit *u, node_id id, const struct sizes *s,
                        struct block *to)
{
    struct planner *b = x->b;
    struct plan *p = b->plan;
    const struct node *n = func_node(unit_func(u), id);
    struct tensor byte = {.type = TYPE_U8};
    const char *what = arena_printf(p->arena, "n%u while, in portions", n->label);
    struct block before = {0}, program = {0}, *condition = ARENA_NEW(p->arena, struct block);
    p->nbuffers = x->nbuffers;
    p->nkernels = x->nkernels;
    uint32_t flag = plan_new_buffer(b, PLAN_SCRATCH, 0, &byte, "predicate"), rounds = 1;
    if (flag == NO_INDEX || !condition)
        return FAIL(b->diag, MEMORY, "out of memory");
    for (uint32_t i = 0; i < n->nouts; i++) {
        uint32_t from = plan_buffer_of(b, u, n->ins[i]),
                 final = plan_buffer_of(b, u, (struct value){id, i});
        if (!trips_unchanged(u->graph, n, i) && from != final &&
            !plan_copy_step(b, &before, from, final))
            return false;
    }
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            p->nbuffers = x->nbuffers;
            p->nkernels = x->nkernels;
            rounds = portion_rounds(&p->tuning, x->group.iterations);
            program = (struct block){0};
        }
        begin(x, b, s);
        if (!plan_portion(b, u, id, rounds, flag, &program) ||
            !(pass ? collapse(x, &program, what, condition) : is_worth_writing(x, &program)))
            return false;
    }
    for (uint32_t i = 0; i < before.nsteps; i++)
        if (!plan_copy_step(b, to, before.steps[i].step.buffers[0],
                            before.steps[i].step.buffers[1]))
            return false;
    return plan_again(b, flag, condition, to);
}

/* Rounds of a portion of the loop in the program, from what one and two rounds take. */
static bool measure_rounds(struct attempt *x, const struct block *program, struct task_step *loop)
{
    const struct tuning *t = &x->b->plan->tuning;
    uint64_t made[2];
    for (uint32_t i = 0; i < 2; i++) {
        loop->portion = i + 1;
        if (!is_worth_writing(x, program))
            return false;
        made[i] = x->group.iterations;
    }
    uint64_t round = made[1] - made[0],
             rest = made[0] - round; /* one of the rounds is left early */
    uint64_t rounds = t->portion_iterations > rest ? (t->portion_iterations - rest) / round : 0;
    loop->portion = rounds > 1 ? (uint32_t)rounds - 1 : 1;
    return true;
}

/* The steps of the entry, which are too many iterations for one dispatch, as a program that is
   dispatched until their loop of unknown length has ended. */
static bool entry_in_portions(struct attempt *x, const struct block *steps, const char *name,
                              struct block *to)
{
    struct planner *b = x->b;
    struct arena *a = b->plan->arena;
    const struct task_step *loop = plan_long_loop(steps);
    struct tensor word = {.type = TYPE_U8};
    struct task_step *resumed;
    struct block program = {0}, *again = ARENA_NEW(a, struct block);
    if (!loop)
        return false;
    uint32_t flag = plan_new_buffer(b, PLAN_SCRATCH, 0, &word, "runs");
    if (flag == NO_INDEX || !again)
        return FAIL(b->diag, MEMORY, "out of memory");
    b->plan->buffers[flag].is_outside = true;
    if (!plan_resumed(b, steps, loop, flag, &program, &resumed) ||
        !measure_rounds(x, &program, resumed) ||
        !collapse(x, &program, arena_printf(a, "%s, in portions", name), again))
        return false;
    return plan_set_flag(b, flag, RUN_BEGINS, to) && plan_again(b, flag, again, to);
}

/* A buffer of the program for the row of an instance. */
static uint32_t row_of(struct planner *b, uint32_t whole, const struct tensor *row)
{
    uint32_t i = plan_new_buffer(b, PLAN_SCRATCH, 0, row, b->plan->buffers[whole].name);
    if (i != NO_INDEX) {
        b->plan->buffers[i].is_row = true;
        b->plan->buffers[i].rows_of = whole;
    }
    return i;
}

/* Whether sums and results of the function are of more than one size, so that it surely takes
   several kernels, which one dispatch would save; with loops and branches, it may. */
static bool has_several_sizes(const struct sizes *s, const struct func *f)
{
    int64_t all = 0, left = 0; /* what the first sum reads, and what it gives */
    for (node_id i = 0; i < f->nnodes && s->controls == 0; i++) {
        const struct node *n = &f->nodes[i];
        if (!node_is_hero(n))
            continue;
        int64_t out = shape_size(&n->outs[0].shape), reads = out * hero_inner(f, n);
        if (all && (reads != all || out != left))
            return true;
        all = reads;
        left = out;
    }
    for (uint32_t i = 0; i < f->nresults && all; i++) {
        int64_t size = shape_size(&func_tensor(f, f->results[i])->shape);
        if (size != all && size != left)
            return true;
    }
    return s->controls > 0;
}

/* The instances as workgroups of one dispatch. */
static bool plan_rows(struct attempt *x, const struct instances *in, const uint32_t *params_of,
                      const uint32_t *results_of, const char *name, struct block *to,
                      bool *out_done)
{
    struct planner *b = x->b;
    struct plan *p = b->plan;
    const struct func *f = &p->graph->funcs[in->body];
    struct block inner = {0};
    uint32_t *params = ARENA_ARRAY(p->arena, uint32_t, in->nargs + 1),
             *results = ARENA_ARRAY(p->arena, uint32_t, f->nresults + 1);
    if (!params || !results)
        return FAIL(b->diag, MEMORY, "out of memory");
    x->instances = in->count;
    for (uint32_t i = 0; i < in->nargs; i++) {
        uint32_t whole = params_of[in->args[i].param];
        params[i] = in->args[i].is_row ? row_of(b, whole, &f->params[i]) : whole;
        if (params[i] == NO_INDEX)
            return FAIL(b->diag, MEMORY, "out of memory");
    }
    for (uint32_t i = 0; i < f->nresults; i++)
        if ((results[i] = row_of(b, results_of[i], func_tensor(f, f->results[i]))) == NO_INDEX)
            return FAIL(b->diag, MEMORY, "out of memory");
    b->inside = p->nbuffers;
    const char *what = arena_printf(p->arena, "%lld x %s", (long long)in->count, name);
    bool ok = plan_func(b, in->body, params, results, &inner, false);
    /* of a chain, whose results are small: shared memory is nearer */
    for (uint32_t i = 0; i < f->nresults && ok && x->chained; i++)
        ok = plan_read_inside(b, &inner, results[i], func_tensor(f, f->results[i]));
    ok = ok && collapse(x, &inner, what, to);
    b->workgroup = 0;
    *out_done = ok;
    uint32_t notes = p->nnotes; /* the entry as a whole gets its own */
    if (!ok && !give_up(x, p->graph->entry, VKC_NO_NODE))
        return false;
    p->nnotes = notes;
    return true;
}

static bool plan_instances(struct planner *b, const uint32_t *entry_params,
                           const uint32_t *entry_results, const char *name, struct block *to,
                           bool *out_done)
{
    struct plan *p = b->plan;
    const struct instances *in = &p->graph->instances;
    struct sizes s = {.g = p->graph, .tuning = &p->tuning, .arena = p->arena};
    struct attempt x;
    if (!small_func(&s, in->body) || surely_too_slow(&s) ||
        !has_several_sizes(&s, &p->graph->funcs[in->body]))
        return true;
    /* one workgroup has a thread for each element of all of them */
    if (s.most * in->count <= p->tuning.program_threads)
        return true;
    begin(&x, b, &s);
    return plan_rows(&x, in, entry_params, entry_results, name, to, out_done);
}

bool plan_group_rows(struct planner *b, const struct instances *in, const uint32_t *params_of,
                     const uint32_t *results_of, uint32_t chained, const char *name,
                     struct block *to, bool *out_done)
{
    struct sizes s = {.g = b->plan->graph, .tuning = &b->plan->tuning, .arena = b->plan->arena};
    struct attempt x;
    *out_done = false;
    if (!small_func(&s, in->body))
        return true;
    begin(&x, b, &s);
    x.chained = chained;
    return plan_rows(&x, in, params_of, results_of, name, to, out_done);
}

bool plan_group_node(struct planner *b, struct unit *u, node_id id, struct block *to,
                     bool *out_done)
{
    const struct node *n = func_node(unit_func(u), id);
    struct sizes s = {.g = u->graph, .tuning = &b->plan->tuning, .arena = b->plan->arena};
    *out_done = false;
    if (b->options->no_fusion || (n->op != OP_WHILE && n->op != OP_COND))
        return true;
    if (!small_node(&s, unit_func(u), id))
        return note(b, u->func, id, s.why);
    /* what is outside has its buffer before the program's own get theirs */
    for (uint32_t i = 0; i < n->nins; i++)
        if (plan_buffer_of(b, u, n->ins[i]) == NO_INDEX)
            return FAIL(b->diag, MEMORY, "out of memory");
    uint32_t *kept =
        arena_copy(b->plan->arena, &u->buffer[u->first_slot[id]], n->nouts * sizeof *kept);
    if (!kept)
        return FAIL(b->diag, MEMORY, "out of memory");
    for (uint32_t i = 0; i < n->nouts; i++) {
        bool same = n->op == OP_WHILE && trips_unchanged(u->graph, n, i) && kept[i] == NO_INDEX;
        if (same)
            u->buffer[u->first_slot[id] + i] = plan_buffer_of(b, u, n->ins[i]);
        else if (plan_buffer_of(b, u, (struct value){id, i}) == NO_INDEX)
            return FAIL(b->diag, MEMORY, "out of memory");
    }
    struct attempt x;
    struct block inner = {0};
    begin(&x, b, &s);
    bool ok =
        plan_control(b, u, id, &inner) &&
        collapse(&x, &inner, arena_printf(b->plan->arena, "n%u %s", n->label, op_name(n->op)), to);
    if (!ok && x.why == too_many_rounds && n->op == OP_WHILE)
        ok = in_portions(&x, u, id, &s, to);
    b->workgroup = 0;
    *out_done = ok;
    return ok || give_up(&x, u->func, id);
}

/* Lets outputs take over the inputs that the caller gives away. What cannot be written where the
   input is read is made elsewhere and copied there at the end. Input and output then have one
   binding: a driver may keep what it has read from a buffer that nothing writes through that
   binding. */
static bool take_over(struct planner *b, const uint32_t *params, const uint32_t *results,
                      struct block *inner)
{
    struct plan *p = b->plan;
    for (uint32_t d = 0; d < p->graph->ndonations; d++) {
        uint32_t in = p->graph->donations[d].input, from = params[in],
                 to = results[p->graph->donations[d].output];
        const struct tensor *t = &p->graph->funcs[p->graph->entry].params[in];
        if (p->buffers[to].alias != NO_INDEX || p->buffers[to].type != p->buffers[from].type ||
            p->buffers[to].elements != p->buffers[from].elements)
            continue;
        if (!plan_note_block(b, inner))
            return false;
        if (!plan_may_write_over(b, inner, to, from)) {
            uint32_t made = plan_new_buffer(b, PLAN_SCRATCH, 0, t, p->buffers[to].name);
            if (made == NO_INDEX)
                return FAIL(b->diag, MEMORY, "out of memory");
            plan_stands_for(b, made, to);
            plan_rename(b, inner);
            if (!plan_copy_step(b, inner, made, to))
                return false;
        }
        p->input_used[in] |= plan_touches(inner, from);
        plan_stands_for(b, to, from);
        plan_rename(b, inner);
        p->buffers[to].alias = in;
    }
    return true;
}

bool plan_group_entry(struct planner *b, const uint32_t *params, const uint32_t *results,
                      struct block *to, bool *out_done)
{
    struct plan *p = b->plan;
    const struct func *f = &p->graph->funcs[p->graph->entry];
    struct sizes s = {.g = p->graph, .tuning = &p->tuning, .arena = p->arena};
    *out_done = false;
    if (b->options->no_fusion)
        return true;
    const char *name = p->graph->name && *p->graph->name ? str_comment(p->arena, p->graph->name)
                                                         : "the whole function";
    if (!batch_instances(p->graph, b->diag))
        return false;
    if (p->graph->instances.count && !plan_instances(b, params, results, name, to, out_done))
        return false;
    if (*out_done || !small_func(&s, p->graph->entry))
        return true;
    if (surely_too_slow(&s))
        return note(b, p->graph->entry, VKC_NO_NODE, too_slow);
    struct attempt x;
    struct block inner = {0};
    begin(&x, b, &s);
    bool ok = plan_func(b, p->graph->entry, params, results, &inner, true) &&
              take_over(b, params, results, &inner) &&
              (collapse(&x, &inner, name, to) ||
               (x.why == too_many_rounds && entry_in_portions(&x, &inner, name, to)));
    b->workgroup = 0;
    *out_done = ok;
    if (ok)
        return true;
    for (uint32_t i = 0; i < f->nresults; i++)
        p->buffers[results[i]].alias = NO_INDEX;
    memset(p->input_used, 0, f->nparams * sizeof *p->input_used);
    return give_up(&x, p->graph->entry, VKC_NO_NODE);
}
