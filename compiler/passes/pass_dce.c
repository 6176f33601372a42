/* Does      drops nodes that no result and no effect needs, carried values that a loop needs
             neither for its results nor for its effects, results of a cond that nothing reads, and
             captures that no branch reads
   Requires  nothing
   Keeps     parameters of the entry and of blocks; effects
   Cost      linear */
#include <string.h>

#include "passes/build.h"
#include "passes/pass.h"

struct dce {
    struct graph *g;
    struct diag *d;
    struct arena scratch;
    bool changed;
};

static bool fail_memory(struct dce *c)
{
    return FAIL(c->d, MEMORY, "out of memory while dropping dead nodes");
}

/* ---- what a region needs ---- */

/* Marks what nodes of a function need, from a stack of them. */
struct marking {
    const struct func *f;
    bool *live;   /* nodes */
    bool *params; /* read by live nodes; may be shared by several functions */
    node_id *stack;
    uint32_t nstack;
};

static bool start_marking(struct dce *c, uint32_t func, bool *params, struct marking *out)
{
    const struct func *f = &c->g->funcs[func];
    *out = (struct marking){f, ARENA_ARRAY(&c->scratch, bool, f->nnodes), params,
                            ARENA_ARRAY(&c->scratch, node_id, f->nnodes), 0};
    return (out->live && out->stack) || fail_memory(c);
}

static void push(struct marking *m, node_id n)
{
    if (!m->live[n]) {
        m->live[n] = true;
        m->stack[m->nstack++] = n;
    }
}

static void push_effects(struct marking *m, const struct graph *g)
{
    for (node_id i = 0; i < m->f->nnodes; i++)
        if ((op_class(m->f->nodes[i].op) == CLASS_EFFECT || m->f->nodes[i].nregions) &&
            node_has_effect(g, &m->f->nodes[i]))
            push(m, i);
}

static void drain(struct marking *m)
{
    while (m->nstack > 0) {
        const struct node *n = &m->f->nodes[m->stack[--m->nstack]];
        if (n->op == OP_PARAMETER)
            m->params[attr_int(n, ATTR_index, 0)] = true;
        for (uint32_t j = 0; j < n->nins; j++)
            push(m, n->ins[j].node);
    }
}

/* A carried value is needed when it is read after the loop, by the condition, by an effect of
   the body, or for another that is needed. */
static bool needed_carries(struct dce *c, const struct node *n, bool *needed)
{
    struct marking condition, body;
    if (!start_marking(c, n->regions[0], needed, &condition) ||
        !start_marking(c, n->regions[1], needed, &body))
        return false;
    for (uint32_t i = 0; i < condition.f->nresults; i++)
        push(&condition, condition.f->results[i].node);
    push_effects(&condition, c->g);
    drain(&condition);
    push_effects(&body, c->g);
    bool *done = ARENA_ARRAY(&c->scratch, bool, n->nins);
    if (!done)
        return fail_memory(c);
    for (bool more = true; more;) {
        more = false;
        drain(&body);
        for (uint32_t i = 0; i < n->nins; i++) {
            if (!needed[i] || done[i])
                continue;
            more = done[i] = true;
            push(&body, body.f->results[i].node);
        }
    }
    return true;
}

/* A capture is needed when a predicate reads it, an effect, or a result that is read. */
static bool needed_captures(struct dce *c, const struct node *n, const bool *outs, bool *needed)
{
    for (uint32_t r = 0; r < n->nregions; r++) {
        struct marking m;
        if (!start_marking(c, n->regions[r], needed, &m))
            return false;
        bool predicate = r % 2 == 0 && r + 1 < n->nregions;
        for (uint32_t i = 0; i < m.f->nresults; i++)
            if (predicate || outs[i])
                push(&m, m.f->results[i].node);
        push_effects(&m, c->g);
        drain(&m);
    }
    return true;
}

/* ---- dropping ---- */

static uint32_t count_true(const bool *keep, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += keep[i];
    return count;
}

/* The elements to keep, in a new array. */
static void *keep_elements(struct dce *c, const void *from, size_t size, const bool *keep,
                           uint32_t n)
{
    char *to = arena_alloc(c->g->arena, count_true(keep, n), size);
    for (uint32_t i = 0, at = 0; to && i < n; i++)
        if (keep[i])
            memcpy(to + size * at++, (const char *)from + size * i, size);
    return to;
}

/* Parameters and results of a region; `results` NULL keeps all of them. Nodes that read what is
   gone are dead, and leave with the rebuild. */
static bool shrink_region(struct dce *c, uint32_t func, const bool *params, const bool *results)
{
    struct func *f = &c->g->funcs[func];
    uint32_t *to = ARENA_ARRAY(&c->scratch, uint32_t, f->nparams), at = 0;
    if (!to)
        return fail_memory(c);
    for (uint32_t i = 0; i < f->nparams; i++)
        to[i] = params[i] ? at++ : 0;
    f->nodes = arena_copy(c->g->arena, f->nodes, f->nnodes * sizeof *f->nodes);
    f->cap_nodes = f->nnodes;
    for (node_id i = 0; f->nodes && i < f->nnodes; i++) {
        struct node *n = &f->nodes[i];
        if (n->op != OP_PARAMETER)
            continue;
        int64_t index = to[attr_int(n, ATTR_index, 0)];
        if (!(n->attrs = ARENA_ARRAY(c->g->arena, struct attr, 1)))
            return fail_memory(c);
        attr_set_int(&n->attrs[0], ATTR_index, index);
    }
    f->params = keep_elements(c, f->params, sizeof *f->params, params, f->nparams);
    f->param_names = keep_elements(c, f->param_names, sizeof *f->param_names, params, f->nparams);
    f->nparams = at;
    if (results) {
        f->results = keep_elements(c, f->results, sizeof *f->results, results, f->nresults);
        f->nresults = count_true(results, f->nresults);
    }
    return (f->nodes && f->params && f->param_names && f->results) || fail_memory(c);
}

/* The node with some of its inputs and outputs. `out_to` receives where each output went. */
static bool shrink_node(struct dce *c, struct node *n, const bool *ins, const bool *outs,
                        uint32_t *out_to)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < n->nouts; i++)
        out_to[i] = outs[i] ? at++ : 0;
    n->ins = keep_elements(c, n->ins, sizeof *n->ins, ins, n->nins);
    n->outs = keep_elements(c, n->outs, sizeof *n->outs, outs, n->nouts);
    n->nins = count_true(ins, n->nins);
    n->nouts = at;
    c->changed = true;
    return (n->ins && n->outs) || fail_memory(c);
}

static bool shrink_while(struct dce *c, struct node *n, const bool *outs, uint32_t **out_to)
{
    bool *needed = arena_copy(&c->scratch, outs, n->nouts * sizeof *outs);
    if (!needed || !needed_carries(c, n, needed))
        return needed ? false : fail_memory(c);
    uint32_t kept = count_true(needed, n->nins);
    if (kept == n->nins || kept == 0)
        return true;
    *out_to = ARENA_ARRAY(&c->scratch, uint32_t, n->nouts);
    return *out_to ? shrink_region(c, n->regions[0], needed, NULL) &&
                         shrink_region(c, n->regions[1], needed, needed) &&
                         shrink_node(c, n, needed, needed, *out_to)
                   : fail_memory(c);
}

static bool shrink_cond(struct dce *c, struct node *n, const bool *outs, uint32_t **out_to)
{
    bool *needed = ARENA_ARRAY(&c->scratch, bool, n->nins);
    if (!needed)
        return fail_memory(c);
    if (!needed_captures(c, n, outs, needed))
        return false;
    uint32_t kept = count_true(outs, n->nouts);
    if ((kept == n->nouts && count_true(needed, n->nins) == n->nins) || kept == 0)
        return true;
    for (uint32_t r = 0; r < n->nregions; r++)
        if (!shrink_region(c, n->regions[r], needed,
                           r % 2 == 0 && r + 1 < n->nregions ? NULL : outs))
            return false;
    *out_to = ARENA_ARRAY(&c->scratch, uint32_t, n->nouts);
    return *out_to ? shrink_node(c, n, needed, outs, *out_to) : fail_memory(c);
}

/* ---- one function ---- */

static bool shrink_func(struct dce *c, uint32_t func)
{
    struct func *f = &c->g->funcs[func];
    bool **live = ARENA_ARRAY(&c->scratch, bool *, f->nnodes);
    uint32_t **out_to = ARENA_ARRAY(&c->scratch, uint32_t *, f->nnodes);
    bool any = false;
    for (node_id i = 0; i < f->nnodes; i++)
        any |= f->nodes[i].op == OP_WHILE || f->nodes[i].op == OP_COND;
    if (!any)
        return true;
    f->nodes = arena_copy(c->g->arena, f->nodes, f->nnodes * sizeof *f->nodes);
    f->cap_nodes = f->nnodes;
    if (!live || !out_to || !f->nodes)
        return fail_memory(c);
    for (node_id i = 0; i < f->nnodes; i++)
        if (!(live[i] = ARENA_ARRAY(&c->scratch, bool, f->nodes[i].nouts)))
            return fail_memory(c);
    for (uint32_t i = 0; i < f->nresults; i++)
        live[f->results[i].node][f->results[i].out] = true;
    for (node_id i = f->nnodes; i-- > 0;) {
        struct node *n = &f->nodes[i];
        if (count_true(live[i], n->nouts) == 0 && !node_has_effect(c->g, n))
            continue;
        if (n->op == OP_WHILE && !shrink_while(c, n, live[i], &out_to[i]))
            return false;
        if (n->op == OP_COND && !shrink_cond(c, n, live[i], &out_to[i]))
            return false;
        for (uint32_t j = 0; j < n->nins; j++)
            live[n->ins[j].node][n->ins[j].out] = true;
    }
    for (node_id i = 0; i < f->nnodes; i++) {
        struct node *n = &f->nodes[i];
        n->ins = arena_copy(c->g->arena, n->ins, n->nins * sizeof *n->ins);
        for (uint32_t j = 0; n->ins && j < n->nins; j++)
            if (out_to[n->ins[j].node])
                n->ins[j].out = out_to[n->ins[j].node][n->ins[j].out];
    }
    for (uint32_t i = 0; i < f->nresults; i++)
        if (out_to[f->results[i].node])
            f->results[i].out = out_to[f->results[i].node][f->results[i].out];
    return !c->g->arena->failed || fail_memory(c);
}

bool pass_dce(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d)
{
    struct dce c = {.g = g, .d = d};
    bool ok = true;
    arena_scratch(&c.scratch, g->arena);
    for (uint32_t i = 0; ok && i < g->nfuncs; i++) /* owners come before their regions */
        ok = shrink_func(&c, i);
    arena_finish(&c.scratch);
    struct rebuild r = {.g = g, .options = o, .d = d};
    if (!ok || !rebuild_run(&r, out_changed))
        return false;
    *out_changed |= c.changed;
    return true;
}
