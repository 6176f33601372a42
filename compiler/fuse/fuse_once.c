/* What is the same for all threads of a kernel is computed once, by a kernel before it: stage 2 of
   fuse.c. A key of random numbers is split by two of the six ciphers that a thread would compute
   for eight uniform numbers; a step of Adam raises its decays to the power of the step for every
   parameter. */
#include "codegen/family/family.h"
#include "fuse/fuse.h"

enum {
    /* Values of a kernel that are stored so, at most: a dispatch each, if nothing joins them. */
    MOST_STORED = 4,
    /* Longer code than kernels have, so that what it writes out is known all the same. */
    PATIENCE = 8,
};

/* A few elements that are computed for many. */
static bool is_few(const struct unit *u, node_id id)
{
    const struct node *n = func_node(unit_func(u), id);
    struct value v = {id, 0};
    return op_class(n->op) == CLASS_ELEMENTWISE && !u->in_tile[id] && !u->stored[unit_slot(u, v)] &&
           cost_is_few(unit_size(u, v));
}

/* Whether the kernel computes enough of the kind for the code generator to be asked. */
static bool may_spare(struct fusion *x, const struct kernel *k)
{
    struct unit *u = x->u;
    int64_t sum = 0, places = family_places(k);
    if (k->dead || !family_of(k)->is_elementwise || u->workgroup || cost_is_few(places))
        return false;
    if (!members_of(u, u->arena, k, &x->members))
        return FAIL(x->d, MEMORY, "out of memory");
    for (uint32_t i = 0; i < x->members.nnodes; i++)
        if (is_few(u, x->members.nodes[i]))
            sum += vkc_ops[func_node(unit_func(u), x->members.nodes[i])->op].cost;
    return cost_may_spare(u, places, sum);
}

/* The value of few elements whose code takes most lines of the text that was made last. */
static node_id longest(const struct fusion *x)
{
    const struct unit *u = x->u;
    node_id best = VKC_NO_NODE;
    uint64_t most = 0;
    for (uint32_t i = 0; i < x->members.nnodes; i++) {
        node_id id = x->members.nodes[i];
        const struct written *w = &u->written[u->first_slot[id]];
        if (w->text != u->texts || !is_few(u, id) || (uint64_t)w->times * w->lines < most)
            continue;
        most = (uint64_t)w->times * w->lines;
        best = id;
    }
    return best;
}

/* What kernel k takes as it is, or, where `v` is not VKC_NO_NODE, with v loaded. */
static bool weigh(struct fusion *x, const struct kernel *k, struct value v, struct cost *sum)
{
    struct unit *u = x->u;
    uint64_t additions;
    bool loaded = v.node != VKC_NO_NODE;
    if (loaded) {
        u->stored[unit_slot(u, v)] = true;
        u->kernel_of[unit_slot(u, v)] = u->nkernels;
    }
    bool fits = fuse_measure(x, k, NULL, &additions);
    if (fits) {
        struct cost one = cost_of(u, k, x->members.loads, x->members.nloads, additions);
        cost_add(&one, sum);
    }
    if (loaded) {
        u->stored[unit_slot(u, v)] = false;
        u->kernel_of[unit_slot(u, v)] = NO_INDEX;
    }
    return fits;
}

/* Stores one value that kernel k computes for each of its threads; `out_done` tells whether. */
static bool store_one(struct fusion *x, uint32_t k, bool *out_done)
{
    struct unit *u = x->u;
    struct decision told = {.node = VKC_NO_NODE, .other = VKC_NO_NODE};
    static const struct value none = {VKC_NO_NODE, 0};
    bool fits;
    uint32_t first;
    *out_done = false;
    if (!may_spare(x, &u->kernels[k]))
        return x->d->code == DIAG_OK;
    u->patience = PATIENCE;
    u->texts++; /* so that an earlier text is not taken for this one */
    fits = fuse_fits(x, &u->kernels[k], NULL);
    u->patience = 1;
    told.node = fits ? longest(x) : VKC_NO_NODE;
    if (told.node == VKC_NO_NODE)
        return x->d->code == DIAG_OK;
    struct value v = {told.node, 0};
    struct kernel alone = {.id = u->nkernels, .same_as = NO_INDEX, .roots = &v, .nroots = 1};
    family_start(u, &alone, v);
    *out_done = weigh(x, &u->kernels[k], none, &told.before) &&
                weigh(x, &u->kernels[k], v, &told.after) && weigh(x, &alone, v, &told.after) &&
                cost_spares(&told.before, &told.after);
    if (x->d->code != DIAG_OK)
        return false;
    if (*out_done) {
        u->why[unit_slot(u, v)] = "stored: all threads of a kernel would compute the same";
        if (!fuse_store_alone(x, v, &first))
            return false;
    }
    told.done = *out_done;
    bool asked = u->asked == func_node(unit_func(u), v.node)->label + 1;
    return !asked || fuse_tell(x, &told);
}

bool fuse_store_once(struct fusion *x)
{
    uint32_t n = x->u->nkernels;
    for (uint32_t k = 0; k < n; k++) {
        bool any = true;
        for (uint32_t i = 0; any && i < MOST_STORED; i++)
            if (!store_one(x, k, &any))
                return false;
    }
    return true;
}
