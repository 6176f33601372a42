/* Values that several kernels would each compute, at great cost or from much more than they are,
   are stored by one of them: stage 4 of fuse.c. */
#include "codegen/family/family.h"
#include "fuse/fuse.h"

/* Why a value might be stored. */
enum reason {
    DEAR,   /* an element takes longer to compute than to store and load */
    WIDE,   /* what it is computed from is more than it is, as of a sum that grows from layer to
               layer */
    SPREAD, /* some kernels compute it for each element of a broadcast */
};

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

/* What the first n kernels of x->list take, as they are. False when one of them does not fit. */
static bool weigh(struct fusion *x, uint32_t n, struct cost *sum)
{
    *sum = (struct cost){0};
    for (uint32_t i = 0; i < n; i++) {
        const struct estimate *e = fuse_estimate(x, x->list[i]);
        if (!e || !e->fits)
            return false;
        cost_add(&e->cost, sum);
    }
    return true;
}

/* The first n kernels of x->list compute a value no longer, or do again. */
static bool changed(struct fusion *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        x->version[x->list[i]]++;
        if (!fuse_reads(x, &x->u->kernels[x->list[i]]))
            return false;
    }
    return true;
}

/* Whether the estimates say so. */
static bool pays(enum reason why, const struct cost *before, const struct cost *after)
{
    if (why == SPREAD)
        return cost_computes_less(before, after);
    return cost_pays(before, after) && (why == DEAR || cost_reads_less(before, after));
}

/* Tries to have kernel k store a value that the first n of x->list compute, k among them. It does
   if that pays for all of them together. False with x->d when that ends the compile. */
static bool store_in(struct fusion *x, uint32_t k, struct value v, enum reason why, uint32_t n,
                     struct decision *told)
{
    struct unit *u = x->u;
    const struct kernel old = u->kernels[k];
    struct kernel *stores = &u->kernels[k];
    stores->roots = arena_copy(u->arena, old.roots, old.nroots * sizeof *old.roots);
    stores->cap_roots = old.nroots;
    if (!stores->roots ||
        !unit_add_value(u->arena, &stores->roots, &stores->nroots, &stores->cap_roots, v))
        return FAIL(x->d, MEMORY, "out of memory");
    u->stored[unit_slot(u, v)] = true;
    u->kernel_of[unit_slot(u, v)] = k;
    /* a kernel that would load it may fit no longer: it had room for one buffer less */
    told->done = fuse_fits(x, stores, NULL) && changed(x, n) && weigh(x, n, &told->after) &&
                 pays(why, &told->before, &told->after);
    if (x->d->code != DIAG_OK || told->done)
        return x->d->code == DIAG_OK;
    u->stored[unit_slot(u, v)] = false;
    u->kernel_of[unit_slot(u, v)] = NO_INDEX;
    stores->roots = old.roots;
    stores->nroots = old.nroots;
    stores->cap_roots = old.cap_roots;
    return changed(x, n);
}

/* A value that several kernels still compute is stored by the first of them that can. */
static bool store_once(struct fusion *x, struct value v, enum reason why)
{
    static const char *const reasons[] = {
        [DEAR] = "stored: several kernels need it and it is expensive to compute",
        [WIDE] = "stored: several kernels need it, and more would be read to compute it",
        [SPREAD] = "stored: several kernels need it, and one would compute it for many elements",
    };
    struct unit *u = x->u;
    struct decision told = {.node = v.node, .other = VKC_NO_NODE};
    bool asked = u->asked == func_node(unit_func(u), v.node)->label + 1;
    uint32_t n = fuse_computing(x, v);
    if (n < 2 || !weigh(x, n, &told.before))
        return x->d->code == DIAG_OK;
    for (uint32_t i = 0; i < n && !told.done && !told.after.kernels; i++) {
        uint32_t k = x->list[i];
        if (!may_store(u, &u->kernels[k], v) || would_wait(x, n, k))
            continue;
        if (!store_in(x, k, v, why, n, &told))
            return false;
        if (told.done) {
            u->why[unit_slot(u, v)] = reasons[why];
            fuse_raise(x, k);
        }
    }
    return !(asked && told.after.kernels) || fuse_tell(x, &told);
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

/* How much larger what a value is computed from is than the value: bytes. */
static uint64_t reads_beyond(struct fusion *x, node_id id)
{
    const struct unit *u = x->u;
    const struct func *f = unit_func(u);
    uint64_t bytes = storage_bytes(unit_tensor(u, (struct value){id, 0})), sum = 0;
    uint32_t top = 0;
    x->epoch++;
    x->climb[top++] = id;
    while (top) {
        const struct node *n = func_node(f, x->climb[--top]);
        for (uint32_t j = 0; j < n->nins; j++) {
            struct value in = unit_base(u, n->ins[j]);
            bool is_read = u->external[unit_slot(u, in)] || u->stored[unit_slot(u, in)];
            if (x->met[in.node] != x->epoch && is_read)
                sum += storage_bytes(unit_tensor(u, in));
            else if (x->met[in.node] != x->epoch)
                x->climb[top++] = in.node;
            x->met[in.node] = x->epoch;
        }
    }
    return sum > bytes ? sum - bytes : 0;
}

/* How many elements of a broadcast have the same element of the node. */
static int64_t spread_of(struct fusion *x, node_id id)
{
    const struct unit *u = x->u;
    int64_t most = 1, size = unit_size(u, (struct value){id, 0});
    uint32_t top = 0;
    x->climb[top++] = id;
    while (top) {
        node_id at = x->climb[--top];
        for (uint32_t i = x->first_user[at]; i < x->first_user[at + 1]; i++) {
            node_id user = x->users[i];
            enum op op = func_node(unit_func(u), user)->op;
            if (op == OP_RESHAPE)
                x->climb[top++] = user;
            int64_t times = op == OP_BROADCAST ? unit_size(u, (struct value){user, 0}) / size : 1;
            most = times > most ? times : most;
        }
    }
    return most;
}

/* Whether a value that several kernels compute, with so many additions an element, might be worth
   storing. */
static bool is_worth(struct fusion *x, node_id id, uint32_t kernels, int64_t additions,
                     enum reason *out_why)
{
    const struct unit *u = x->u;
    int64_t size = unit_size(u, (struct value){id, 0});
    if (cost_shares(size, additions)) {
        *out_why = DEAR;
        return true;
    }
    if (u->workgroup) /* its values are seldom in memory */
        return false;
    *out_why = SPREAD;
    if (cost_may_compute_less(size, additions, spread_of(x, id)))
        return true;
    *out_why = WIDE;
    return cost_may_read_less(u, (kernels - 1) * reads_beyond(x, id));
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
        enum reason why;
        cost[i] = additions(u, cost, i);
        if (op_class(func_node(f, i)->op) != CLASS_ELEMENTWISE || kernels[i] < 2 ||
            u->stored[unit_slot(u, v)] || u->in_tile[i] ||
            !is_worth(x, i, kernels[i], cost[i], &why))
            continue;
        struct value best = best_to_store(u, next, v);
        if (!u->stored[unit_slot(u, best)] && !store_once(x, best, why))
            return false;
        if (best.node != i && !u->stored[unit_slot(u, best)] && !store_once(x, v, why))
            return false;
    }
    return true;
}
