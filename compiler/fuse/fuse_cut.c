/* Kernels that do not fit by themselves are cut: stage 2 of fuse.c. */
#include "codegen/family/family.h"
#include "fuse/fuse.h"

#include <string.h>

/* Whether storing this node can make a kernel smaller; copies only if no computing node is left. */
static bool may_be_cut(const struct unit *u, node_id id, bool views)
{
    const struct node *n = func_node(unit_func(u), id);
    bool gathers = n->op == OP_CONCATENATE || n->op == OP_PAD || n->op == OP_PUT_SLICE ||
                   n->op == OP_GATHER || n->op == OP_DYNAMIC_SLICE;
    return n->nouts == 1 && !u->in_tile[id] && !u->stored[unit_slot(u, (struct value){id, 0})] &&
           (views ? gathers : !fuse_is_trivial(n));
}

/* Asks for the code of one value as a kernel of its own; u->written then says how often it writes
   out each other value. */
static bool is_short(struct fusion *x, node_id id, uint32_t patience)
{
    struct unit *u = x->u;
    struct value v = {id, 0};
    struct kernel alone = {.id = u->nkernels, .same_as = NO_INDEX, .roots = &v, .nroots = 1};
    family_start(u, &alone, v);
    u->stored[unit_slot(u, v)] = true;
    u->kernel_of[unit_slot(u, v)] = alone.id;
    u->patience = patience;
    u->texts++; /* so that counts of an earlier text are not used if this one is not written */
    bool ok = fuse_fits(x, &alone, NULL);
    u->patience = 1;
    u->stored[unit_slot(u, v)] = false;
    u->kernel_of[unit_slot(u, v)] = NO_INDEX;
    return ok;
}

/* The value whose storing saves most lines of the code of `id`, which was asked for last. A value
   is written `times` times in `lines` lines each; once stored, it is a load instead, and is written
   once, for each of its own elements. */
static node_id dearest(struct fusion *x, node_id id)
{
    const struct unit *u = x->u;
    node_id best = VKC_NO_NODE;
    double most = 0, size = (double)unit_size(u, (struct value){id, 0});
    members_sort(&x->members);
    for (uint32_t m = 0; m < x->members.nnodes; m++) {
        node_id i = x->members.nodes[m];
        const struct written *w = &u->written[u->first_slot[i]];
        if (i >= id || w->text != u->texts || !(may_be_cut(u, i, false) || may_be_cut(u, i, true)))
            continue;
        double spared = size * w->times * (w->lines - 1.0) -
                        (double)unit_size(u, (struct value){i, 0}) * w->lines;
        if (spared > most) {
            most = spared;
            best = i;
        }
    }
    return best;
}

/* What the kernel computes again and again at different indices, so that its code grows with the
   number of paths through the graph. Finds the first value that is too long by itself, although it
   is only about twice as long as its operands, and weighs what it repeats. VKC_NO_NODE if no value
   is too long. */
static bool repeated(struct fusion *x, uint32_t k, node_id *out)
{
    struct unit *u = x->u;
    enum { PATIENCE = 8 };
    *out = VKC_NO_NODE;
    if (!fuse_reads(x, &u->kernels[k]))
        return FAIL(x->d, MEMORY, "out of memory");
    members_sort(&x->members);
    uint32_t n = x->members.nnodes;
    node_id *nodes = arena_copy(u->arena, x->members.nodes, n * sizeof *nodes);
    if (!nodes)
        return FAIL(x->d, MEMORY, "out of memory");
    for (uint32_t m = 0; m < n && *out == VKC_NO_NODE; m++) {
        node_id i = nodes[m];
        if (x->is_short[i] || node_is_hero(func_node(unit_func(u), i)) ||
            !(may_be_cut(u, i, false) || may_be_cut(u, i, true)))
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

/* Stores a value that the kernel repeats, or else one half way down its deepest chain, so that
   each half is smaller. `out_first`: the first kernel that is another now. */
static bool cut(struct fusion *x, uint32_t k, const char *why, uint32_t *out_first)
{
    struct unit *u = x->u;
    const struct func *f = unit_func(u);
    node_id chosen;
    if (!repeated(x, k, &chosen))
        return false;
    bool is_repeated = chosen != VKC_NO_NODE;
    if (!fuse_reads(x, &u->kernels[k]))
        return FAIL(x->d, MEMORY, "out of memory");
    members_sort(&x->members);
    for (int views = 0; views < 2 && chosen == VKC_NO_NODE; views++) {
        uint32_t may = 0, at = 0;
        for (uint32_t i = 0; i < x->members.nnodes; i++)
            may += may_be_cut(u, x->members.nodes[i], views);
        for (uint32_t i = 0; i < x->members.nnodes && chosen == VKC_NO_NODE; i++)
            if (may_be_cut(u, x->members.nodes[i], views) && ++at > may / 2)
                chosen = x->members.nodes[i];
    }
    if (chosen == VKC_NO_NODE) {
        const struct node *n = func_node(f, u->kernels[k].roots[0].node);
        if (n->loc)
            strncpy(x->d->loc, n->loc, sizeof x->d->loc - 1);
        return FAIL(x->d, UNSUPPORTED, "n%u %s cannot be compiled for %s: %s", n->label,
                    op_name(n->op), u->target->name, why);
    }
    struct value v = {chosen, 0};
    u->why[unit_slot(u, v)] = is_repeated
                                  ? "stored: its readers would compute it again at many indices"
                                  : "stored: a kernel that computes it is too long";
    x->is_repeated[unit_slot(u, v)] = is_repeated;
    return fuse_store_alone(x, v, out_first);
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
        uint32_t first = k;
        if (x->d->code != DIAG_OK || u->nkernels > u->nslots || !cut(x, k, why, &first))
            return false;
        k = (first < k ? first : k) - 1; /* the cut changed what others read */
    }
    return true;
}
