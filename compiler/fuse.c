/* Cuts a function into kernels.

   1. Decide which values must be stored: results, what control flow reads, every reduction and
      contraction (a hero), and operands of contractions that are too dear to recompute for each use.
   2. Each of them starts as a kernel of its own, which recomputes everything between it and stored values.
   3. A kernel is merged with the kernel that reads it where both run over the same space: then the value
      passes in a register, and is stored only if somebody else needs it. Whether two kernels fit together
      is not guessed: the code generator is asked, since it alone knows at which index every value is read.
   4. Values that several kernels still recompute dearly are stored by the first of them.
   5. Kernels over the same space that share an operand become one; scalars ride along with a kernel.

   Merging never makes a cycle: two kernels with a third between them stay apart. */
#include "fuse.h"

#include <string.h>

enum {
    CHEAP_PROLOGUE = 4,         /* additions that a contraction may redo at every load of an operand */
    DEAR_RECOMPUTE = 16,        /* additions from which on a value of several kernels is stored */
    MAX_DEPTH = 96,             /* nodes from a stored value: bounds recursion and statement length */
    STARVED_ROWS = 64,          /* with fewer rows than this, a long row does not take per-element work */
    LONG_ROW = 16384,
};

static const struct tensor *tensor_of(const struct unit *u, struct value v)
{
    return func_tensor(unit_func(u), v);
}

static int64_t size_of(const struct unit *u, struct value v)
{
    return shape_size(&tensor_of(u, v)->shape);
}

/* ---- kernels and what they read ---- */

static struct kernel *new_kernel(struct unit *u)
{
    if (!arena_grow(u->arena, &u->kernels, u->nkernels, &u->cap_kernels, sizeof *u->kernels))
        return NULL;
    struct kernel *k = &u->kernels[u->nkernels];
    *k = (struct kernel){.id = u->nkernels, .same_as = PLAN_NONE};
    u->nkernels++;
    return k;
}

static bool add_value(struct arena *a, struct value **list, uint32_t *n, uint32_t *cap, struct value v)
{
    for (uint32_t i = 0; i < *n; i++)
        if ((*list)[i].node == v.node && (*list)[i].out == v.out)
            return true;
    if (!arena_grow(a, list, *n, cap, sizeof **list))
        return false;
    (*list)[(*n)++] = v;
    return true;
}

/* The space of the kernel that starts with this value alone. */
static void set_space(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    if (!node_is_hero(n)) {
        k->family = FAMILY_MAP;
        k->size = size_of(u, v);
        return;
    }
    k->family = FAMILY_ROWS;
    k->outer = size_of(u, v);
    if (n->op == OP_TRIANGULAR_SOLVE) {
        k->family = FAMILY_SOLVE;
        k->inner = func_tensor(unit_func(u), n->ins[0])->shape.dim[tensor_of(u, n->ins[0])->shape.rank - 1];
        k->outer /= k->inner;
        return;
    }
    k->inner = hero_inner(unit_func(u), n);
    if (n->op != OP_DOT || type_is_complex(n->outs[0].type) || (type_is_float(n->outs[0].type) && type_bytes(n->outs[0].type) < 4))
        return;
    uint32_t nb;
    const int64_t *batch = attr_list(n, ATTR_batch_a, &nb);
    k->batch = 1;
    for (uint32_t i = 0; i < nb; i++)
        k->batch *= tensor_of(u, n->ins[0])->shape.dim[batch[i]];
    k->m = size_of(u, n->ins[0]) / k->batch / k->inner;
    k->n = size_of(u, n->ins[1]) / k->batch / k->inner;
    if (schedule_wants_tiles(u->target, k->batch, k->m, k->n, k->inner))
        k->family = FAMILY_CONTRACT;
}

static bool is_load(const struct unit *u, const struct kernel *k, struct value v)
{
    uint32_t slot = unit_slot(u, v);
    return u->external[slot] || (u->stored[slot] && u->kernel_of[slot] != k->id);
}

/* Fills k->reads, and marks in `seen` (by node) what the kernel computes. */
static bool find_reads(struct unit *u, struct kernel *k, uint8_t *seen)
{
    const struct func *f = unit_func(u);
    struct value *stack = ARENA_ARRAY(u->arena, struct value, f->nnodes + 1);
    uint32_t top = 0;
    if (!stack)
        return false;
    memset(seen, 0, f->nnodes);
    k->nreads = 0;
    for (uint32_t i = 0; i < k->nroots; i++)
        if (!seen[k->roots[i].node]) {
            seen[k->roots[i].node] = 1;
            stack[top++] = k->roots[i];
        }
    for (uint32_t i = 0; i < k->nheroes; i++)
        if (!seen[k->heroes[i]]) {
            seen[k->heroes[i]] = 1;
            stack[top++] = (struct value){k->heroes[i], 0};
        }
    while (top) {
        const struct node *n = func_node(f, stack[--top].node);
        for (uint32_t i = 0; i < n->nins; i++) {
            struct value v = n->ins[i];
            if (is_load(u, k, v)) {
                if (!add_value(u->arena, &k->reads, &k->nreads, &k->cap_reads, unit_base(u, v)))
                    return false;
            } else if (!seen[v.node]) {
                seen[v.node] = 1;
                stack[top++] = v;
            }
        }
    }
    return true;
}

/* ---- 1: what is stored ---- */

/* Whether a contraction may recompute the operand at every load: a chain of movement and a few cheap ops
   over one stored tensor (splat constants and scalars aside). */
static bool cheap_operand(const struct unit *u, struct value v)
{
    const struct func *f = unit_func(u);
    struct value stack[16];
    uint32_t top = 0, leaves = 0;
    int cost = 0;
    stack[top++] = v;
    while (top) {
        struct value w = stack[--top];
        const struct node *n = func_node(f, w.node);
        if (u->external[unit_slot(u, w)] || u->stored[unit_slot(u, w)]) {
            if (size_of(u, w) > 1 && ++leaves > 1)
                return false;
            if (node_is_hero(n) && cost > 0)
                return false; /* better stored by the hero's own kernel, as its epilogue */
            continue;
        }
        switch (op_class(n->op)) {
        case CLASS_ELEMENTWISE:
            cost += vkc_ops[n->op].cost;
            break;
        case CLASS_MOVEMENT:
            if (n->op == OP_PAD || n->op == OP_CONCATENATE)
                return false;
            break;
        case CLASS_SOURCE:
            break;
        default:
            return false;
        }
        if (cost > CHEAP_PROLOGUE || top + n->nins > 16)
            return false;
        for (uint32_t i = 0; i < n->nins; i++)
            stack[top++] = n->ins[i];
    }
    return true;
}

static bool mark(struct unit *u, struct value v)
{
    uint32_t slot = unit_slot(u, unit_base(u, v));
    if (!u->external[slot])
        u->stored[slot] = true;
    return true;
}

/* Storing a pure view costs a copy: where an operand is only moved about, store what it moves. */
static struct value through_views(const struct unit *u, struct value v)
{
    const struct func *f = unit_func(u);
    for (;;) {
        const struct node *n = func_node(f, v.node);
        bool view = n->op == OP_RESHAPE || n->op == OP_TRANSPOSE || n->op == OP_BROADCAST || n->op == OP_SLICE || n->op == OP_REVERSE;
        if (!view || u->external[unit_slot(u, v)])
            return v;
        v = n->ins[0];
    }
}

static bool is_control(const struct node *n)
{
    return op_class(n->op) == CLASS_CONTROL || op_class(n->op) == CLASS_EFFECT;
}

static bool is_trivial(const struct node *n)
{
    return op_class(n->op) == CLASS_SOURCE || op_class(n->op) == CLASS_MOVEMENT;
}

static bool mark_stored(struct unit *u)
{
    const struct func *f = unit_func(u);
    for (uint32_t i = 0; i < f->nresults; i++)
        mark(u, f->results[i]);
    uint32_t *depth = ARENA_ARRAY(u->arena, uint32_t, f->nnodes);
    if (!depth)
        return false;
    for (node_id i = 0; i < f->nnodes; i++) {
        const struct node *n = func_node(f, i);
        if (node_is_hero(n))
            mark(u, (struct value){i, 0});
        if (is_control(n))
            for (uint32_t j = 0; j < n->nins; j++)
                mark(u, n->ins[j]);
        if (op_class(n->op) == CLASS_CONTRACT || op_class(n->op) == CLASS_SCATTER || op_class(n->op) == CLASS_WINDOW || n->op == OP_TRIANGULAR_SOLVE)
            for (uint32_t j = 0; j < n->nins; j++)
                if (!cheap_operand(u, n->ins[j]))
                    mark(u, through_views(u, n->ins[j]));
        if (u->no_fusion && !is_trivial(n) && !is_control(n))
            mark(u, (struct value){i, 0});
        for (uint32_t j = 0; j < n->nins; j++) {
            struct value b = unit_base(u, n->ins[j]);
            uint32_t d = u->external[unit_slot(u, b)] || u->stored[unit_slot(u, b)] ? 0 : depth[n->ins[j].node];
            depth[i] = d + 1 > depth[i] ? d + 1 : depth[i];
        }
        if (depth[i] > MAX_DEPTH && !is_trivial(n) && !is_control(n)) {
            mark(u, (struct value){i, 0});
            depth[i] = 0;
        }
    }
    return true;
}

/* ---- 2: a kernel each ---- */

static bool first_kernels(struct unit *u)
{
    const struct func *f = unit_func(u);
    for (node_id i = 0; i < f->nnodes; i++) {
        struct value v = {i, 0};
        if (f->nodes[i].nouts != 1 || !u->stored[unit_slot(u, v)])
            continue;
        struct kernel *k = new_kernel(u);
        if (!k || !add_value(u->arena, &k->roots, &k->nroots, &k->cap_roots, v))
            return false;
        u->kernel_of[unit_slot(u, v)] = k->id;
        set_space(u, k, v);
        if (node_is_hero(func_node(f, i))) {
            if (!arena_grow(u->arena, &k->heroes, k->nheroes, &k->cap_heroes, sizeof *k->heroes))
                return false;
            k->heroes[k->nheroes++] = i;
        }
    }
    return true;
}

/* ---- dependencies between kernels ---- */

struct fusion {
    struct unit *u;
    uint8_t *seen;              /* by node, scratch of find_reads */
    uint32_t *mark, epoch;      /* by kernel, scratch of reaches */
    uint32_t *stack;
    bool *is_result;            /* by slot: a result, or read by control flow */
    struct diag *d;
};

/* Does `from` depend on `to` through at least one kernel other than the two? */
static bool between(struct fusion *x, uint32_t to, uint32_t from)
{
    const struct unit *u = x->u;
    uint32_t top = 0;
    x->epoch++;
    x->stack[top++] = from;
    x->mark[from] = x->epoch;
    while (top) {
        uint32_t k = x->stack[--top];
        for (uint32_t i = 0; i < u->kernels[k].nreads; i++) {
            uint32_t p = u->kernel_of[unit_slot(u, u->kernels[k].reads[i])];
            if (p == PLAN_NONE) {
                /* an output of control flow: what it read may lead to `to`; be careful and assume so */
                const struct node *n = func_node(unit_func(u), u->kernels[k].reads[i].node);
                if (!is_control(n))
                    continue;
                for (uint32_t j = 0; j < n->nins; j++) {
                    uint32_t q = u->kernel_of[unit_slot(u, unit_base(u, n->ins[j]))];
                    if (q == to)
                        return true;
                    if (q != PLAN_NONE && x->mark[q] != x->epoch) {
                        x->mark[q] = x->epoch;
                        x->stack[top++] = q;
                    } else if (q == PLAN_NONE && is_control(func_node(unit_func(u), unit_base(u, n->ins[j]).node)))
                        return true;
                }
                continue;
            }
            if (p == to && k != from)
                return true;
            if (p != to && x->mark[p] != x->epoch) {
                x->mark[p] = x->epoch;
                x->stack[top++] = p;
            }
        }
    }
    return false;
}

static bool reads_from(const struct unit *u, const struct kernel *k, uint32_t producer)
{
    for (uint32_t i = 0; i < k->nreads; i++)
        if (u->kernel_of[unit_slot(u, k->reads[i])] == producer)
            return true;
    return false;
}

static bool share_read(const struct unit *u, const struct kernel *a, const struct kernel *b)
{
    for (uint32_t i = 0; i < a->nreads; i++)
        for (uint32_t j = 0; j < b->nreads; j++)
            if (a->reads[i].node == b->reads[j].node && a->reads[i].out == b->reads[j].out && size_of(u, a->reads[i]) > 1)
                return true;
    return false;
}

/* ---- 3 and 5: merging ---- */

static bool per_element_ok(const struct unit *u, const struct kernel *rows)
{
    for (uint32_t i = 0; i < rows->nheroes; i++)
        if (op_class(func_node(unit_func(u), rows->heroes[i])->op) != CLASS_REDUCE && op_class(func_node(unit_func(u), rows->heroes[i])->op) != CLASS_ARGREDUCE)
            return false;
    return true;
}

/* The space that both can run over; false with a reason if there is none. */
static bool joint_space(const struct unit *u, const struct kernel *a, const struct kernel *b, struct kernel *out, const char **why)
{
    const struct kernel *rows = a->family != FAMILY_MAP ? a : b, *other = rows == a ? b : a;
    *why = "their iteration spaces differ";
    if (a->family == FAMILY_SOLVE || b->family == FAMILY_SOLVE)
        return false;
    if (a->family == FAMILY_MAP && b->family == FAMILY_MAP) {
        out->family = FAMILY_MAP;
        out->size = a->size > b->size ? a->size : b->size;
        return a->size == b->size || a->size == 1 || b->size == 1;
    }
    out->family = rows->family;
    out->outer = rows->outer;
    out->inner = rows->inner;
    out->batch = rows->batch;
    out->m = rows->m;
    out->n = rows->n;
    if (other->family != FAMILY_MAP)
        return a->family == FAMILY_ROWS && b->family == FAMILY_ROWS && a->outer == b->outer && a->inner == b->inner;
    if (other->size == rows->outer || other->size == 1)
        return true;
    if (other->size != rows->outer * rows->inner || !per_element_ok(u, rows))
        return false;
    *why = "too few rows to do per-element work in the row kernel";
    return rows->outer >= STARVED_ROWS || rows->inner <= LONG_ROW;
}

static bool join_lists(struct unit *u, const struct kernel *a, const struct kernel *b, struct kernel *out)
{
    for (int side = 0; side < 2; side++) {
        const struct kernel *k = side ? b : a;
        for (uint32_t i = 0; i < k->nroots; i++)
            if (!add_value(u->arena, &out->roots, &out->nroots, &out->cap_roots, k->roots[i]))
                return false;
        for (uint32_t i = 0; i < k->nheroes; i++) {
            if (!arena_grow(u->arena, &out->heroes, out->nheroes, &out->cap_heroes, sizeof *out->heroes))
                return false;
            uint32_t at = out->nheroes++;
            while (at > 0 && out->heroes[at - 1] > k->heroes[i]) {
                out->heroes[at] = out->heroes[at - 1];
                at--;
            }
            out->heroes[at] = k->heroes[i];
        }
    }
    return true;
}

static void assign(struct unit *u, const struct kernel *k, uint32_t id)
{
    for (uint32_t i = 0; i < k->nroots; i++)
        u->kernel_of[unit_slot(u, k->roots[i])] = id;
    for (uint32_t i = 0; i < k->nheroes; i++)
        u->kernel_of[unit_slot(u, (struct value){k->heroes[i], 0})] = id;
}

static bool needed_outside(const struct fusion *x, uint32_t kernel, struct value v)
{
    const struct unit *u = x->u;
    if (x->is_result[unit_slot(u, v)])
        return true;
    for (uint32_t k = 0; k < u->nkernels; k++)
        if (k != kernel && !u->kernels[k].dead)
            for (uint32_t i = 0; i < u->kernels[k].nreads; i++)
                if (u->kernels[k].reads[i].node == v.node && u->kernels[k].reads[i].out == v.out)
                    return true;
    return false;
}

/* Tries to put b into a. False also when they do not fit; d tells errors apart. */
static bool try_merge(struct fusion *x, uint32_t a, uint32_t b)
{
    struct unit *u = x->u;
    struct kernel joint = {.id = a, .same_as = PLAN_NONE};
    const char *why = NULL;
    if (!joint_space(u, &u->kernels[a], &u->kernels[b], &joint, &why))
        goto no;
    if (between(x, a, b) || between(x, b, a)) {
        why = "a kernel between them would have to run both before and after";
        goto no;
    }
    if (!join_lists(u, &u->kernels[a], &u->kernels[b], &joint))
        return FAIL(x->d, MEMORY, "out of memory");
    assign(u, &joint, a);
    if (!find_reads(u, &joint, x->seen)) /* needs_outside looks at the others' reads only */
        return FAIL(x->d, MEMORY, "out of memory");
    struct kernel old_a = u->kernels[a];
    u->kernels[a] = joint;
    u->kernels[b].dead = true;
    uint32_t kept = 0;
    struct value *all = arena_copy(u->arena, joint.roots, joint.nroots * sizeof *joint.roots);
    uint32_t nall = joint.nroots;
    if (!all)
        return FAIL(x->d, MEMORY, "out of memory");
    for (uint32_t i = 0; i < nall; i++) {
        bool needed = needed_outside(x, a, all[i]);
        u->stored[unit_slot(u, all[i])] = needed;
        if (needed)
            u->kernels[a].roots[kept++] = all[i];
        else if (!node_is_hero(func_node(unit_func(u), all[i].node)))
            u->kernel_of[unit_slot(u, all[i])] = PLAN_NONE;
    }
    u->kernels[a].nroots = kept;
    struct kernel trial = u->kernels[a];
    if (kernel_generate(u, &trial, &why, x->d)) {
        u->kernels[a] = trial;
        return find_reads(u, &u->kernels[a], x->seen);
    }
    if (x->d->code != DIAG_OK)
        return false;
    for (uint32_t i = 0; i < nall; i++)
        u->stored[unit_slot(u, all[i])] = true;
    u->kernels[a] = old_a;
    u->kernels[b].dead = false;
    assign(u, &u->kernels[a], a);
    assign(u, &u->kernels[b], b);
no:
    if (!u->kernels[a].why)
        u->kernels[a].why = arena_printf(u->arena, "apart from n%u: %s", func_node(unit_func(u), u->kernels[b].roots[0].node)->label, why);
    return false;
}

/* A scalar kernel rides along only if it is worth nothing to keep it apart: not into a huge kernel that
   it would delay by making it wait for its operands. */
static bool scalar_only(const struct kernel *k)
{
    return k->family == FAMILY_MAP && k->size == 1;
}

static bool merge_readers(struct fusion *x)
{
    struct unit *u = x->u;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < u->nkernels && !again; b++)
            for (uint32_t i = 0; i < u->kernels[b].nreads && !u->kernels[b].dead && !again; i++) {
                uint32_t a = u->kernel_of[unit_slot(u, u->kernels[b].reads[i])];
                if (a == PLAN_NONE || a == b || u->kernels[a].dead)
                    continue;
                if (scalar_only(&u->kernels[a]) != scalar_only(&u->kernels[b]) && u->kernels[a].family == u->kernels[b].family)
                    continue;
                if (try_merge(x, a, b))
                    again = true;
                else if (x->d->code != DIAG_OK)
                    return false;
            }
    }
    return true;
}

static bool merge_siblings(struct fusion *x)
{
    struct unit *u = x->u;
    for (uint32_t a = 0; a < u->nkernels; a++)
        for (uint32_t b = a + 1; b < u->nkernels && !u->kernels[a].dead; b++) {
            const struct kernel *ka = &u->kernels[a], *kb = &u->kernels[b];
            if (kb->dead || ka->family != kb->family || reads_from(u, ka, b) || reads_from(u, kb, a))
                continue;
            bool same = ka->family == FAMILY_MAP ? ka->size == kb->size : ka->outer == kb->outer && ka->inner == kb->inner;
            if (!same || !(share_read(u, ka, kb) || scalar_only(ka)))
                continue;
            if (!try_merge(x, a, b) && x->d->code != DIAG_OK)
                return false;
        }
    return true;
}

/* Scalars join some kernel that they neither wait for nor hold up. */
static bool merge_scalars(struct fusion *x)
{
    struct unit *u = x->u;
    for (uint32_t s = 0; s < u->nkernels; s++) {
        if (u->kernels[s].dead || !scalar_only(&u->kernels[s]))
            continue;
        for (uint32_t k = 0; k < u->nkernels; k++) {
            if (k == s || u->kernels[k].dead)
                continue;
            if (try_merge(x, k, s))
                break;
            if (x->d->code != DIAG_OK)
                return false;
        }
    }
    return true;
}

/* ---- 4: values that several kernels recompute ---- */

static bool store_shared(struct fusion *x)
{
    struct unit *u = x->u;
    const struct func *f = unit_func(u);
    uint32_t *users = ARENA_ARRAY(u->arena, uint32_t, f->nnodes), *first = ARENA_ARRAY(u->arena, uint32_t, f->nnodes);
    int64_t *cost = ARENA_ARRAY(u->arena, int64_t, f->nnodes);
    if (!users || !first || !cost)
        return FAIL(x->d, MEMORY, "out of memory");
    for (uint32_t k = 0; k < u->nkernels; k++) {
        if (u->kernels[k].dead || !find_reads(u, &u->kernels[k], x->seen))
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
        if (users[i] < 2 || cost[i] < DEAR_RECOMPUTE || size_of(u, v) < 32 || u->stored[unit_slot(u, v)])
            continue;
        for (uint32_t k = 0; k < u->nkernels; k++) {
            struct kernel *kk = &u->kernels[k];
            if (kk->dead || !find_reads(u, kk, x->seen) || !x->seen[i])
                continue;
            int64_t s = size_of(u, v);
            if (!(kk->family == FAMILY_MAP ? s == kk->size : s == kk->outer || (s == kk->outer * kk->inner && per_element_ok(u, kk))))
                continue;
            bool cycle = false; /* whoever else computes it would wait for k */
            for (uint32_t o = 0; o < u->nkernels && !cycle; o++) {
                if (o == k || u->kernels[o].dead)
                    continue;
                if (find_reads(u, &u->kernels[o], x->seen) && x->seen[i])
                    cycle = reads_from(u, kk, o) || between(x, o, k);
            }
            if (cycle)
                continue;
            struct kernel trial = *kk;
            trial.roots = arena_copy(u->arena, kk->roots, kk->nroots * sizeof *kk->roots);
            trial.cap_roots = kk->nroots;
            const char *why;
            if (!trial.roots || !add_value(u->arena, &trial.roots, &trial.nroots, &trial.cap_roots, v))
                return FAIL(x->d, MEMORY, "out of memory");
            u->stored[unit_slot(u, v)] = true;
            u->kernel_of[unit_slot(u, v)] = k;
            if (kernel_generate(u, &trial, &why, x->d)) {
                *kk = trial;
                u->why[unit_slot(u, v)] = "stored: several kernels need it and it is dear to compute";
                for (uint32_t o = 0; o < u->nkernels; o++)
                    if (!u->kernels[o].dead && !find_reads(u, &u->kernels[o], x->seen))
                        return FAIL(x->d, MEMORY, "out of memory");
                break;
            }
            if (x->d->code != DIAG_OK)
                return false;
            u->stored[unit_slot(u, v)] = false;
            u->kernel_of[unit_slot(u, v)] = PLAN_NONE;
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
    return n->nouts == 1 && !u->stored[unit_slot(u, (struct value){id, 0})] && (views ? gathers : !is_trivial(n));
}

/* Stores a value half way down the kernel's deepest chain, so that each half is smaller. */
static bool cut(struct fusion *x, uint32_t k, const char *why)
{
    struct unit *u = x->u;
    const struct func *f = unit_func(u);
    if (!find_reads(u, &u->kernels[k], x->seen))
        return FAIL(x->d, MEMORY, "out of memory");
    uint32_t members = 0, at = 0;
    node_id chosen = VKC_NO_NODE;
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
        diag_fail(x->d, DIAG_UNSUPPORTED, __FILE__, __LINE__, "n%u %s cannot be compiled for %s: %s", n->label, op_name(n->op), u->target->name, why);
        if (n->loc)
            strncpy(x->d->loc, n->loc, sizeof x->d->loc - 1);
        return false;
    }
    struct value v = {chosen, 0};
    u->stored[unit_slot(u, v)] = true;
    struct kernel *n = new_kernel(u);
    if (!n || !add_value(u->arena, &n->roots, &n->nroots, &n->cap_roots, v))
        return FAIL(x->d, MEMORY, "out of memory");
    u->kernel_of[unit_slot(u, v)] = n->id;
    set_space(u, n, v);
    for (uint32_t o = 0; o < u->nkernels; o++)
        if (!find_reads(u, &u->kernels[o], x->seen))
            return FAIL(x->d, MEMORY, "out of memory");
    return true;
}

static bool generate_all(struct fusion *x)
{
    struct unit *u = x->u;
    for (uint32_t k = 0; k < u->nkernels; k++) {
        const char *why = NULL;
        struct kernel trial = u->kernels[k];
        if (trial.dead)
            continue;
        if (kernel_generate(u, &trial, &why, x->d)) {
            u->kernels[k] = trial;
            continue;
        }
        if (x->d->code != DIAG_OK || u->nkernels > 100000 || !cut(x, k, why))
            return false;
        k = UINT32_MAX; /* the cut changed what others read: all again */
    }
    return true;
}

/* ---- the whole ---- */

static bool prepare(struct unit *u)
{
    const struct func *f = unit_func(u);
    u->first_slot = ARENA_ARRAY(u->arena, uint32_t, f->nnodes + 1);
    if (!u->first_slot)
        return false;
    for (node_id i = 0; i < f->nnodes; i++) {
        u->first_slot[i] = u->nslots;
        u->nslots += f->nodes[i].nouts;
    }
    u->stored = ARENA_ARRAY(u->arena, bool, u->nslots);
    u->external = ARENA_ARRAY(u->arena, bool, u->nslots);
    u->kernel_of = ARENA_ARRAY(u->arena, uint32_t, u->nslots);
    u->buffer = ARENA_ARRAY(u->arena, uint32_t, u->nslots);
    u->why = ARENA_ARRAY(u->arena, const char *, u->nslots);
    if (!u->stored || !u->external || !u->kernel_of || !u->buffer || !u->why)
        return false;
    memset(u->kernel_of, 0xff, u->nslots * sizeof *u->kernel_of);
    memset(u->buffer, 0xff, u->nslots * sizeof *u->buffer);
    for (node_id i = 0; i < f->nnodes; i++)
        for (uint32_t o = 0; o < f->nodes[i].nouts; o++)
            u->external[u->first_slot[i] + o] = f->nodes[i].op == OP_PARAMETER || f->nodes[i].op == OP_LITERAL || is_control(&f->nodes[i]);
    return true;
}

bool fuse(struct unit *u, struct diag *d)
{
    struct fusion x = {.u = u, .d = d};
    const struct func *f = unit_func(u);
    if (!prepare(u) || !mark_stored(u) || !first_kernels(u))
        return FAIL(d, MEMORY, "out of memory");
    uint32_t most = f->nnodes + u->nslots + 1;
    x.seen = ARENA_ARRAY(u->arena, uint8_t, f->nnodes + 1);
    x.mark = ARENA_ARRAY(u->arena, uint32_t, most);
    x.stack = ARENA_ARRAY(u->arena, uint32_t, most);
    x.is_result = ARENA_ARRAY(u->arena, bool, u->nslots + 1);
    if (!x.seen || !x.mark || !x.stack || !x.is_result)
        return FAIL(d, MEMORY, "out of memory");
    for (uint32_t i = 0; i < f->nresults; i++)
        x.is_result[unit_slot(u, unit_base(u, f->results[i]))] = true;
    for (node_id i = 0; i < f->nnodes; i++)
        for (uint32_t j = 0; j < f->nodes[i].nins && is_control(&f->nodes[i]); j++)
            x.is_result[unit_slot(u, unit_base(u, f->nodes[i].ins[j]))] = true;
    for (uint32_t k = 0; k < u->nkernels; k++)
        if (!find_reads(u, &u->kernels[k], x.seen))
            return FAIL(d, MEMORY, "out of memory");
    if (!generate_all(&x))
        return false;
    if (!u->no_fusion && (!merge_readers(&x) || !store_shared(&x) || !merge_siblings(&x) || !merge_readers(&x) || !merge_scalars(&x)))
        return false;
    return generate_all(&x);
}
