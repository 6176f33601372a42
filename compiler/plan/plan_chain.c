/* Layers of a small model on a small batch are kernels of a few microseconds, each of which waits
   for the one before. Where some compute row i of all they store from rows i of what they read and
   from what all rows share, they become one dispatch: a workgroup program of instances, a workgroup
   for each row (plan_group.c). What they compute is copied to a function of its own, batch_function
   makes that of one row, and it is planned as any program. */
#include "plan/plan_chain.h"

#include <stdlib.h>

#include "fuse/fuse.h"
#include "passes/instances.h"
#include "plan/plan_group.h"

/* Kernels of a chain at most, whose phases are in one shader, and how far apart they may be in the
   order of the function. */
enum { CHAIN_MOST = 8, CHAIN_WINDOW = 32 };

static bool no_memory(struct planner *b)
{
    return FAIL(b->diag, MEMORY, "out of memory");
}

/* ---- which kernels ---- */

static void use(struct chains *x, struct value v)
{
    x->uses[unit_slot(x->u, unit_base(x->u, v))]++;
}

struct chains *plan_chains_of(struct planner *b, struct unit *u, const struct order *o)
{
    struct arena *a = b->plan->arena;
    const struct func *f = unit_func(u);
    struct chains *x = ARENA_NEW(a, struct chains);
    if (x)
        *x = (struct chains){.u = u,
                             .o = o,
                             .taken = ARENA_ARRAY(a, bool, o->nlist + 1),
                             .state = ARENA_ARRAY(a, uint32_t, u->nkernels + 1),
                             .uses = ARENA_ARRAY(a, uint32_t, u->nslots + 1),
                             .place = ARENA_ARRAY(a, uint32_t, u->nslots + 1),
                             .copy = ARENA_ARRAY(a, uint32_t, f->nnodes + 1),
                             .marked = ARENA_ARRAY(a, node_id, f->nnodes + 1)};
    if (!x || !x->taken || !x->state || !x->uses || !x->place || !x->copy || !x->marked) {
        no_memory(b);
        return NULL;
    }
    for (uint32_t k = 0; k < u->nkernels; k++)
        for (uint32_t i = 0; i < u->kernels[k].nreads && !u->kernels[k].dead; i++)
            use(x, u->kernels[k].reads[i]);
    for (node_id n = 0; n < f->nnodes; n++)
        for (uint32_t i = 0; i < f->nodes[n].nins && fuse_is_control(&f->nodes[n]); i++)
            use(x, f->nodes[n].ins[i]);
    for (uint32_t i = 0; i < f->nresults; i++)
        use(x, f->results[i]);
    return x;
}

static struct kernel *kernel_at(const struct chains *x, uint32_t at)
{
    uint32_t t = at < x->o->nlist ? x->o->list[at] : x->u->nkernels;
    return t < x->u->nkernels ? &x->u->kernels[t] : NULL;
}

/* Whether all that the kernel stores has `count` rows, and may be written a row at a time: an
   output that takes over an input is written where other rows may still be read. */
static bool stores_rows(const struct planner *b, const struct chains *x, const struct kernel *k,
                        int64_t count)
{
    for (uint32_t r = 0; r < k->nroots; r++) {
        const struct tensor *t = unit_tensor(x->u, k->roots[r]);
        uint32_t buffer = x->u->buffer[unit_slot(x->u, unit_base(x->u, k->roots[r]))];
        if (t->shape.rank == 0 || t->shape.dim[0] != count ||
            (buffer != NO_INDEX && b->plan->buffers[buffer].alias != NO_INDEX))
            return false;
    }
    return true;
}

/* What the kernel's share of a row takes one workgroup, at the least. */
static double row_seconds(const struct planner *b, const struct chains *x, const struct kernel *k,
                          int64_t count)
{
    const struct tuning *t = &b->plan->tuning;
    double bytes = 0;
    for (uint32_t i = 0; i < k->nreads; i++) {
        const struct tensor *v = unit_tensor(x->u, k->reads[i]);
        bool is_row = v->shape.rank > 0 && v->shape.dim[0] == count;
        bytes += (double)tensor_bytes(v) / (is_row ? (double)count : 1);
    }
    return t->phase_seconds + (double)k->flops / (double)count * t->flop_seconds +
           bytes * t->byte_seconds;
}

/* Whether the kernel reads from one of the chain, and from none that was passed over. */
static bool is_next(const struct chains *x, const struct kernel *k)
{
    bool found = false;
    for (uint32_t i = 0; i < k->nreads; i++) {
        uint32_t slot = unit_slot(x->u, unit_base(x->u, k->reads[i])),
                 maker = x->u->external[slot] ? NO_INDEX : x->u->kernel_of[slot];
        if (maker == NO_INDEX)
            continue;
        if (x->state[maker] == 2 * x->epoch + 1)
            return false;
        found |= x->state[maker] == 2 * x->epoch;
    }
    return found;
}

/* Places in o->list, from `at` on, of kernels that are worth a try: each reads what one before it
   stores, and as a program they do not take longer than the dispatches that it saves. They run
   where the first does, so none reads what others in between make. */
static uint32_t find(const struct planner *b, struct chains *x, uint32_t at, uint32_t *places)
{
    const struct kernel *first = kernel_at(x, at), *k;
    const struct tuning *t = &b->plan->tuning;
    if (!first || first->nroots == 0 || unit_tensor(x->u, first->roots[0])->shape.rank == 0)
        return 0;
    int64_t count = unit_tensor(x->u, first->roots[0])->shape.dim[0];
    if (count < 2 || count > t->program_groups)
        return 0;
    double seconds = 0, best = 0;
    uint32_t n = 0, found = 0;
    x->epoch++;
    for (uint32_t i = at; n < CHAIN_MOST && i < at + CHAIN_WINDOW && (k = kernel_at(x, i)); i++) {
        if (x->taken[i])
            continue;
        bool is_part = (i == at || is_next(x, k)) && stores_rows(b, x, k, count);
        x->state[x->o->list[i]] = 2 * x->epoch + !is_part;
        if (!is_part)
            continue;
        places[n++] = i;
        seconds += row_seconds(b, x, k, count);
        double saved = (n - 1) * t->dispatch_seconds - seconds;
        if (saved > best) {
            best = saved;
            found = n;
        }
    }
    return found;
}

/* ---- their function ---- */

struct part {
    uint32_t places[CHAIN_MOST], nplaces; /* of its kernels in the order */
    uint32_t func;
    struct value *reads, *results; /* in the function that they are part of */
    uint32_t nreads, nresults, cap_reads, cap_results;
};

/* Whether others than these kernels want what one of them stores. */
static bool is_wanted(const struct chains *x, const struct part *p, struct value root)
{
    uint32_t uses = x->uses[unit_slot(x->u, root)];
    for (uint32_t i = 0; i < p->nplaces; i++)
        uses -= fuse_loads(kernel_at(x, p->places[i]), root);
    return uses > 0;
}

static bool find_values(struct planner *b, const struct chains *x, struct part *p)
{
    struct arena *a = b->plan->arena;
    for (uint32_t i = 0; i < p->nplaces; i++) {
        const struct kernel *k = kernel_at(x, p->places[i]);
        for (uint32_t r = 0; r < k->nroots; r++) {
            struct value v = unit_base(x->u, k->roots[r]);
            if (is_wanted(x, p, v) &&
                !unit_add_value(a, &p->results, &p->nresults, &p->cap_results, v))
                return no_memory(b);
        }
        for (uint32_t r = 0; r < k->nreads; r++) {
            struct value v = unit_base(x->u, k->reads[r]);
            uint32_t maker = x->u->kernel_of[unit_slot(x->u, v)];
            bool is_made = false;
            for (uint32_t j = 0; j < p->nplaces && !x->u->external[unit_slot(x->u, v)]; j++)
                is_made |= x->o->list[p->places[j]] == maker;
            if (!is_made && !unit_add_value(a, &p->reads, &p->nreads, &p->cap_reads, v))
                return no_memory(b);
        }
    }
    return true;
}

static void mark_node(struct chains *x, node_id id)
{
    if (x->copy[id])
        return;
    x->copy[id] = 1;
    x->marked[x->nmarked++] = id;
}

static int by_number(const void *a, const void *b)
{
    node_id x = *(const node_id *)a, y = *(const node_id *)b;
    return (x > y) - (x < y);
}

/* Lists the nodes between results and parameters, in their order; false where one has no operand
   there. The work is that of the chain, however large its function is. */
static bool mark(struct chains *x, const struct part *p)
{
    const struct func *f = unit_func(x->u);
    x->nmarked = 0;
    for (uint32_t i = 0; i < p->nresults; i++)
        mark_node(x, p->results[i].node);
    for (uint32_t at = 0; at < x->nmarked; at++) {
        const struct node *n = func_node(f, x->marked[at]);
        if (n->op == OP_PARAMETER || n->op == OP_LITERAL || n->nregions || fuse_is_control(n))
            return false;
        for (uint32_t i = 0; i < n->nins; i++)
            if (!x->place[unit_slot(x->u, n->ins[i])])
                mark_node(x, n->ins[i].node);
    }
    qsort(x->marked, x->nmarked, sizeof *x->marked, by_number);
    return true;
}

/* A node like `n` with other operands. NULL: out of memory. */
static struct node *append(struct graph *g, uint32_t func, const struct node *n)
{
    struct node *made =
        func_append(g, &g->funcs[func], n->op, n->label, n->nins, n->nouts, n->nattrs, n->nregions);
    for (uint32_t i = 0; made && i < n->nattrs; i++)
        made->attrs[i] = n->attrs[i];
    for (uint32_t i = 0; made && i < n->nouts; i++)
        made->outs[i] = n->outs[i];
    if (made)
        made->loc = n->loc;
    return made;
}

static struct value copied(const struct chains *x, struct value v)
{
    uint32_t place = x->place[unit_slot(x->u, v)];
    return place ? (struct value){place - 1, 0} : (struct value){x->copy[v.node] - 1, v.out};
}

/* Parameters are the first nodes. */
static bool add_params(struct planner *b, struct chains *x, struct part *p)
{
    struct graph *g = b->plan->graph;
    struct func *f = &g->funcs[p->func];
    f->params = ARENA_ARRAY(g->arena, struct tensor, p->nreads + 1);
    f->param_names = ARENA_ARRAY(g->arena, const char *, p->nreads + 1);
    f->results = ARENA_ARRAY(g->arena, struct value, p->nresults + 1);
    if (!f->params || !f->param_names || !f->results)
        return no_memory(b);
    for (uint32_t i = 0; i < p->nreads; i++) {
        struct tensor t = *unit_tensor(x->u, p->reads[i]);
        struct attr index;
        struct node n = {.op = OP_PARAMETER,
                         .label = func_node(unit_func(x->u), p->reads[i].node)->label,
                         .nouts = 1,
                         .nattrs = 1,
                         .outs = &t,
                         .attrs = &index};
        attr_set_int(&index, ATTR_index, i);
        f->params[f->nparams++] = t;
        if (!append(g, p->func, &n))
            return no_memory(b);
    }
    return true;
}

/* A function of what the kernels read, for what others want of what they store. `out_ok`: whether
   it could be made. */
static bool make_func(struct planner *b, struct chains *x, struct part *p, bool *out_ok)
{
    struct graph *g = b->plan->graph;
    for (uint32_t i = 0; i < p->nreads; i++)
        x->place[unit_slot(x->u, p->reads[i])] = i + 1;
    *out_ok = mark(x, p);
    p->func = *out_ok ? graph_add_func(g) : 0;
    if (p->func == UINT32_MAX || (*out_ok && !add_params(b, x, p)))
        return no_memory(b);
    for (uint32_t at = 0; at < x->nmarked && *out_ok; at++) {
        const struct node *n = func_node(unit_func(x->u), x->marked[at]);
        struct node *made = append(g, p->func, n);
        if (!made)
            return no_memory(b);
        for (uint32_t i = 0; i < n->nins; i++)
            made->ins[i] = copied(x, n->ins[i]);
        x->copy[x->marked[at]] = g->funcs[p->func].nnodes;
    }
    for (uint32_t i = 0; *out_ok && i < p->nresults; i++) {
        struct func *to = &g->funcs[p->func];
        to->results[to->nresults++] = copied(x, p->results[i]);
    }
    for (uint32_t at = 0; at < x->nmarked; at++)
        x->copy[x->marked[at]] = 0;
    for (uint32_t i = 0; i < p->nreads; i++)
        x->place[unit_slot(x->u, p->reads[i])] = 0;
    return true;
}

/* ---- its program ---- */

static uint32_t *buffers_of(struct planner *b, struct chains *x, const struct value *list,
                            uint32_t n)
{
    uint32_t *out = ARENA_ARRAY(b->plan->arena, uint32_t, n + 1);
    for (uint32_t i = 0; out && i < n; i++)
        if ((out[i] = plan_buffer_of(b, x->u, list[i])) == NO_INDEX)
            return NULL;
    return out;
}

static const char *name_of(struct planner *b, const struct chains *x, const struct part *p)
{
    const char *name = "";
    for (uint32_t i = 0; i < p->nresults; i++)
        name = arena_printf(b->plan->arena, "%s%sn%u", name, i ? ", " : "",
                            func_node(unit_func(x->u), p->results[i].node)->label);
    return name;
}

/* The instances of the longest part of the chain, from its first kernel on, that has rows.
   `out`->count is 0 if no part of two kernels or more has. */
static bool find_rows(struct planner *b, struct chains *x, struct part *p, struct instances *out)
{
    struct graph *g = b->plan->graph;
    for (uint32_t nfuncs = g->nfuncs; p->nplaces > 1; p->nplaces--) {
        bool ok;
        p->nreads = p->nresults = 0;
        if (!find_values(b, x, p) || !make_func(b, x, p, &ok) ||
            (ok && !batch_function(g, p->func, out, b->diag)))
            return false;
        if (out->count)
            return true;
        g->nfuncs = nfuncs;
    }
    return true;
}

/* ---- trying ---- */

static bool is_given_up(const struct chains *x, const struct func *f)
{
    for (uint32_t i = 0; i < x->ngiven_up && i < CHAIN_GIVEN_UP; i++)
        if (func_alike(&x->given_up[i], f))
            return true;
    return false;
}

/* Notes the function, and drops it. */
static void give_up(struct chains *x, struct graph *g, uint32_t func, uint32_t nfuncs)
{
    x->given_up[x->ngiven_up++ % CHAIN_GIVEN_UP] = g->funcs[func];
    g->nfuncs = nfuncs;
}

bool plan_chain(struct planner *b, struct chains *x, uint32_t at, struct block *to)
{
    struct graph *g = b->plan->graph;
    struct part p = {0};
    struct instances in = {0};
    uint32_t nfuncs = g->nfuncs;
    bool done = false;
    p.nplaces = x->taken[at] ? 0 : find(b, x, at, p.places);
    if (!find_rows(b, x, &p, &in))
        return false;
    if (!in.count || is_given_up(x, &g->funcs[p.func])) {
        g->nfuncs = nfuncs;
        return true;
    }
    uint32_t *params = buffers_of(b, x, p.reads, p.nreads),
             *results = buffers_of(b, x, p.results, p.nresults);
    if (!params || !results)
        return no_memory(b);
    if (!plan_group_rows(b, &in, params, results, p.nplaces, name_of(b, x, &p), to, &done))
        return false;
    for (uint32_t i = 0; i < p.nplaces && done; i++)
        x->taken[p.places[i]] = true;
    if (!done)
        give_up(x, g, p.func, nfuncs);
    return true;
}
