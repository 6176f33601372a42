/* Storing what several kernels would recompute, and cutting kernels that do not fit: stages 2 and 4 of
   fuse.c. */
#include "fuse/fuse.h"

#include <string.h>

enum { DEAR_RECOMPUTE = 16 };   /* additions from which on a value of several kernels is stored */

bool fuse_store_shared(struct fusion *x)
{
    struct unit *u = x->u;
    const struct func *f = unit_func(u);
    uint32_t *users = ARENA_ARRAY(u->arena, uint32_t, f->nnodes), *first = ARENA_ARRAY(u->arena, uint32_t, f->nnodes);
    int64_t *cost = ARENA_ARRAY(u->arena, int64_t, f->nnodes);
    if (!users || !first || !cost)
        return FAIL(x->d, MEMORY, "out of memory");
    for (uint32_t k = 0; k < u->nkernels; k++) {
        if (u->kernels[k].dead || !fuse_reads(x, &u->kernels[k]))
            continue;
        for (node_id i = 0; i < f->nnodes; i++)
            if (x->seen[i] && users[i]++ == 0)
                first[i] = k;
    }
    for (node_id i = 0; i < f->nnodes; i++) {
        const struct node *n = func_node(f, i);
        struct value v = {i, 0};
        if (op_class(n->op) != CLASS_ELEMENTWISE)
            for (uint32_t j = 0; j < n->nins; j++)
                cost[i] = cost[n->ins[j].node] > cost[i] ? cost[n->ins[j].node] : cost[i];
        if (op_class(n->op) != CLASS_ELEMENTWISE)
            continue;
        cost[i] = vkc_ops[n->op].cost;
        for (uint32_t j = 0; j < n->nins; j++)
            if (!u->external[unit_slot(u, n->ins[j])] && !u->stored[unit_slot(u, unit_base(u, n->ins[j]))])
                cost[i] += cost[n->ins[j].node];
        cost[i] = cost[i] < DEAR_RECOMPUTE ? cost[i] : DEAR_RECOMPUTE; /* paths double: no need to count on */
        if (users[i] < 2 || cost[i] < DEAR_RECOMPUTE || unit_size(u, v) < 32 || u->stored[unit_slot(u, v)])
            continue;
        for (uint32_t k = 0; k < u->nkernels; k++) {
            struct kernel *kk = &u->kernels[k];
            if (kk->dead || !fuse_reads(x, kk) || !x->seen[i])
                continue;
            int64_t s = unit_size(u, v);
            if (!(kk->family == FAMILY_MAP ? s == kk->size : s == kk->outer || (s == kk->outer * kk->inner && fuse_per_element_ok(u, kk))))
                continue;
            bool cycle = false; /* whoever else computes it would wait for k */
            for (uint32_t o = 0; o < u->nkernels && !cycle; o++) {
                if (o == k || u->kernels[o].dead)
                    continue;
                if (fuse_reads(x, &u->kernels[o]) && x->seen[i])
                    cycle = fuse_reads_from(u, kk, o) || fuse_between(x, o, k);
            }
            if (cycle)
                continue;
            struct kernel trial = *kk;
            trial.roots = arena_copy(u->arena, kk->roots, kk->nroots * sizeof *kk->roots);
            trial.cap_roots = kk->nroots;
            const char *why;
            if (!trial.roots || !fuse_add_value(u->arena, &trial.roots, &trial.nroots, &trial.cap_roots, v))
                return FAIL(x->d, MEMORY, "out of memory");
            u->stored[unit_slot(u, v)] = true;
            u->kernel_of[unit_slot(u, v)] = k;
            if (fuse_fits(x, &trial, &why)) {
                *kk = trial;
                x->version[k]++;
                u->why[unit_slot(u, v)] = "stored: several kernels need it and it is dear to compute";
                for (uint32_t o = 0; o < u->nkernels; o++)
                    if (!u->kernels[o].dead && !fuse_reads(x, &u->kernels[o]))
                        return FAIL(x->d, MEMORY, "out of memory");
                break;
            }
            if (x->d->code != DIAG_OK)
                return false;
            u->stored[unit_slot(u, v)] = false;
            u->kernel_of[unit_slot(u, v)] = NO_INDEX;
        }
    }
    return true;
}

/* ---- a kernel that does not fit by itself is cut ---- */

/* Whether storing this node can make a kernel smaller; copies only where nothing that computes is left. */
static bool may_be_cut(const struct unit *u, node_id id, bool views)
{
    const struct node *n = func_node(unit_func(u), id);
    bool gathers = n->op == OP_CONCATENATE || n->op == OP_PAD || n->op == OP_PUT_SLICE || n->op == OP_GATHER || n->op == OP_DYNAMIC_SLICE;
    return n->nouts == 1 && !u->stored[unit_slot(u, (struct value){id, 0})] && (views ? gathers : !fuse_is_trivial(n));
}

/* Asks for the code of one value as a kernel of its own; u->written then has how often it writes out every other. */
static bool is_short(struct fusion *x, node_id id, uint32_t patience)
{
    struct unit *u = x->u;
    struct value v = {id, 0};
    struct kernel alone = {.id = u->nkernels, .family = FAMILY_MAP, .size = unit_size(u, v), .same_as = NO_INDEX,
                           .roots = &v, .nroots = 1};
    const char *why;
    u->stored[unit_slot(u, v)] = true;
    u->kernel_of[unit_slot(u, v)] = alone.id;
    u->patience = patience;
    u->texts++; /* so that counts of an earlier text are not used if this one is not written */
    bool ok = fuse_fits(x, &alone, &why);
    u->patience = 1;
    u->stored[unit_slot(u, v)] = false;
    u->kernel_of[unit_slot(u, v)] = NO_INDEX;
    return ok;
}

/* The value whose storing spares most lines of the code of `id`, which has been asked for last. Written `times`
   times in `lines` lines each, it is a load instead, and written once, for each of its own elements. */
static node_id dearest(const struct fusion *x, node_id id)
{
    const struct unit *u = x->u;
    node_id best = VKC_NO_NODE;
    double most = 0, size = (double)unit_size(u, (struct value){id, 0});
    for (node_id i = 0; i < id; i++) {
        const struct written *w = &u->written[u->first_slot[i]];
        if (!x->seen[i] || w->text != u->texts || !(may_be_cut(u, i, false) || may_be_cut(u, i, true)))
            continue;
        double spared = size * w->times * (w->lines - 1.0) - (double)unit_size(u, (struct value){i, 0}) * w->lines;
        if (spared > most) {
            most = spared;
            best = i;
        }
    }
    return best;
}

/* What the kernel computes again and again at different indices, so that its code grows with the number of paths
   through the graph: the first value that is too long by itself is found, which is no more than twice as long as
   its operands or so, and what it repeats is weighed. VKC_NO_NODE where no value is too long. */
static bool repeated(struct fusion *x, uint32_t k, node_id *out)
{
    struct unit *u = x->u;
    enum { PATIENCE = 8 };
    *out = VKC_NO_NODE;
    if (!fuse_reads(x, &u->kernels[k]))
        return FAIL(x->d, MEMORY, "out of memory");
    uint8_t *members = arena_copy(u->arena, x->seen, unit_func(u)->nnodes);
    if (!members)
        return FAIL(x->d, MEMORY, "out of memory");
    for (node_id i = 0; i < unit_func(u)->nnodes && *out == VKC_NO_NODE; i++) {
        if (!members[i] || x->is_short[i] || node_is_hero(func_node(unit_func(u), i)) || !(may_be_cut(u, i, false) ||
                                                                                           may_be_cut(u, i, true)))
            continue;
        x->is_short[i] = is_short(x, i, 1);
        if (!x->is_short[i] && x->d->code == DIAG_OK) {
            is_short(x, i, PATIENCE);
            *out = dearest(x, i);
        }
        if (x->d->code != DIAG_OK)
            return false;
    }
    return true;
}

/* Stores a value that the kernel repeats, or else one half way down its deepest chain, so that each half is smaller. */
static bool cut(struct fusion *x, uint32_t k, const char *why)
{
    struct unit *u = x->u;
    const struct func *f = unit_func(u);
    uint32_t members = 0, at = 0;
    node_id chosen;
    if (!repeated(x, k, &chosen))
        return false;
    bool is_repeated = chosen != VKC_NO_NODE;
    if (!fuse_reads(x, &u->kernels[k]))
        return FAIL(x->d, MEMORY, "out of memory");
    for (int views = 0; views < 2 && chosen == VKC_NO_NODE; views++) {
        members = at = 0;
        for (node_id i = 0; i < f->nnodes; i++)
            members += x->seen[i] && may_be_cut(u, i, views);
        for (node_id i = 0; i < f->nnodes && chosen == VKC_NO_NODE; i++)
            if (x->seen[i] && may_be_cut(u, i, views) && ++at > members / 2)
                chosen = i;
    }
    if (chosen == VKC_NO_NODE) {
        const struct node *n = func_node(f, u->kernels[k].roots[0].node);
        if (n->loc)
            strncpy(x->d->loc, n->loc, sizeof x->d->loc - 1);
        return FAIL(x->d, UNSUPPORTED, "n%u %s cannot be compiled for %s: %s", n->label, op_name(n->op),
                    u->target->name, why);
    }
    struct value v = {chosen, 0};
    u->why[unit_slot(u, v)] = is_repeated ? "stored: its readers would compute it again at many indices"
                                          : "stored: a kernel that computes it is too long";
    for (uint32_t o = 0; o < u->nkernels; o++) { /* what computes it loads it now */
        if (!fuse_reads(x, &u->kernels[o]))
            return FAIL(x->d, MEMORY, "out of memory");
        x->fits[o] &= !x->seen[chosen];
    }
    x->is_repeated[unit_slot(u, v)] = is_repeated;
    u->stored[unit_slot(u, v)] = true;
    struct kernel *n = fuse_new_kernel(u);
    if (!n || !fuse_add_value(u->arena, &n->roots, &n->nroots, &n->cap_roots, v))
        return FAIL(x->d, MEMORY, "out of memory");
    u->kernel_of[unit_slot(u, v)] = n->id;
    fuse_set_space(u, n, v);
    for (uint32_t o = 0; o < u->nkernels; o++)
        if (!fuse_reads(x, &u->kernels[o]))
            return FAIL(x->d, MEMORY, "out of memory");
    return true;
}

bool fuse_cut_misfits(struct fusion *x)
{
    struct unit *u = x->u;
    for (uint32_t k = 0; k < u->nkernels; k++) {
        const char *why = NULL;
        if (u->kernels[k].dead || x->fits[k])
            continue;
        x->fits[k] = fuse_fits(x, &u->kernels[k], &why);
        if (x->fits[k])
            continue;
        if (x->d->code != DIAG_OK || u->nkernels > u->nslots || !cut(x, k, why))
            return false;
        k = UINT32_MAX; /* the cut changed what others read */
    }
    return true;
}
