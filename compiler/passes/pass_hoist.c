/* Does      takes kernels out of loops whose values are the same in every round: a sort, a sum or a
             product of what the loop hands on unchanged is computed before it and carried
   Requires  dce: what is dead would be taken out, too
   Keeps     cheap nodes, which fuse with their readers; effects; branches, which may not run
   Cost      linear in the nodes, times the nesting that a node is taken through */
#include <string.h>

#include "ir/trips.h"
#include "passes/build.h"
#include "passes/pass.h"

struct hoist {
    struct graph *g;
    struct diag *d;
    struct arena scratch;
    bool changed;
};

static bool fail_memory(struct hoist *h)
{
    return FAIL(h->d, MEMORY, "out of memory while taking nodes out of loops");
}

/* What is known of a node of a region. */
struct fact {
    bool same;      /* in every round */
    bool costly;    /* and it has a kernel, or what it reads has */
    bool taken;     /* computed before the loop */
    bool cut;       /* and read in the loop: carried */
    uint32_t first; /* then: of its outputs among what is carried in addition */
    node_id to;     /* taken: the node before the loop */
};

static bool has_kernel(const struct node *n)
{
    enum op_class class = op_class(n->op);
    const struct class_info *info = &vkc_classes[class];
    return class == CLASS_SORT || info->kernel == KERNEL_PHASE || info->kernel == KERNEL_WORKGROUP;
}

static void find_same(const struct graph *g, const struct node *loop, const struct func *f,
                      struct fact *facts)
{
    for (node_id i = 0; i < f->nnodes; i++) {
        const struct node *n = &f->nodes[i];
        enum op_class class = op_class(n->op);
        if (n->op == OP_PARAMETER) {
            facts[i].same = trips_unchanged(g, loop, (uint32_t)attr_int(n, ATTR_index, 0));
            continue;
        }
        facts[i].same = n->nregions == 0 && class != CLASS_CONTROL && class != CLASS_EFFECT;
        facts[i].costly = has_kernel(n);
        for (uint32_t j = 0; j < n->nins; j++) {
            facts[i].same &= facts[n->ins[j].node].same;
            facts[i].costly |= facts[n->ins[j].node].costly;
        }
        facts[i].costly &= facts[i].same;
    }
}

/* Whether storing the value takes no more memory than storing what it is made of, so that it is
   the better place to cut. */
static bool is_small(const struct func *f, const struct fact *facts, node_id id)
{
    const struct node *n = &f->nodes[id];
    size_t before = 0;
    for (uint32_t j = 0; j < n->nins; j++)
        if (facts[n->ins[j].node].costly)
            before += tensor_bytes(func_tensor(f, n->ins[j]));
    return has_kernel(n) || tensor_bytes(&n->outs[0]) <= before;
}

/* Marks what is computed before the loop. A value that the rest of the loop reads is cut there,
   or, if it is larger than what it is made of, such as a broadcast sum, before it. */
static void find_cuts(const struct func *f, struct fact *facts)
{
    for (uint32_t i = 0; i < f->nresults; i++)
        facts[f->results[i].node].cut |= facts[f->results[i].node].costly;
    for (node_id i = f->nnodes; i-- > 0;) {
        const struct node *n = &f->nodes[i];
        bool passes_on = facts[i].cut && !is_small(f, facts, i);
        facts[i].cut &= !passes_on;
        facts[i].taken |= facts[i].cut;
        for (uint32_t j = 0; j < n->nins; j++) {
            struct fact *in = &facts[n->ins[j].node];
            in->taken |= facts[i].taken;
            in->cut |= in->costly && (!facts[i].costly || passes_on);
        }
    }
}

/* The taken nodes of a region at the end of `out`, as they were but for what they read: `loop`'s
   inputs in place of parameters. */
static bool take(struct hoist *h, const struct func *f, const struct node *loop, struct fact *facts,
                 struct func *out)
{
    struct arena *a = h->g->arena;
    for (node_id i = 0; i < f->nnodes; i++) {
        if (!facts[i].taken || f->nodes[i].op == OP_PARAMETER)
            continue;
        if (!arena_grow(a, &out->nodes, out->nnodes, &out->cap_nodes, sizeof *out->nodes))
            return fail_memory(h);
        struct node *n = &out->nodes[out->nnodes];
        *n = f->nodes[i];
        n->label = out->next_label++;
        n->ins = arena_copy(a, n->ins, n->nins * sizeof *n->ins);
        if (!n->ins)
            return fail_memory(h);
        for (uint32_t j = 0; j < n->nins; j++) {
            const struct node *in = &f->nodes[n->ins[j].node];
            n->ins[j] = in->op == OP_PARAMETER
                            ? loop->ins[attr_int(in, ATTR_index, 0)]
                            : (struct value){facts[n->ins[j].node].to, n->ins[j].out};
        }
        facts[i].to = out->nnodes++;
    }
    return true;
}

static struct value redirected(const struct fact *facts, struct value v, uint32_t shift)
{
    const struct fact *of = &facts[v.node];
    return of->cut ? (struct value){of->first + v.out, 0} : (struct value){v.node + shift, v.out};
}

/* Room for `more` elements behind `n` of them, in a copy. */
static void *extended(struct hoist *h, const void *from, size_t size, uint32_t n, uint32_t more)
{
    char *to = arena_alloc(h->g->arena, n + more, size);
    if (to && from && n)
        memcpy(to, from, n * size);
    return to;
}

/* The region with parameters for what is carried in addition, which become its first nodes.
   `is_body`: it hands them on. */
static bool extend_region(struct hoist *h, struct func *f, const struct tensor *carried,
                          uint32_t more, bool is_body, const struct fact *facts)
{
    struct arena *a = h->g->arena;
    struct func old = *f;
    f->nodes = NULL;
    f->nnodes = f->cap_nodes = 0;
    f->params = extended(h, old.params, sizeof *f->params, old.nparams, more);
    f->param_names = extended(h, old.param_names, sizeof *f->param_names, old.nparams, more);
    if (!f->params || !f->param_names)
        return fail_memory(h);
    for (uint32_t i = 0; i < more; i++) {
        struct node *n = func_append(h->g, f, OP_PARAMETER, UINT32_MAX, 0, 1, 1, 0);
        if (!n)
            return fail_memory(h);
        f->params[old.nparams + i] = n->outs[0] = carried[i];
        f->param_names[old.nparams + i] = NULL;
        attr_set_int(&n->attrs[0], ATTR_index, old.nparams + i);
    }
    f->nparams += more;
    for (node_id i = 0; i < old.nnodes; i++) {
        if (!arena_grow(a, &f->nodes, f->nnodes, &f->cap_nodes, sizeof *f->nodes))
            return fail_memory(h);
        struct node *n = &f->nodes[f->nnodes++];
        *n = old.nodes[i];
        n->ins = arena_copy(a, n->ins, n->nins * sizeof *n->ins);
        for (uint32_t j = 0; n->ins && j < n->nins; j++)
            n->ins[j] = redirected(facts, n->ins[j], more);
    }
    f->results = extended(h, old.results, sizeof *f->results, old.nresults, is_body ? more : 0);
    if (!f->results)
        return fail_memory(h);
    for (uint32_t i = 0; i < old.nresults; i++)
        f->results[i] = redirected(facts, old.results[i], more);
    for (uint32_t i = 0; is_body && i < more; i++)
        f->results[f->nresults++] = (struct value){i, 0};
    return !a->failed || fail_memory(h);
}

/* How many values of the region are carried in addition, from number `first` on. */
static uint32_t count_cuts(const struct func *f, struct fact *facts, uint32_t first)
{
    uint32_t n = 0;
    for (node_id i = 0; i < f->nnodes; i++) {
        facts[i].first = first + n;
        n += facts[i].cut ? f->nodes[i].nouts : 0;
    }
    return n;
}

/* Takes nodes out of both regions of `loop` to the end of `out`; its inputs are nodes of `out`. */
static bool hoist_loop(struct hoist *h, struct func *out, struct node *loop)
{
    struct fact *facts[2];
    uint32_t more = 0, old = loop->nins;
    for (uint32_t r = 0; r < 2; r++) {
        const struct func *f = &h->g->funcs[loop->regions[r]];
        if (!(facts[r] = ARENA_ARRAY(&h->scratch, struct fact, f->nnodes)))
            return fail_memory(h);
        find_same(h->g, loop, f, facts[r]);
        find_cuts(f, facts[r]);
        more += count_cuts(f, facts[r], more);
    }
    if (more == 0)
        return true;
    loop->ins = extended(h, loop->ins, sizeof *loop->ins, old, more);
    loop->outs = extended(h, loop->outs, sizeof *loop->outs, old, more);
    if (!loop->ins || !loop->outs)
        return fail_memory(h);
    for (uint32_t r = 0; r < 2; r++) {
        const struct func *f = &h->g->funcs[loop->regions[r]];
        if (!take(h, f, loop, facts[r], out))
            return false;
        for (node_id i = 0; i < f->nnodes; i++)
            for (uint32_t o = 0; facts[r][i].cut && o < f->nodes[i].nouts; o++) {
                uint32_t at = old + facts[r][i].first + o;
                loop->ins[at] = (struct value){facts[r][i].to, o};
                loop->outs[at] = f->nodes[i].outs[o];
            }
    }
    loop->nins = loop->nouts = old + more;
    h->changed = true;
    for (uint32_t r = 0; r < 2; r++)
        if (!extend_region(h, &h->g->funcs[loop->regions[r]], loop->outs + old, more, r == 1,
                           facts[r]))
            return false;
    return true;
}

static bool hoist_func(struct hoist *h, uint32_t func)
{
    struct func *f = &h->g->funcs[func], old = *f;
    node_id *to = ARENA_ARRAY(&h->scratch, node_id, old.nnodes);
    bool any = false;
    for (node_id i = 0; i < old.nnodes; i++)
        any |= old.nodes[i].op == OP_WHILE;
    if (!any)
        return true;
    if (!to)
        return fail_memory(h);
    f->nodes = NULL;
    f->nnodes = f->cap_nodes = 0;
    for (node_id i = 0; i < old.nnodes; i++) {
        struct node n = old.nodes[i];
        n.ins = arena_copy(h->g->arena, n.ins, n.nins * sizeof *n.ins);
        if (!n.ins)
            return fail_memory(h);
        for (uint32_t j = 0; j < n.nins; j++)
            n.ins[j].node = to[n.ins[j].node];
        if (n.op == OP_WHILE && !hoist_loop(h, f, &n))
            return false;
        if (!arena_grow(h->g->arena, &f->nodes, f->nnodes, &f->cap_nodes, sizeof *f->nodes))
            return fail_memory(h);
        to[i] = f->nnodes;
        f->nodes[f->nnodes++] = n;
    }
    f->results = arena_copy(h->g->arena, old.results, old.nresults * sizeof *old.results);
    for (uint32_t i = 0; f->results && i < f->nresults; i++)
        f->results[i].node = to[f->results[i].node];
    return f->results || fail_memory(h);
}

bool pass_hoist(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d)
{
    struct hoist h = {.g = g, .d = d};
    bool ok = true;
    arena_scratch(&h.scratch, g->arena);
    for (uint32_t i = g->nfuncs; ok && i-- > 0;) /* regions come after their owners */
        ok = hoist_func(&h, i);
    arena_finish(&h.scratch);
    struct rebuild r = {.g = g, .options = o, .d = d};
    if (!ok)
        return false;
    if (!h.changed)
        return true;
    return rebuild_run(&r, out_changed) && (*out_changed = true);
}
