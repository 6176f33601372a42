/* Functions that nodes run: which node has them, copies of them, and those that a pass makes. */
#include <string.h>

#include "passes/build.h"

bool build_claim(struct build *b, uint32_t func)
{
    struct rebuild *r = b->r;
    while (func >= r->cap_claimed) {
        uint32_t old = r->cap_claimed, n = old ? old * 2 : 16;
        uint8_t *claimed = ARENA_ARRAY(&r->scratch, uint8_t, n);
        if (!claimed)
            return build_fail_memory(b);
        if (old)
            memcpy(claimed, r->claimed, old);
        r->claimed = claimed;
        r->cap_claimed = n;
    }
    if (!arena_grow(&r->scratch, &r->claims, r->nclaims, &r->cap_claims, sizeof *r->claims))
        return build_fail_memory(b);
    r->claimed[func] = 1;
    r->claims[r->nclaims++] = func;
    return true;
}

/* An empty function of the graph, or UINT32_MAX after a failure. */
static uint32_t new_func(struct build *b)
{
    struct graph *g = b->g;
    uint32_t made = g->nfuncs < VKC_MAX_FUNCS ? graph_add_func(g) : UINT32_MAX;
    if (made != UINT32_MAX)
        return made;
    if (g->arena->failed)
        return build_fail_memory(b), UINT32_MAX;
    b->failed = true;
    FAIL(b->d, UNSUPPORTED, "the graph would have more than %d functions", (int)VKC_MAX_FUNCS);
    return UINT32_MAX;
}

/* A copy of a function with copies of its regions. Recursion is on nesting, which ir_verify
   limits. */
uint32_t build_clone(struct build *b, uint32_t func)
{
    struct graph *g = b->g;
    uint32_t made = new_func(b);
    if (made == UINT32_MAX)
        return UINT32_MAX;
    struct func f = g->funcs[func];
    f.nodes = arena_copy(g->arena, f.nodes, f.nnodes * sizeof *f.nodes);
    f.cap_nodes = f.nnodes;
    if (!f.nodes)
        return build_fail_memory(b), UINT32_MAX;
    b->r->growth += f.nnodes;
    for (node_id i = 0; i < f.nnodes; i++) {
        struct node *n = &f.nodes[i];
        if (n->nregions == 0)
            continue;
        n->regions = arena_copy(g->arena, n->regions, n->nregions * sizeof *n->regions);
        for (uint32_t j = 0; n->regions && j < n->nregions; j++)
            if ((n->regions[j] = build_clone(b, n->regions[j])) == UINT32_MAX)
                return UINT32_MAX;
        if (!n->regions)
            return build_fail_memory(b), UINT32_MAX;
    }
    g->funcs[made] = f;
    return made;
}

/* Drops what neither a result nor an effect needs. */
bool build_sweep(struct build *b)
{
    struct func *f = &b->out;
    node_id *to = ARENA_ARRAY(&b->r->scratch, node_id, f->nnodes);
    if (!to)
        return build_fail_memory(b);
    for (uint32_t i = 0; i < f->nresults; i++)
        to[f->results[i].node] = 1;
    for (node_id i = f->nnodes; i-- > 0;) {
        const struct node *n = &f->nodes[i];
        if (!to[i] && (op_class(n->op) == CLASS_EFFECT || n->nregions) && node_has_effect(b->g, n))
            to[i] = 1;
        for (uint32_t j = 0; to[i] && j < n->nins; j++)
            to[n->ins[j].node] = 1;
    }
    node_id kept = 0;
    for (node_id i = 0; i < f->nnodes; i++) {
        if (!to[i])
            continue;
        struct node n = f->nodes[i];
        for (uint32_t j = 0; j < n.nins; j++)
            n.ins[j].node = to[n.ins[j].node];
        to[i] = kept;
        f->nodes[kept++] = n;
    }
    f->nnodes = kept;
    for (uint32_t i = 0; i < f->nresults; i++)
        f->results[i].node = to[f->results[i].node];
    return true;
}

struct build build_region(struct build *b, const struct tensor *types, uint32_t count,
                          struct value *params)
{
    struct arena *a = b->g->arena;
    struct build region = {.r = b->r,
                           .g = b->g,
                           .d = b->d,
                           .failed = b->failed,
                           .loc = b->loc,
                           .in_region = true,
                           .depth = b->depth};
    region.out.params = arena_copy(a, types, count * sizeof *types);
    region.out.param_names = ARENA_ARRAY(a, const char *, count);
    region.out.nparams = count;
    if (!region.out.params || !region.out.param_names || !build_grow_buckets(&region))
        build_fail_memory(&region);
    for (uint32_t i = 0; i < count; i++) {
        struct tensor t = types[i];
        struct attr index = {0};
        attr_set_int(&index, ATTR_index, i);
        struct node n = {.op = OP_PARAMETER, .nouts = 1, .nattrs = 1, .outs = &t, .attrs = &index};
        params[i] = region.failed ? BUILD_NONE : build_node(&region, &n);
    }
    return region;
}

uint32_t build_region_end(struct build *b, struct build *region, const struct value *results,
                          uint32_t count)
{
    struct graph *g = b->g;
    region->out.results = arena_copy(g->arena, results, count * sizeof *results);
    region->out.nresults = count;
    if (!region->failed && !region->out.results)
        build_fail_memory(region);
    if (b->failed || region->failed || !build_sweep(region)) {
        b->failed = true;
        return UINT32_MAX;
    }
    uint32_t func = new_func(b);
    if (func == UINT32_MAX || !build_claim(b, func))
        return UINT32_MAX;
    g->funcs[func] = region->out;
    return func;
}
