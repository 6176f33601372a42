/* Expensive values that several kernels would each compute are stored by one of them: stage 4 of
   fuse.c. */
#include "codegen/family/family.h"
#include "fuse/fuse.h"

static bool may_store(const struct unit *u, const struct kernel *k, struct value v)
{
    return family_of(k)->has_place(u, k, unit_size(u, v));
}

/* Whether one of the kernels in x->list, which would load what k stores, is waited for by k. */
static bool would_wait(struct fusion *x, uint32_t n, uint32_t k)
{
    for (uint32_t i = 0; i < n; i++)
        if (x->list[i] != k && (fuse_reads_from(x->u, &x->u->kernels[k], x->list[i]) ||
                                fuse_between(x, x->list[i], k)))
            return true;
    return false;
}

/* Tries to have kernel k store a value that it computes. */
static bool store_in(struct fusion *x, uint32_t k, struct value v, bool *out_done)
{
    struct unit *u = x->u;
    struct kernel trial = u->kernels[k];
    trial.roots = arena_copy(u->arena, trial.roots, trial.nroots * sizeof *trial.roots);
    trial.cap_roots = trial.nroots;
    if (!trial.roots || !unit_add_value(u->arena, &trial.roots, &trial.nroots, &trial.cap_roots, v))
        return FAIL(x->d, MEMORY, "out of memory");
    u->stored[unit_slot(u, v)] = true;
    u->kernel_of[unit_slot(u, v)] = k;
    *out_done = fuse_fits(x, &trial, NULL);
    if (*out_done) {
        u->kernels[k] = trial;
        x->version[k]++;
        u->why[unit_slot(u, v)] = "stored: several kernels need it and it is expensive to compute";
    } else {
        u->stored[unit_slot(u, v)] = false;
        u->kernel_of[unit_slot(u, v)] = NO_INDEX;
    }
    return x->d->code == DIAG_OK;
}

/* What the first n kernels of x->list take, as they are. */
static void weigh(struct fusion *x, uint32_t n, struct cost *sum)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t flops = 0;
        if (fuse_measure(x, &x->u->kernels[x->list[i]], NULL, &flops))
            cost_add(x->u, &x->u->kernels[x->list[i]], flops, sum);
    }
}

/* A value that several kernels still compute is stored by the first of them that can. */
static bool store_once(struct fusion *x, struct value v)
{
    struct unit *u = x->u;
    struct decision told = {.node = v.node, .other = VKC_NO_NODE, .done = true};
    bool done = false, asked = u->asked == func_node(unit_func(u), v.node)->label + 1;
    uint32_t n = fuse_computing(x, v);
    if (x->d->code != DIAG_OK)
        return false;
    if (asked && n > 1)
        weigh(x, n, &told.before);
    for (uint32_t i = 0; i < n && n > 1 && !done; i++)
        if (may_store(u, &u->kernels[x->list[i]], v) && !would_wait(x, n, x->list[i])) {
            if (!store_in(x, x->list[i], v, &done))
                return false;
            for (uint32_t o = 0; o < n && done; o++)
                if (!fuse_reads(x, &u->kernels[x->list[o]]))
                    return false;
            if (done)
                fuse_raise(x, x->list[i]);
        }
    if (!done || !asked)
        return true;
    weigh(x, n, &told.after);
    return x->d->code == DIAG_OK && fuse_tell(x, &told);
}

/* For each node the next one that all its uses go through, in whatever kernel, before anything is
   stored: its immediate post-dominator. The number of nodes, if there is none. */
static node_id *find_passed(struct fusion *x)
{
    const struct unit *u = x->u;
    const struct func *f = unit_func(u);
    node_id *next = ARENA_ARRAY(u->arena, node_id, f->nnodes + 1);
    if (!next || !fuse_find_users(x))
        return NULL;
    for (node_id i = f->nnodes; i-- > 0;) {
        next[i] = VKC_NO_NODE;
        for (uint32_t j = x->first_user[i]; j < x->first_user[i + 1]; j++) {
            node_id user = x->users[j];
            uint32_t slot = u->first_slot[user];
            bool ends = u->external[slot] || u->stored[slot];
            node_id a = ends ? f->nnodes : user, b = next[i];
            while (b != VKC_NO_NODE && a != b) /* what comes later has the higher number */
                if (a < b)
                    a = next[a];
                else
                    b = next[b];
            next[i] = a;
        }
        if (next[i] == VKC_NO_NODE)
            next[i] = f->nnodes;
    }
    return next;
}

/* What to store so that v is not computed twice: v, or a value that is no larger and that all uses
   of v go through. The last such one saves most work, and other values. */
static struct value best_to_store(const struct unit *u, const node_id *next, struct value v)
{
    const struct func *f = unit_func(u);
    struct value best = v;
    for (node_id i = next[v.node]; i < f->nnodes; i = next[i]) {
        struct value p = {i, 0};
        bool computes = op_class(func_node(f, i)->op) == CLASS_ELEMENTWISE;
        if (computes && storage_bytes(unit_tensor(u, p)) <= storage_bytes(unit_tensor(u, best)) &&
            cost_shares(unit_size(u, p), cost_dear()))
            best = p;
    }
    return best;
}

/* In how many kernels each node is computed. */
static uint32_t *count_kernels(struct fusion *x)
{
    struct unit *u = x->u;
    uint32_t *count = ARENA_ARRAY(u->arena, uint32_t, unit_func(u)->nnodes);
    for (uint32_t k = 0; count && k < u->nkernels; k++) {
        if (u->kernels[k].dead)
            continue;
        if (!fuse_reads(x, &u->kernels[k]))
            return NULL;
        for (uint32_t i = 0; i < x->members.nnodes; i++)
            count[x->members.nodes[i]]++;
    }
    return count;
}

/* Additions for an element of the node, from what is stored; `of` has those of all nodes before
   it. */
static int64_t additions(const struct unit *u, const int64_t *of, node_id id)
{
    const struct node *n = func_node(unit_func(u), id);
    bool computes = op_class(n->op) == CLASS_ELEMENTWISE;
    int64_t sum = computes ? vkc_ops[n->op].cost : 0;
    for (uint32_t j = 0; j < n->nins; j++) {
        int64_t in = of[n->ins[j].node];
        if (!computes)
            sum = in > sum ? in : sum;
        else if (!u->external[unit_slot(u, n->ins[j])] &&
                 !u->stored[unit_slot(u, unit_base(u, n->ins[j]))])
            sum += in;
    }
    return sum < cost_dear() ? sum : cost_dear(); /* paths double: no need to count on */
}

bool fuse_store_shared(struct fusion *x)
{
    struct unit *u = x->u;
    const struct func *f = unit_func(u);
    uint32_t *kernels = count_kernels(x);
    node_id *next = find_passed(x);
    int64_t *cost = ARENA_ARRAY(u->arena, int64_t, f->nnodes);
    if (!kernels || !next || !cost)
        return FAIL(x->d, MEMORY, "out of memory");
    for (node_id i = 0; i < f->nnodes; i++) {
        struct value v = {i, 0};
        cost[i] = additions(u, cost, i);
        if (op_class(func_node(f, i)->op) != CLASS_ELEMENTWISE || kernels[i] < 2 ||
            !cost_shares(unit_size(u, v), cost[i]) || u->stored[unit_slot(u, v)])
            continue;
        struct value best = best_to_store(u, next, v);
        if (!u->stored[unit_slot(u, best)] && !store_once(x, best))
            return false;
        if (best.node != i && !u->stored[unit_slot(u, best)] && !store_once(x, v))
            return false;
    }
    return true;
}
