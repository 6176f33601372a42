/* Who computes and who reads what: the kernels of a function as a graph of their own. */
#include "base/cancel.h"
#include "codegen/family/contraction.h"
#include "codegen/family/generate.h"
#include "codegen/family/lines.h"
#include "codegen/family/row_elements.h"
#include "codegen/family/schedule.h"
#include "fuse/fuse.h"

#include <string.h>

bool fuse_is_control(const struct node *n)
{
    return op_class(n->op) == CLASS_CONTROL || op_class(n->op) == CLASS_EFFECT;
}

bool fuse_is_trivial(const struct node *n)
{
    return op_class(n->op) == CLASS_SOURCE || op_class(n->op) == CLASS_MOVEMENT;
}

/* ---- kernels and what they read ---- */

struct kernel *fuse_new_kernel(struct unit *u)
{
    if (!arena_grow(u->arena, &u->kernels, u->nkernels, &u->cap_kernels, sizeof *u->kernels))
        return NULL;
    struct kernel *k = &u->kernels[u->nkernels];
    *k = (struct kernel){.id = u->nkernels, .same_as = NO_INDEX};
    u->nkernels++;
    return k;
}

bool fuse_add_value(struct arena *a, struct value **list, uint32_t *n, uint32_t *cap, struct value v)
{
    for (uint32_t i = 0; i < *n; i++)
        if ((*list)[i].node == v.node && (*list)[i].out == v.out)
            return true;
    if (!arena_grow(a, list, *n, cap, sizeof **list))
        return false;
    (*list)[(*n)++] = v;
    return true;
}

void fuse_set_space(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    if (!node_is_hero(n)) {
        k->family = FAMILY_MAP;
        k->size = unit_size(u, v);
        return;
    }
    k->family = FAMILY_ROWS;
    k->outer = unit_size(u, v);
    if (n->op == OP_TRIANGULAR_SOLVE) {
        k->family = FAMILY_SOLVE;
        k->inner = func_tensor(unit_func(u), n->ins[0])->shape.dim[unit_tensor(u, n->ins[0])->shape.rank - 1];
        k->outer /= k->inner;
        return;
    }
    if (op_class(n->op) == CLASS_ORDER || op_class(n->op) == CLASS_SCAN) {
        struct lines l = lines_of(unit_func(u), n);
        k->family = FAMILY_LINES;
        k->outer = l.rows;
        k->inner = l.length;
        return;
    }
    if (n->op == OP_FOURIER) {
        k->family = FAMILY_FOURIER;
        k->inner = n->outs[0].shape.dim[attr_int(n, ATTR_axis, 0)];
        return;
    }
    k->inner = hero_inner(unit_func(u), n);
    if (op_class(n->op) != CLASS_CONTRACT)
        return;
    struct contraction c;
    contraction_of(unit_func(u), n, &c);
    k->batch = shape_size(&c.batch.shape);
    k->m = shape_size(&c.free[0].shape);
    k->n = shape_size(&c.free[1].shape);
    if (!u->workgroup && schedule_wants_tiles(u->target, k->batch, k->m, k->n, k->inner))
        k->family = FAMILY_CONTRACT;
}

static bool is_load(const struct unit *u, const struct kernel *k, struct value v)
{
    uint32_t slot = unit_slot(u, v);
    return u->external[slot] || (u->stored[slot] && u->kernel_of[slot] != k->id);
}

bool fuse_reads(struct fusion *x, struct kernel *k)
{
    struct unit *u = x->u;
    const struct func *f = unit_func(u);
    uint32_t top = 0;
    memset(x->seen, 0, f->nnodes);
    k->nreads = 0;
    for (uint32_t i = 0; i < k->nroots + k->nheroes; i++) {
        struct value v = i < k->nroots ? k->roots[i] : (struct value){k->heroes[i - k->nroots], 0};
        if (!x->seen[v.node]) {
            x->seen[v.node] = 1;
            x->walk[top++] = v;
        }
    }
    while (top) {
        const struct node *n = func_node(f, x->walk[--top].node);
        for (uint32_t i = 0; i < n->nins; i++) {
            struct value v = n->ins[i];
            if (is_load(u, k, v)) {
                if (!fuse_add_value(u->arena, &k->reads, &k->nreads, &k->cap_reads, unit_base(u, v)))
                    return FAIL(x->d, MEMORY, "out of memory");
            } else if (!x->seen[v.node]) {
                x->seen[v.node] = 1;
                x->walk[top++] = v;
            }
        }
    }
    return true;
}

/* ---- dependencies between kernels ---- */

/* Whether a control node may have to wait for kernel `to`; other kernels that it reads from go on the stack.
   An effect waits for all effects before it. */
static bool control_leads_to(struct fusion *x, node_id id, uint32_t to, uint32_t *top)
{
    const struct unit *u = x->u;
    const struct func *f = unit_func(u);
    bool effect = node_has_effect(u->graph, func_node(f, id));
    for (node_id c = effect ? 0 : id; c <= id; c++) {
        const struct node *n = func_node(f, c);
        if (c != id && !(fuse_is_control(n) && node_has_effect(u->graph, n)))
            continue;
        for (uint32_t j = 0; j < n->nins; j++) {
            uint32_t q = u->kernel_of[unit_slot(u, unit_base(u, n->ins[j]))];
            if (q == to)
                return true;
            if (q != NO_INDEX && x->mark[q] != x->epoch) {
                x->mark[q] = x->epoch;
                x->stack[(*top)++] = q;
            } else if (q == NO_INDEX && fuse_is_control(func_node(f, unit_base(u, n->ins[j]).node)))
                return true;
        }
    }
    return false;
}

bool fuse_between(struct fusion *x, uint32_t to, uint32_t from)
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
            if (p == NO_INDEX) {
                /* an output of control flow: what it read may lead to `to`; be careful and assume so */
                if (fuse_is_control(func_node(unit_func(u), u->kernels[k].reads[i].node)) && control_leads_to(x, u->kernels[k].reads[i].node, to, &top))
                    return true;
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

bool fuse_reads_from(const struct unit *u, const struct kernel *k, uint32_t producer)
{
    for (uint32_t i = 0; i < k->nreads; i++)
        if (u->kernel_of[unit_slot(u, k->reads[i])] == producer)
            return true;
    return false;
}

/* ---- asking the code generator ---- */

/* More nodes than this make no kernel, however they fit: a shader of thousands of statements takes a
   driver seconds and spills registers. */
enum { MOST_NODES = 1500 };

bool fuse_fits(struct fusion *x, const struct kernel *k, const char **why)
{
    uint64_t flops;
    return fuse_measure(x, k, why, &flops);
}

bool fuse_measure(struct fusion *x, const struct kernel *k, const char **why, uint64_t *out_flops)
{
    struct unit *u = x->u;
    struct arena scratch, *kept = u->arena;
    struct kernel trial = *k;
    uint32_t nodes = 0;
    if (!cancel_check(u->arena->cancel, x->d) || !fuse_reads(x, &trial))
        return false;
    for (node_id i = 0; i < unit_func(u)->nnodes; i++)
        nodes += x->seen[i];
    if (nodes > MOST_NODES) {
        *why = "together they have too many nodes";
        return false;
    }
    arena_scratch(&scratch, kept);
    u->arena = &scratch;
    bool ok = kernel_generate(u, &trial, why, x->d);
    u->arena = kept;
    *out_flops = trial.flops;
    if (!ok && *why)
        *why = arena_strdup(kept, *why);
    arena_finish(&scratch);
    return ok;
}
