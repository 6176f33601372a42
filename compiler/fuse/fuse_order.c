/* The order of kernels. Each has a number above those of all kernels that it waits for, so a
   search for a path between two kernels visits only numbers between theirs. Control nodes wait
   and are waited for like kernels. Both are tasks here; a control node's number as a task is
   x->controls + its node. */
#include "fuse/fuse.h"

#include <stdlib.h>

static bool is_kernel(const struct fusion *x, uint32_t task)
{
    return task < x->controls;
}

/* The task that makes a value; NO_INDEX: it is there from the beginning. */
static uint32_t maker(const struct fusion *x, struct value v)
{
    const struct unit *u = x->u;
    if (fuse_is_control(func_node(unit_func(u), v.node)))
        return x->controls + v.node;
    return u->kernel_of[unit_slot(u, v)];
}

bool fuse_order_init(struct fusion *x, uint32_t most_kernels)
{
    const struct unit *u = x->u;
    const struct func *f = unit_func(u);
    uint32_t tasks = most_kernels + f->nnodes;
    node_id last = VKC_NO_NODE;
    x->controls = most_kernels;
    x->order = ARENA_ARRAY(u->arena, uint32_t, tasks);
    x->level = ARENA_ARRAY(u->arena, uint32_t, tasks);
    x->mark = ARENA_ARRAY(u->arena, uint32_t, tasks);
    x->stack = ARENA_ARRAY(u->arena, uint32_t, tasks);
    x->waiting = ARENA_ARRAY(u->arena, struct reader *, u->nslots + 1);
    x->effect_before = ARENA_ARRAY(u->arena, node_id, f->nnodes + 1);
    x->effect_after = ARENA_ARRAY(u->arena, node_id, f->nnodes + 1);
    if (!x->order || !x->level || !x->mark || !x->stack || !x->waiting || !x->effect_before ||
        !x->effect_after)
        return false;
    for (uint32_t k = 0; k < u->nkernels; k++)
        x->order[k] = u->kernels[k].roots[0].node + 1;
    for (node_id i = 0; i < f->nnodes; i++) {
        const struct node *n = func_node(f, i);
        x->effect_before[i] = x->effect_after[i] = VKC_NO_NODE;
        if (!fuse_is_control(n))
            continue;
        x->order[x->controls + i] = i + 1;
        if (node_has_effect(u->graph, n)) { /* it waits for all effects before it */
            x->effect_before[i] = last;
            if (last != VKC_NO_NODE)
                x->effect_after[last] = i;
            last = i;
        }
        for (uint32_t j = 0; j < n->nins; j++) {
            struct reader *r = ARENA_NEW(u->arena, struct reader);
            struct reader **list = &x->waiting[unit_slot(u, unit_base(u, n->ins[j]))];
            if (!r)
                return false;
            *r = (struct reader){*list, x->controls + i};
            *list = r;
        }
    }
    return true;
}

/* ---- levels ---- */

struct numbered {
    uint32_t order, task;
};

static int by_order(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

/* Above the level of what makes the value. */
static void lift(struct fusion *x, uint32_t task, uint32_t after)
{
    if (after != NO_INDEX && x->level[task] <= x->level[after])
        x->level[task] = x->level[after] + 1;
}

bool fuse_find_levels(struct fusion *x)
{
    const struct unit *u = x->u;
    const struct func *f = unit_func(u);
    uint32_t n = 0;
    struct numbered *tasks = ARENA_ARRAY(u->arena, struct numbered, u->nkernels + f->nnodes + 1);
    if (!tasks)
        return FAIL(x->d, MEMORY, "out of memory");
    for (uint32_t k = 0; k < u->nkernels; k++)
        if (!u->kernels[k].dead)
            tasks[n++] = (struct numbered){x->order[k], k};
    for (node_id i = 0; i < f->nnodes; i++)
        if (fuse_is_control(func_node(f, i)))
            tasks[n++] = (struct numbered){x->order[x->controls + i], x->controls + i};
    qsort(tasks, n, sizeof *tasks, by_order);
    for (uint32_t t = 0; t < n; t++) {
        uint32_t task = tasks[t].task;
        x->level[task] = 0;
        if (is_kernel(x, task)) {
            for (uint32_t i = 0; i < u->kernels[task].nreads; i++)
                lift(x, task, maker(x, u->kernels[task].reads[i]));
            continue;
        }
        node_id id = task - x->controls;
        for (uint32_t j = 0; j < func_node(f, id)->nins; j++)
            lift(x, task, maker(x, unit_base(u, func_node(f, id)->ins[j])));
        if (x->effect_before[id] != VKC_NO_NODE)
            lift(x, task, x->controls + x->effect_before[id]);
    }
    return true;
}

/* ---- keeping the numbers ---- */

static void raise_task(struct fusion *x, uint32_t task, uint32_t above, uint32_t *top)
{
    if (task == above || x->order[task] > x->order[above])
        return;
    x->order[task] = x->order[above] + 1;
    if (x->mark[task] != x->epoch)
        x->stack[(*top)++] = task;
    x->mark[task] = x->epoch;
}

static void raise_readers(struct fusion *x, struct value v, uint32_t above, uint32_t *top)
{
    uint32_t slot = unit_slot(x->u, v);
    for (const struct reader *r = x->readers[slot]; r; r = r->next)
        if (fuse_is_reader(x, r, v))
            raise_task(x, r->kernel, above, top);
    for (const struct reader *r = x->waiting[slot]; r; r = r->next)
        raise_task(x, r->kernel, above, top);
}

void fuse_raise(struct fusion *x, uint32_t k)
{
    const struct unit *u = x->u;
    uint32_t top = 0;
    x->epoch++; /* a marked task waits on the stack */
    x->stack[top++] = k;
    while (top) {
        uint32_t task = x->stack[--top];
        x->mark[task] = 0;
        if (is_kernel(x, task)) {
            for (uint32_t i = 0; i < u->kernels[task].nroots; i++)
                raise_readers(x, u->kernels[task].roots[i], task, &top);
            continue;
        }
        node_id id = task - x->controls;
        for (uint32_t o = 0; o < func_node(unit_func(u), id)->nouts; o++)
            raise_readers(x, (struct value){id, o}, task, &top);
        if (x->effect_after[id] != VKC_NO_NODE)
            raise_task(x, x->controls + x->effect_after[id], task, &top);
    }
}

/* ---- searching ---- */

/* A search for a way back to a kernel through others. */
struct search {
    struct fusion *x;
    uint32_t to, from, top;
};

/* `task` waits for `p`. Whether that is the end of the search. */
static bool step_back(struct search *s, uint32_t task, uint32_t p)
{
    struct fusion *x = s->x;
    if (p == NO_INDEX)
        return false;
    if (p == s->to)
        return task != s->from;
    if (x->order[p] > x->order[s->to] && x->mark[p] != x->epoch) {
        x->mark[p] = x->epoch;
        x->stack[s->top++] = p;
    }
    return false;
}

static bool step_back_from_control(struct search *s, uint32_t task)
{
    const struct fusion *x = s->x;
    node_id id = task - x->controls;
    const struct node *n = func_node(unit_func(x->u), id);
    for (uint32_t j = 0; j < n->nins; j++)
        if (step_back(s, task, maker(x, unit_base(x->u, n->ins[j]))))
            return true;
    return x->effect_before[id] != VKC_NO_NODE &&
           step_back(s, task, x->controls + x->effect_before[id]);
}

bool fuse_between(struct fusion *x, uint32_t to, uint32_t from)
{
    const struct unit *u = x->u;
    struct search s = {.x = x, .to = to, .from = from};
    x->epoch++;
    x->stack[s.top++] = from;
    x->mark[from] = x->epoch;
    while (s.top) {
        uint32_t task = x->stack[--s.top];
        if (!is_kernel(x, task)) {
            if (step_back_from_control(&s, task))
                return true;
            continue;
        }
        for (uint32_t i = 0; i < u->kernels[task].nreads; i++)
            if (step_back(&s, task, maker(x, u->kernels[task].reads[i])))
                return true;
    }
    return false;
}
