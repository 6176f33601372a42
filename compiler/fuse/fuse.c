/* Cuts a function into kernels.

   1. Decide which values must be stored: results, what control flow reads, every reduction and
      contraction (a hero), and operands of contractions that are too expensive to recompute for
      each use.
   2. Each of them starts as a kernel of its own, which recomputes everything between it and stored
      values.
      A small part of a large value that is read long after the value itself is stored, too, and so
      is what all threads of a large kernel would compute alike.
   3. A kernel is merged with a kernel that reads it if both run over the same space. The value then
      passes in a register, and is stored only if another kernel needs it. Whether two kernels fit
      together is not guessed: the code generator is asked, since only it knows at which index every
      value is read.
   4. Values that several kernels still recompute, at great cost or from much more than they are,
      are stored by the first of them: of such a value, the last one that all its uses go through.
      Small parts of what is stored now are looked for again.
   5. Kernels over the same space that share an operand become one; scalars are merged with others.

   Merging never makes a cycle: two kernels with a third between them stay apart. */
#include "codegen/family/family.h"
#include "fuse/fuse.h"

#include <string.h>

enum {
    MAX_DEPTH = 96, /* nodes from a stored value: bounds recursion and statement length */
};

/* ---- 1: what is stored ---- */

/* Whether a contraction may recompute the operand at every load: a chain of movement and a few
   cheap ops over one stored tensor (splat constants and scalars aside). */
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
            if (unit_size(u, w) > 1 && ++leaves > 1)
                return false;
            if (node_is_hero(n) && cost > 0)
                return false; /* better stored by the hero's own kernel, as its epilogue */
            continue;
        }
        switch (op_class(n->op)) {
        case CLASS_ELEMENTWISE: cost += vkc_ops[n->op].cost; break;
        case CLASS_MOVEMENT:
            if (n->op == OP_PAD || n->op == OP_CONCATENATE)
                return false;
            break;
        case CLASS_SOURCE: break;
        default: return false;
        }
        if (!cost_redoes(cost) || top + n->nins > 16)
            return false;
        for (uint32_t i = 0; i < n->nins; i++)
            stack[top++] = n->ins[i];
    }
    return true;
}

/* Whether it is arithmetic on the result of a contraction or the like, of the same size: it is
   better done in that kernel's epilogue than at the load. */
static bool is_epilogue(const struct unit *u, struct value v)
{
    const struct func *f = unit_func(u);
    struct value stack[16];
    uint32_t top = 0;
    int64_t size = unit_size(u, v);
    bool computes = false;
    stack[top++] = v;
    while (top) {
        struct value w = stack[--top];
        const struct node *n = func_node(f, w.node);
        if (u->external[unit_slot(u, w)] || u->stored[unit_slot(u, w)]) {
            if (node_is_hero(n) && computes && unit_size(u, w) == size)
                return true;
            continue;
        }
        computes |= op_class(n->op) == CLASS_ELEMENTWISE;
        for (uint32_t i = 0; i < n->nins && top < 16; i++)
            stack[top++] = n->ins[i];
    }
    return false;
}

static void mark(struct unit *u, struct value v)
{
    uint32_t slot = unit_slot(u, unit_base(u, v));
    if (!u->external[slot] && !u->in_tile[v.node])
        u->stored[slot] = true;
}

/* Storing a pure view costs a copy: if an operand is only moved, store what it moves. */
static struct value through_views(const struct unit *u, struct value v)
{
    const struct func *f = unit_func(u);
    for (;;) {
        const struct node *n = func_node(f, v.node);
        bool view = n->op == OP_RESHAPE || n->op == OP_TRANSPOSE || n->op == OP_BROADCAST ||
                    n->op == OP_SLICE || n->op == OP_REVERSE;
        if (!view || u->external[unit_slot(u, v)])
            return v;
        v = n->ins[0];
    }
}

/* As its class says, see ir/classes.def; every workgroup of a panel with rows below it reads the
   matrix on top. */
static enum class_reads reads_of(const struct unit *u, const struct node *n)
{
    if (op_class(n->op) == CLASS_PANEL) {
        const struct shape *s = &func_tensor(unit_func(u), n->ins[0])->shape;
        return s->dim[1] > s->dim[2] ? READS_AGAIN : READS_ONCE;
    }
    return op_reads(n->op);
}

static void mark_operands(struct unit *u, const struct node *n)
{
    enum class_reads reads = reads_of(u, n);
    for (uint32_t j = 0; j < n->nins; j++) {
        if (reads == READS_STORED)
            mark(u, n->ins[j]);
        if ((reads == READS_AGAIN && !cheap_operand(u, n->ins[j])) ||
            (reads == READS_ONCE && is_epilogue(u, n->ins[j])))
            mark(u, through_views(u, n->ins[j]));
    }
}

/* A panel of a factorization. */
static bool is_panel(const struct node *n)
{
    return op_class(n->op) == CLASS_PANEL || op_class(n->op) == CLASS_PIVOT ||
           op_class(n->op) == CLASS_REFLECT;
}

/* Panels of a size read what they read from a place of its own, copied or computed there: then
   their kernels differ in nothing, and are compiled once. Those of QR are the first columns of what
   is left, which is stored for most, and lie alike there. */
static bool mark_panels(struct unit *u)
{
    const struct func *f = unit_func(u);
    node_id *panels = ARENA_ARRAY(u->arena, node_id, f->nnodes + 1);
    uint32_t count = 0;
    if (!panels)
        return false;
    for (node_id i = 0; i < f->nnodes; i++)
        if (is_panel(func_node(f, i)))
            panels[count++] = i;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++) {
            const struct node *a = func_node(f, panels[i]), *b = func_node(f, panels[j]);
            if (i == j || a->op != b->op || !tensor_equal(&a->outs[0], &b->outs[0]) ||
                !tensor_equal(func_tensor(f, a->ins[0]), func_tensor(f, b->ins[0])))
                continue;
            bool is_first = op_class(a->op) == CLASS_REFLECT;
            for (uint32_t k = 0; k < a->nins; k++)
                mark(u, is_first ? through_views(u, a->ins[k]) : a->ins[k]);
            break;
        }
    return true;
}

/* What is put together of many tensors is code for each of them, which every kernel that computes
   it has again: it is stored where more than one would. */
static bool mark_pieced(struct unit *u)
{
    const struct func *f = unit_func(u);
    uint32_t *pieces = ARENA_ARRAY(u->arena, uint32_t, f->nnodes + 1),
             *readers = ARENA_ARRAY(u->arena, uint32_t, f->nnodes + 1);
    if (!pieces || !readers)
        return false;
    for (node_id i = 0; i < f->nnodes; i++)
        for (uint32_t j = 0; j < func_node(f, i)->nins; j++)
            readers[func_node(f, i)->ins[j].node]++;
    for (node_id i = 0; i < f->nnodes; i++) {
        const struct node *n = func_node(f, i);
        struct value v = {i, 0};
        uint32_t sum = 0;
        bool computes = op_class(n->op) == CLASS_ELEMENTWISE;
        if (!computes && op_class(n->op) != CLASS_MOVEMENT)
            continue;
        for (uint32_t j = 0; j < n->nins; j++) {
            bool is_stored =
                u->external[unit_slot(u, n->ins[j])] || u->stored[unit_slot(u, n->ins[j])];
            uint32_t of = is_stored ? 0 : pieces[n->ins[j].node];
            sum += n->op == OP_CONCATENATE && of == 0 ? 1 : of;
        }
        pieces[i] = sum;
        if (sum >= u->tuning->pieces_again && readers[i] > 1 &&
            (computes || n->op == OP_CONCATENATE))
            mark(u, v);
    }
    return true;
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
        if (fuse_is_control(n))
            for (uint32_t j = 0; j < n->nins; j++)
                mark(u, n->ins[j]);
        if (n->op == OP_SEARCH) /* a loop of loads, for many elements of whoever reads it */
            mark(u, (struct value){i, 0});
        mark_operands(u, n);
        if (u->no_fusion && !fuse_is_trivial(n) && !fuse_is_control(n))
            mark(u, (struct value){i, 0});
        for (uint32_t j = 0; j < n->nins; j++) {
            struct value b = unit_base(u, n->ins[j]);
            uint32_t d = u->external[unit_slot(u, b)] || u->stored[unit_slot(u, b)]
                             ? 0
                             : depth[n->ins[j].node];
            depth[i] = d + 1 > depth[i] ? d + 1 : depth[i];
        }
        if (depth[i] > MAX_DEPTH && !fuse_is_trivial(n) && !fuse_is_control(n)) {
            mark(u, (struct value){i, 0});
            depth[i] = 0;
        }
    }
    return u->workgroup || ((!u->tuning->panels_alike || mark_panels(u)) && mark_pieced(u));
}

/* ---- 2: a kernel each ---- */

static bool first_kernels(struct unit *u)
{
    const struct func *f = unit_func(u);
    for (node_id i = 0; i < f->nnodes; i++) {
        struct value v = {i, 0};
        if (f->nodes[i].nouts != 1 || !u->stored[unit_slot(u, v)])
            continue;
        struct kernel *k = fuse_new_kernel(u);
        if (!k || !unit_add_value(u->arena, &k->roots, &k->nroots, &k->cap_roots, v))
            return false;
        u->kernel_of[unit_slot(u, v)] = k->id;
        family_start(u, k, v);
        if (node_is_hero(func_node(f, i))) {
            if (!arena_grow(u->arena, &k->heroes, k->nheroes, &k->cap_heroes, sizeof *k->heroes))
                return false;
            k->heroes[k->nheroes++] = i;
        }
    }
    return true;
}

/* ---- the whole ---- */

/* Elements of scores are there only while their tile is. */
static void mark_in_tile(struct unit *u, node_id id)
{
    const struct node *n = func_node(unit_func(u), id);
    bool computes = op_class(n->op) == CLASS_ELEMENTWISE || n->op == OP_RESHAPE;
    u->in_tile[id] = n->op == OP_SCORES;
    for (uint32_t i = 0; computes && i < n->nins; i++)
        u->in_tile[id] |= u->in_tile[n->ins[i].node];
}

static bool prepare(struct unit *u)
{
    const struct func *f = unit_func(u);
    u->first_slot = ARENA_ARRAY(u->arena, uint32_t, f->nnodes + 1);
    u->in_tile = ARENA_ARRAY(u->arena, bool, f->nnodes + 1);
    if (!u->first_slot || !u->in_tile)
        return false;
    for (node_id i = 0; i < f->nnodes; i++) {
        u->first_slot[i] = u->nslots;
        u->nslots += f->nodes[i].nouts;
        mark_in_tile(u, i);
    }
    u->stored = ARENA_ARRAY(u->arena, bool, u->nslots);
    u->external = ARENA_ARRAY(u->arena, bool, u->nslots);
    u->kernel_of = ARENA_ARRAY(u->arena, uint32_t, u->nslots);
    u->buffer = ARENA_ARRAY(u->arena, uint32_t, u->nslots);
    u->why = ARENA_ARRAY(u->arena, const char *, u->nslots);
    u->patience = 1;
    u->seen = ARENA_ARRAY(u->arena, uint32_t, f->nnodes + 1);
    u->loaded = ARENA_ARRAY(u->arena, uint32_t, u->nslots + 1);
    u->walk = ARENA_ARRAY(u->arena, node_id, f->nnodes + 1);
    u->written = ARENA_ARRAY(u->arena, struct written, u->nslots);
    if (!u->seen || !u->loaded || !u->walk || !u->written || !u->stored || !u->external ||
        !u->kernel_of || !u->buffer || !u->why)
        return false;
    memset(u->kernel_of, 0xff, u->nslots * sizeof *u->kernel_of);
    memset(u->buffer, 0xff, u->nslots * sizeof *u->buffer);
    for (node_id i = 0; i < f->nnodes; i++)
        for (uint32_t o = 0; o < f->nodes[i].nouts; o++)
            u->external[u->first_slot[i] + o] = f->nodes[i].op == OP_PARAMETER ||
                                                f->nodes[i].op == OP_LITERAL ||
                                                fuse_is_control(&f->nodes[i]);
    return true;
}

static bool init(struct fusion *x)
{
    struct unit *u = x->u;
    const struct func *f = unit_func(u);
    uint32_t most = f->nnodes + u->nslots + 1;
    x->readers = ARENA_ARRAY(u->arena, struct reader *, u->nslots + 1);
    x->nreaders = ARENA_ARRAY(u->arena, uint32_t, u->nslots + 1);
    x->was_read = ARENA_ARRAY(u->arena, uint32_t, u->nslots + 1);
    x->list = ARENA_ARRAY(u->arena, uint32_t, most);
    x->version = ARENA_ARRAY(u->arena, uint32_t, most);
    x->estimates = ARENA_ARRAY(u->arena, struct estimate, most);
    x->fits = ARENA_ARRAY(u->arena, bool, most);
    x->is_short = ARENA_ARRAY(u->arena, bool, f->nnodes + 1);
    x->is_repeated = ARENA_ARRAY(u->arena, bool, u->nslots + 1);
    x->is_result = ARENA_ARRAY(u->arena, bool, u->nslots + 1);
    for (x->nrefused = 4096; x->nrefused < 4 * u->nkernels;)
        x->nrefused *= 2;
    x->refused = ARENA_ARRAY(u->arena, struct refusal, x->nrefused);
    if (!fuse_order_init(x, most) || !x->readers || !x->nreaders || !x->was_read || !x->list ||
        !x->version || !x->estimates || !x->fits || !x->is_short || !x->is_repeated ||
        !x->is_result || !x->refused)
        return FAIL(x->d, MEMORY, "out of memory");
    for (uint32_t i = 0; i < f->nresults; i++)
        x->is_result[unit_slot(u, unit_base(u, f->results[i]))] = true;
    for (node_id i = 0; i < f->nnodes; i++)
        for (uint32_t j = 0; j < f->nodes[i].nins && fuse_is_control(&f->nodes[i]); j++)
            x->is_result[unit_slot(u, unit_base(u, f->nodes[i].ins[j]))] = true;
    for (uint32_t k = 0; k < u->nkernels; k++)
        if (!fuse_reads(x, &u->kernels[k]))
            return false;
    return true;
}

/* A value in a tile is never stored, so neither a result nor an input of control flow may be one.
   Kernels that read one elsewhere are refused when their code is written. */
static bool check_in_tile(const struct unit *u, struct diag *d)
{
    const struct func *f = unit_func(u);
    const struct node *found = NULL;
    for (uint32_t i = 0; i < f->nresults; i++)
        if (u->in_tile[f->results[i].node])
            found = func_node(f, f->results[i].node);
    for (node_id i = 0; i < f->nnodes && !found; i++)
        for (uint32_t j = 0; j < f->nodes[i].nins && fuse_is_control(&f->nodes[i]); j++)
            if (u->in_tile[f->nodes[i].ins[j].node])
                found = func_node(f, f->nodes[i].ins[j].node);
    return !found || FAIL(d, UNSUPPORTED, "n%u %s is computed from scores, which only attend reads",
                          found->label, op_name(found->op));
}

bool fuse(struct unit *u, struct diag *d)
{
    struct fusion x = {.u = u, .d = d};
    if (!prepare(u) || !mark_stored(u) || !first_kernels(u))
        return FAIL(d, MEMORY, "out of memory");
    if (!check_in_tile(u, d) || !init(&x) || !fuse_cut_misfits(&x))
        return false;
    if (!u->no_fusion &&
        (!fuse_store_parts(&x) || !fuse_store_once(&x) || !fuse_merge_readers(&x) ||
         !fuse_store_shared(&x) || !fuse_store_parts(&x) || !fuse_merge_siblings(&x) ||
         !fuse_merge_readers(&x) || !fuse_merge_scalars(&x)))
        return false;
    return fuse_generate(&x);
}
