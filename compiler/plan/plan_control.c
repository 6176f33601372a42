/* The steps of control nodes. A while keeps its carried values in buffers of its own. The body
   writes a new value there directly if nothing reads the old one any more. Otherwise it writes it
   to another buffer: in a workgroup program it is copied at the end of the round, and elsewhere
   plan_device.c lets the two change places. A cond writes the results of the branch taken to the
   node's buffers. */
#include <string.h>

#include "runtime/bundle.h"
#include "plan/plan_control.h"
#include "plan/plan_touch.h"

static bool no_memory(struct planner *b)
{
    return FAIL(b->diag, MEMORY, "out of memory");
}

/* ---- loops ---- */

static uint32_t new_predicate(struct planner *b)
{
    struct tensor flag = {.type = TYPE_U8};
    return plan_new_buffer(b, PLAN_SCRATCH, 0, &flag, "predicate");
}

static bool plain_predicate(struct planner *b, const struct unit *u, const struct node *n,
                            uint32_t region)
{
    const struct func *f = &u->graph->funcs[n->regions[region]];
    enum vkc_type type = func_tensor(f, f->results[0])->type;
    return type == TYPE_U8 ||
           FAIL(b->diag, UNSUPPORTED, "n%u %s: its predicate is %s; the pass canon makes u8 of it",
                n->label, op_name(n->op), type_name(type));
}

static bool range(struct planner *b, struct block *to, uint32_t index, uint32_t which,
                  uint32_t func, const uint32_t *params, const uint32_t *results)
{
    struct block *r = ARENA_NEW(b->plan->arena, struct block);
    if (!r)
        return no_memory(b);
    if (!plan_func(b, func, params, results, r, false))
        return false;
    to->steps[index].range[which] = r;
    return true;
}

/* Lets the body, which is noted, write `next` over `carry`, if it may. */
static bool write_in_place(struct planner *b, const struct block *body, uint32_t next,
                           uint32_t carry)
{
    if (!plan_may_write_over(b, body, next, carry))
        return false;
    plan_stands_for(b, carry, next);
    return true;
}

/* Which of a node's outputs anything reads; NULL: out of memory. */
static bool *wanted_of(const struct planner *b, const struct unit *u, node_id id)
{
    const struct func *f = unit_func(u);
    bool *wanted = ARENA_ARRAY(b->plan->arena, bool, func_node(f, id)->nouts + 1);
    for (node_id i = id + 1; wanted && i < f->nnodes; i++)
        for (uint32_t j = 0; j < f->nodes[i].nins; j++)
            if (f->nodes[i].ins[j].node == id)
                wanted[f->nodes[i].ins[j].out] = true;
    for (uint32_t i = 0; wanted && i < f->nresults; i++)
        if (f->results[i].node == id)
            wanted[f->results[i].out] = true;
    return wanted;
}

/* Turns the values that a round has made into those that the next one reads. */
static bool change(struct planner *b, const struct unit *u, node_id id, const uint32_t *next,
                   const uint32_t *carry, struct block *body, struct task_step *loop)
{
    uint32_t n = func_node(unit_func(u), id)->nouts;
    loop->changes = ARENA_ARRAY(b->plan->arena, struct change, n + 1);
    if (!loop->changes || !plan_note_block(b, body))
        return no_memory(b);
    const bool *wanted = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (next[i] == NO_INDEX || write_in_place(b, body, next[i], carry[i]))
            continue;
        if (!b->workgroup && !wanted && !(wanted = wanted_of(b, u, id)))
            return no_memory(b);
        if (!b->workgroup)
            loop->changes[loop->nchanges++] = (struct change){carry[i], next[i], wanted[i]};
        else if (!plan_copy_step(b, body, next[i], carry[i]))
            return false;
    }
    plan_rename(b, body);
    return true;
}

/* Whether a workgroup program is to carry in a buffer of its own what ends in `final`: what is
   outside it is slower than shared memory, and has narrow types packed. */
static bool carries_inside(const struct planner *b, uint32_t final)
{
    const struct plan_buffer *f = &b->plan->buffers[final];
    bool fits = f->bytes <= b->plan->target->max_shared_bytes || type_bytes(f->type) < 4;
    return b->workgroup && final < b->inside &&
           (fits || f->bytes > unit_part_bytes(b->plan->target));
}

/* `portion`: 0, or how many rounds it makes, see plan_portion. */
static bool loop(struct planner *b, struct unit *u, node_id id, uint32_t portion, uint32_t flag,
                 struct block *to)
{
    struct graph *g = u->graph;
    const struct node *n = func_node(unit_func(u), id);
    struct arena *a = b->plan->arena;
    uint32_t *carry = ARENA_ARRAY(a, uint32_t, n->nouts + 1),
             *next = ARENA_ARRAY(a, uint32_t, n->nouts + 1),
             *final = ARENA_ARRAY(a, uint32_t, n->nouts + 1);
    if (!carry || !next || !final)
        return no_memory(b);
    for (uint32_t i = 0; i < n->nouts; i++) {
        uint32_t initial = plan_buffer_of(b, u, n->ins[i]);
        if (trips_unchanged(g, n, i) && u->buffer[unit_slot(u, (struct value){id, i})] == NO_INDEX)
            u->buffer[unit_slot(u, (struct value){id, i})] = initial;
        carry[i] = final[i] = plan_buffer_of(b, u, (struct value){id, i});
        if (carry[i] == NO_INDEX || initial == NO_INDEX)
            return no_memory(b);
        if (portion && !trips_unchanged(g, n, i))
            initial = final[i];
        if (trips_unchanged(g, n, i))
            carry[i] = initial;
        else if (carries_inside(b, final[i]) &&
                 (carry[i] = plan_new_buffer(b, PLAN_SCRATCH, 0, &n->outs[i],
                                             b->plan->buffers[final[i]].name)) == NO_INDEX)
            return no_memory(b);
        if (carry[i] != initial && !plan_copy_step(b, to, initial, carry[i]))
            return false;
    }
    if (!plain_predicate(b, u, n, 0))
        return false;
    uint32_t predicate = new_predicate(b), index = to->nsteps;
    struct plan_step *s = plan_new_step(b, to, STEP_WHILE, 1);
    if (predicate == NO_INDEX || !s)
        return no_memory(b);
    s->buffers[0] = predicate;
    s->access[0] = VKB_READ;
    to->steps[index].trips = trips_of(g, u->func, id);
    to->steps[index].portion = portion;
    to->steps[index].own_first = b->plan->nbuffers;
    if (!range(b, to, index, 0, n->regions[0], carry, &predicate))
        return false;
    /* results go to buffers of their own first: a result may be another carried value */
    struct block *r = ARENA_NEW(a, struct block);
    if (!r)
        return no_memory(b);
    for (uint32_t i = 0; i < n->nouts; i++)
        next[i] = trips_unchanged(g, n, i)
                      ? NO_INDEX
                      : plan_new_buffer(b, PLAN_SCRATCH, 0, &n->outs[i], "next");
    if (!plan_func(b, n->regions[1], carry, next, r, false))
        return false;
    if (!change(b, u, id, next, carry, r, &to->steps[index]))
        return false;
    to->steps[index].range[1] = r;
    to->steps[index].own_end = b->plan->nbuffers;
    for (uint32_t i = 0; i < n->nouts; i++)
        if (final[i] != carry[i] && !plan_copy_step(b, to, carry[i], final[i]))
            return false;
    return !portion || plan_copy_step(b, to, predicate, flag);
}

bool plan_portion(struct planner *b, struct unit *u, node_id id, uint32_t rounds, uint32_t flag,
                  struct block *to)
{
    return loop(b, u, id, rounds, flag, to);
}

/* ---- branches, calls ---- */

static bool branches(struct planner *b, struct unit *u, const struct node *n, node_id id,
                     uint32_t which, struct block *to);

/* Branch `which` + 1 if the predicate holds, else what follows it. */
static bool choose(struct planner *b, struct unit *u, const struct node *n, node_id id,
                   uint32_t which, uint32_t predicate, const uint32_t *in, const uint32_t *out,
                   struct block *to)
{
    uint32_t index = to->nsteps;
    struct plan_step *s = plan_new_step(b, to, STEP_IF, 1);
    if (!s)
        return no_memory(b);
    s->buffers[0] = predicate;
    s->access[0] = VKB_READ;
    if (!range(b, to, index, 0, n->regions[which + 1], in, out))
        return false;
    struct block *otherwise = ARENA_NEW(b->plan->arena, struct block);
    if (!otherwise || !branches(b, u, n, id, which + 2, otherwise))
        return false;
    to->steps[index].range[1] = otherwise;
    return true;
}

static bool branches(struct planner *b, struct unit *u, const struct node *n, node_id id,
                     uint32_t which, struct block *to)
{
    struct arena *a = b->plan->arena;
    uint32_t *in = ARENA_ARRAY(a, uint32_t, n->nins + 1),
             *out = ARENA_ARRAY(a, uint32_t, n->nouts + 1);
    if (!in || !out)
        return no_memory(b);
    for (uint32_t i = 0; i < n->nins; i++)
        in[i] = plan_buffer_of(b, u, n->ins[i]);
    for (uint32_t i = 0; i < n->nouts; i++)
        out[i] = plan_buffer_of(b, u, (struct value){id, i});
    if (which + 1 == n->nregions)
        return plan_func(b, n->regions[which], in, out, to, false);
    if (!plain_predicate(b, u, n, which))
        return false;
    const struct func *test = &u->graph->funcs[n->regions[which]];
    const struct node *given = func_node(test, test->results[0].node);
    if (given->op == OP_PARAMETER) { /* the predicate is there already */
        uint32_t buffer = in[attr_int(given, ATTR_index, 0)];
        return buffer == NO_INDEX ? no_memory(b) : choose(b, u, n, id, which, buffer, in, out, to);
    }
    uint32_t predicate = new_predicate(b);
    if (predicate == NO_INDEX || !plan_func(b, n->regions[which], in, &predicate, to, false))
        return false;
    return choose(b, u, n, id, which, predicate, in, out, to);
}

static bool host_call(struct planner *b, struct unit *u, const struct node *n, node_id id,
                      struct block *to)
{
    bool hook = n->op == OP_HOOK;
    uint32_t given = hook ? (uint32_t)attr_int(n, ATTR_hooked, 0) : n->nins,
             made = hook ? 0 : n->nouts;
    struct plan_step *s = plan_new_step(b, to, STEP_HOST, given + made);
    if (!s)
        return no_memory(b);
    s->kernel = (uint32_t)attr_int(n, ATTR_callback, 0);
    for (uint32_t i = 0; i < given + made; i++) {
        s->buffers[i] = plan_buffer_of(b, u, i < given ? n->ins[i] : (struct value){id, i - given});
        s->access[i] = i < given ? VKB_READ : VKB_WRITE;
    }
    for (uint32_t i = 0; hook && i < n->nouts; i++) {
        uint32_t result = plan_buffer_of(b, u, (struct value){id, i});
        if (!plan_copy_step(b, to, plan_buffer_of(b, u, n->ins[given + i]), result))
            return false;
    }
    return true;
}

bool plan_control(struct planner *b, struct unit *u, node_id id, struct block *to)
{
    const struct node *n = func_node(unit_func(u), id);
    switch (n->op) {
    case OP_WHILE: return loop(b, u, id, 0, NO_INDEX, to);
    case OP_COND: return branches(b, u, n, id, 0, to);
    case OP_HOOK:
    case OP_RUNTIME_CALL: return host_call(b, u, n, id, to);
    default:
        diag_fail(b->diag, DIAG_UNSUPPORTED, __FILE__, __LINE__, "n%u %s is not compiled yet",
                  n->label, op_name(n->op));
        return false;
    }
}
