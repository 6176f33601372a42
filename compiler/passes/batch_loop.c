/* Loops in the function of an instance. What a loop carries is a row of each value that has rows,
   all of the others; a value of which a row would need more than a row is carried whole, if it can
   be. The condition is of what all instances have in common, so every one runs as often. */
#include <string.h>

#include "passes/batch.h"

struct loop_scopes {
    struct scope test, body;
    uint8_t *carried; /* by output: what an instance carries of it */
};

/* One region, carrying x->carried. False with out->refused: a value that all instances must have
   in common. */
static bool region_needs(struct scope *s, uint32_t func, const struct loop_scopes *x, bool body,
                         struct scope *out)
{
    const struct func *f = &s->b->g->funcs[func];
    if (!scope_open(s->b, func, out))
        return false;
    memcpy(out->may, x->carried, f->nparams);
    for (uint32_t i = 0; i < f->nresults; i++)
        scope_need(out, f->results[i], body ? x->carried[i] : NEED_ALL);
    s->b->depth++;
    bool ok = scope_needs(out);
    s->b->depth--;
    return ok;
}

/* First all that have rows are carried as rows; then those of which that is refused are not. */
static bool carry_rows(struct scope *s, const struct node *n, node_id id, struct loop_scopes *x)
{
    for (uint32_t i = 0; i < n->nouts; i++) {
        bool rows = n->outs[i].shape.rank && n->outs[i].shape.dim[0] == s->b->count;
        x->carried[i] = rows ? NEED_ROW : NEED_ALL;
    }
    if (node_has_effect(s->b->g, n))
        return false;
    for (;;) {
        bool test = region_needs(s, n->regions[0], x, false, &x->test);
        if (test && region_needs(s, n->regions[1], x, true, &x->body))
            break;
        uint32_t refused = test ? x->body.refused : x->test.refused;
        if (s->b->failed || refused == VKC_NO_NODE || x->carried[refused] != NEED_ROW)
            return false;
        x->carried[refused] = NEED_ALL;
    }
    for (uint32_t i = 0; i < n->nouts; i++) {
        if (s->need[s->first[id] + i] & ~x->carried[i])
            return false;
        scope_need(s, n->ins[i], x->carried[i]);
    }
    return true;
}

bool batch_loop_needs(struct scope *s, node_id id)
{
    const struct func *f = &s->b->g->funcs[s->func];
    const struct node *n = func_node(f, id);
    struct loop_scopes *x = ARENA_NEW(s->b->arena, struct loop_scopes);
    s->loops[id] = x;
    if (!x || !(x->carried = ARENA_ARRAY(s->b->arena, uint8_t, n->nouts + 1)))
        return batch_no_memory(s->b);
    return carry_rows(s, n, id, x);
}

/* ---- making ---- */

static bool make_region(struct scope *s, struct scope *region, const struct loop_scopes *x,
                        bool body, uint32_t *out)
{
    struct graph *g = s->b->g;
    uint32_t func = graph_add_func(g);
    if (func == UINT32_MAX)
        return batch_no_memory(s->b);
    const struct func from = g->funcs[region->func];
    struct func *to = &g->funcs[func];
    to->nparams = from.nparams;
    to->nresults = from.nresults;
    to->params = ARENA_ARRAY(g->arena, struct tensor, from.nparams + 1);
    to->results = ARENA_ARRAY(g->arena, struct value, from.nresults + 1);
    to->param_names = ARENA_ARRAY(g->arena, const char *, from.nparams + 1);
    if (!to->params || !to->results || !to->param_names)
        return batch_no_memory(s->b);
    region->to = *out = func;
    for (uint32_t i = 0; i < from.nparams; i++) {
        bool row = x->carried[i] == NEED_ROW;
        struct tensor t = row ? tensor_row(&from.params[i]) : from.params[i];
        struct attr index;
        struct node n = {.op = OP_PARAMETER, .nouts = 1, .nattrs = 1, .outs = &t, .attrs = &index};
        attr_set_int(&index, ATTR_index, i);
        to->params[i] = t;
        if (!scope_append(region, &n, row ? &region->given_row[i] : &region->given_all[i]))
            return false;
    }
    if (!scope_make(region))
        return false;
    for (uint32_t i = 0; i < from.nresults; i++)
        g->funcs[func].results[i] =
            scope_value(region, from.results[i], body ? x->carried[i] : NEED_ALL);
    return true;
}

static bool make_loop(struct scope *s, const struct node *n, node_id id, struct loop_scopes *x)
{
    struct arena *a = s->b->arena;
    struct node loop = *n;
    struct value made;
    uint32_t regions[2];
    loop.ins = ARENA_ARRAY(a, struct value, n->nins);
    loop.outs = ARENA_ARRAY(a, struct tensor, n->nouts);
    loop.regions = regions;
    if (!loop.ins || !loop.outs)
        return batch_no_memory(s->b);
    if (!make_region(s, &x->test, x, false, &regions[0]) ||
        !make_region(s, &x->body, x, true, &regions[1]))
        return false;
    for (uint32_t i = 0; i < n->nouts; i++) {
        loop.ins[i] = scope_value(s, n->ins[i], x->carried[i]);
        loop.outs[i] = x->carried[i] == NEED_ROW ? tensor_row(&n->outs[i]) : n->outs[i];
    }
    if (!scope_append(s, &loop, &made))
        return false;
    for (uint32_t i = 0; i < n->nouts; i++)
        (x->carried[i] == NEED_ROW ? s->row : s->all)[s->first[id] + i] =
            (struct value){made.node, i};
    return true;
}

bool batch_loop_make(struct scope *s, node_id id)
{
    const struct node n = s->b->g->funcs[s->func].nodes[id]; /* functions may move */
    return make_loop(s, &n, id, s->loops[id]);
}
