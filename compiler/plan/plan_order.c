/* Levels by relaxation along a depth-first order that keeps its own stack; then a stable sort by
   level, so that independent kernels stand together and need one barrier. */
#include "plan/plan_order.h"

#include "fuse/fuse.h"

static uint32_t producer(const struct unit *u, struct value v)
{
    v = unit_base(u, v);
    const struct node *n = func_node(unit_func(u), v.node);
    if (fuse_is_control(n))
        return u->nkernels + v.node;
    return u->external[unit_slot(u, v)] ? NO_INDEX : u->kernel_of[unit_slot(u, v)];
}

static uint32_t task_reads(const struct unit *u, uint32_t task, const struct value **out)
{
    if (task < u->nkernels) {
        *out = u->kernels[task].reads;
        return u->kernels[task].nreads;
    }
    const struct node *n = func_node(unit_func(u), task - u->nkernels);
    *out = n->ins;
    return n->nins;
}

bool order_add(struct planner *b, struct edges *e, uint32_t before, uint32_t after)
{
    if (!arena_grow(b->plan->arena, &e->list, e->n, &e->cap, sizeof *e->list))
        return FAIL(b->diag, MEMORY, "out of memory");
    e->list[e->n++] = (struct edge){before, after};
    return true;
}

bool order_effects(struct planner *b, const struct unit *u, struct edges *e)
{
    const struct func *f = unit_func(u);
    uint32_t last = NO_INDEX;
    for (node_id i = 0; i < f->nnodes; i++) {
        if (!fuse_is_control(&f->nodes[i]) || !node_has_effect(u->graph, &f->nodes[i]))
            continue;
        if (last != NO_INDEX && !order_add(b, e, u->nkernels + last, u->nkernels + i))
            return false;
        last = i;
    }
    return true;
}

/* The tasks whose state is 2 by level, and those of one level by their numbers. */
static bool sort_by_level(struct arena *a, struct order *o, const uint8_t *state, uint32_t most)
{
    uint32_t *first = ARENA_ARRAY(a, uint32_t, (uint64_t)most + 2);
    if (!first)
        return false;
    for (uint32_t t = 0; t < o->ntasks; t++)
        first[o->level[t] + 1] += state[t] == 2;
    for (uint32_t l = 1; l <= most + 1; l++)
        first[l] += first[l - 1];
    for (uint32_t t = 0; t < o->ntasks; t++)
        if (state[t] == 2) {
            o->list[first[o->level[t]]++] = t;
            o->nlist++;
        }
    return true;
}

/* The extra edges, ordered by the task that waits: those of task t are before[first[t]] to
   before[first[t + 1]]. */
struct waits {
    uint32_t *first, *before;
};

static bool sort_edges(struct arena *a, const struct edge *list, uint32_t n, uint32_t ntasks,
                       struct waits *out)
{
    out->first = ARENA_ARRAY(a, uint32_t, (uint64_t)ntasks + 2);
    out->before = ARENA_ARRAY(a, uint32_t, (uint64_t)n + 1);
    if (!out->first || !out->before)
        return false;
    for (uint32_t i = 0; i < n; i++)
        /* two places further, so that filling leaves the beginnings */
        out->first[list[i].after + 2]++;
    for (uint32_t t = 1; t <= ntasks + 1; t++)
        out->first[t] += out->first[t - 1];
    for (uint32_t i = 0; i < n; i++)
        out->before[out->first[list[i].after + 1]++] = list[i].before;
    return true;
}

bool order_tasks(struct planner *b, struct unit *u, const struct edge *extra, uint32_t nextra,
                 struct order *o, bool *out_cycle)
{
    struct arena *a = b->plan->arena;
    o->u = u;
    o->ntasks = u->nkernels + unit_func(u)->nnodes;
    o->level = ARENA_ARRAY(a, uint32_t, o->ntasks + 1);
    o->list = ARENA_ARRAY(a, uint32_t, o->ntasks + 1);
    uint8_t *state = ARENA_ARRAY(a, uint8_t, o->ntasks + 1);
    uint32_t *stack = ARENA_ARRAY(a, uint32_t, 2 * o->ntasks + 2),
             *next = ARENA_ARRAY(a, uint32_t, o->ntasks + 1);
    struct waits waits;
    *out_cycle = false;
    if (!o->level || !o->list || !state || !stack || !next ||
        !sort_edges(a, extra, nextra, o->ntasks, &waits))
        return FAIL(b->diag, MEMORY, "out of memory");
    uint32_t most = 0;
    for (uint32_t t = 0; t < o->ntasks; t++) {
        bool exists = t < u->nkernels ? !u->kernels[t].dead
                                      : fuse_is_control(func_node(unit_func(u), t - u->nkernels));
        if (!exists || state[t] == 2)
            continue;
        uint32_t top = 0;
        stack[top++] = t;
        state[t] = 1;
        while (top) {
            uint32_t at = stack[top - 1];
            const struct value *reads;
            uint32_t nreads = task_reads(u, at, &reads), before = NO_INDEX, first = waits.first[at];
            while (next[at] < nreads + waits.first[at + 1] - first && before == NO_INDEX) {
                uint32_t i = next[at]++;
                before = i < nreads ? producer(u, reads[i]) : waits.before[first + i - nreads];
                if (before != NO_INDEX && state[before] == 1) {
                    *out_cycle = true;
                    return true;
                }
                if (before != NO_INDEX && state[before] == 2) {
                    if (o->level[before] + 1 > o->level[at])
                        o->level[at] = o->level[before] + 1;
                    before = NO_INDEX;
                }
            }
            if (before != NO_INDEX) {
                next[at]--; /* looked at again when it is done */
                state[before] = 1;
                stack[top++] = before;
                continue;
            }
            state[at] = 2;
            top--;
            most = o->level[at] > most ? o->level[at] : most;
        }
    }
    return sort_by_level(a, o, state, most) || FAIL(b->diag, MEMORY, "out of memory");
}
