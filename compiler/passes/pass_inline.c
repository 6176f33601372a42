/* Does      replaces `block` by its expansion or by what has kernels (lower_scan.c,
             lower_linalg.c), `cond` of known predicate by the branch, `cond` of cheap branches by
             select, `while` of few known rounds by those rounds; nested ones too
   Requires  nothing
   Keeps     order of effects; loops and branches that exceed the limits below
   Cost      linear in what it makes, which the limits bound */
#include <string.h>

#include "passes/lower.h"
#include "passes/pass.h"

/* Unrolling lets rounds fuse with their surroundings and makes loop counters constants (the 20
   rounds of threefry become one kernel); it costs compile time, and code size. */
static const struct {
    uint32_t trips; /* rounds of one loop */
    /* made by one loop, nested ones counted: the time of a pass over them is below 5 ms */
    uint32_t nodes;
    /* made by one loop: nodes that are kernels of their own, where unrolling saves nothing */
    uint32_t heavy;
    /* made by one loop, in additions: drivers inline long functions, and take minutes over a
       hundred tangents of f64 in a row */
    int64_t calls;
    uint64_t pass_nodes; /* made by all loops that were tried */
    /* of the graph: every round copies the regions in it, at most `nodes` of them */
    uint32_t funcs;
    uint32_t cond_nodes; /* of all branches of a cond that becomes selects */
    int64_t cond_work;   /* additions in them: below the cost of a launch */
    /* a movement op of at least so many elements counts as a kernel: in fused rounds of a stencil,
       each round recomputes the neighbours of the round before */
    int64_t moved;
} limits = {128, 4096, 8, 1024, 1u << 18, VKC_MAX_FUNCS / 2, 64, 1 << 16, 8192};

struct inliner {
    uint64_t tried; /* nodes made by loops so far, kept or not */
};

static bool is_heavy(enum op op)
{
    switch (op_class(op)) {
    case CLASS_ELEMENTWISE:
    case CLASS_SOURCE:
    case CLASS_MOVEMENT:
    case CLASS_INDEXED: return false;
    default: return true;
    }
}

static bool moves_much(const struct node *n)
{
    bool moves = n->op == OP_PAD || n->op == OP_CONCATENATE || n->op == OP_STACK ||
                 n->op == OP_SLICE || n->op == OP_REVERSE || n->op == OP_TRANSPOSE ||
                 op_class(n->op) == CLASS_INDEXED;
    return moves && shape_size(&n->outs[0].shape) > limits.moved;
}

static uint32_t count_heavy(const struct build *b, uint32_t first)
{
    uint32_t n = 0;
    for (node_id i = first; i < b->out.nnodes; i++)
        n += is_heavy(b->out.nodes[i].op) || moves_much(&b->out.nodes[i]);
    return n;
}

/* Of functions that are long when they are inlined, the more so for wide types. */
static int64_t count_calls(const struct build *b, uint32_t first)
{
    int64_t n = 0;
    for (node_id i = first; i < b->out.nnodes; i++) {
        int64_t cost = vkc_ops[b->out.nodes[i].op].cost;
        enum vkc_type t = b->out.nodes[i].outs[0].type;
        n += cost < 16 ? 0 : cost * (t == TYPE_C128 ? 8 : t == TYPE_F64 || t == TYPE_C64 ? 4 : 1);
    }
    return n;
}

static bool makes_loop(const struct build *b, uint32_t first)
{
    for (node_id i = first; i < b->out.nnodes; i++)
        if (b->out.nodes[i].op == OP_WHILE)
            return true;
    return false;
}

/* A constant scalar: whether it is not zero. */
static bool is_known(const struct build *b, struct value v, bool *out_true)
{
    uint64_t bits[2];
    if (!build_splat_bits(b, v, bits))
        return false;
    enum vkc_type type = build_tensor(b, v)->type;
    if (type_is_float(type))
        bits[0] &= ~((uint64_t)1 << (vkc_types[type].bits - 1)); /* -0 is zero */
    *out_true = bits[0] != 0 || bits[1] != 0;
    return !type_is_complex(type);
}

/* ---- while ---- */

/* Rounds until the condition is false. False when a limit is passed or the condition is not
   constant. */
static bool unroll(struct build *b, const struct node *n, struct value *carry)
{
    struct value *next = ARENA_ARRAY(&b->r->scratch, struct value, n->nouts), go;
    node_id first = b->out.nnodes;
    if (!next)
        return build_fail_memory(b);
    for (uint32_t trip = 0; trip <= limits.trips; trip++) {
        bool on;
        if (!build_inline(b, n->regions[0], carry, &go) || !is_known(b, go, &on))
            return false;
        if (!on)
            return true;
        if (trip == limits.trips || !build_inline(b, n->regions[1], carry, next))
            return false;
        memcpy(carry, next, n->nouts * sizeof *next);
        if (count_heavy(b, first) > limits.heavy || count_calls(b, first) > limits.calls ||
            (trip > 0 && makes_loop(b, first)))
            return false;
    }
    return false;
}

static bool try_while(struct build *b, const struct node *n, const struct value *ins,
                      struct value *outs)
{
    struct inliner *in = b->r->context;
    struct rebuild *r = b->r;
    if (in->tried > limits.pass_nodes || b->g->nfuncs > limits.funcs || node_has_effect(b->g, n))
        return false;
    struct build_mark mark = build_mark(b);
    uint64_t before = r->growth, outer = r->growth_limit;
    r->growth_limit = before + limits.nodes;
    if (outer && outer < r->growth_limit)
        r->growth_limit = outer;
    memcpy(outs, ins, n->nouts * sizeof *outs);
    bool done = unroll(b, n, outs);
    r->growth_limit = outer;
    in->tried += r->growth - before;
    if (done || b->failed)
        return true;
    r->growth = before;
    build_undo(b, mark);
    return false;
}

/* ---- cond ---- */

/* Cheap and total: computing what is not wanted costs less than a branch. */
static bool is_cheap(const struct build *b, node_id first)
{
    int64_t work = 0;
    if (b->out.nnodes - first > limits.cond_nodes)
        return false;
    for (node_id i = first; i < b->out.nnodes; i++) {
        const struct node *n = &b->out.nodes[i];
        if (is_heavy(n->op) && op_class(n->op) != CLASS_REDUCE)
            return false;
        int64_t size = shape_size(&n->outs[0].shape);
        for (uint32_t j = 0; op_class(n->op) == CLASS_REDUCE && j < n->nins; j++)
            size = shape_size(&build_tensor(b, n->ins[j])->shape);
        if (size > limits.cond_work)
            return false;
        work += size * vkc_ops[n->op].cost;
    }
    return work <= limits.cond_work;
}

static struct value select_all(struct build *b, struct value p, struct value x, struct value y)
{
    if (!build_ok(b, x) || value_equal(x, y))
        return x;
    const struct shape to = build_tensor(b, x)->shape;
    return build_select(b, build_broadcast(b, p, &to, NULL), x, y);
}

/* Clauses with known predicates are taken or dropped. When one is taken, or all that is left is
   cheap, the node goes; otherwise nothing is kept of the attempt. */
static bool branches(struct build *b, const struct node *n, const struct value *ins,
                     struct value *outs)
{
    uint32_t clauses = n->nregions / 2, nopen = 0;
    struct arena *scratch = &b->r->scratch;
    struct value *predicates = ARENA_ARRAY(scratch, struct value, clauses);
    struct value **values = ARENA_ARRAY(scratch, struct value *, (size_t)clauses + 1);
    if (!predicates || !values)
        return build_fail_memory(b);
    node_id first = b->out.nnodes;
    bool cheap = true, on = false;
    for (uint32_t i = 0; i <= clauses; i++) {
        struct value p = BUILD_NONE;
        if (i < clauses && !build_inline(b, n->regions[2 * i], ins, &p))
            return false;
        if (i < clauses && is_known(b, p, &on) && !on)
            continue;
        bool last = i == clauses || (is_known(b, p, &on) && on);
        if (nopen > 0 && (!cheap || !is_cheap(b, first)))
            return false;
        values[nopen] = ARENA_ARRAY(scratch, struct value, n->nouts);
        if (!values[nopen])
            return build_fail_memory(b);
        uint32_t region = i == clauses ? n->regions[n->nregions - 1] : n->regions[2 * i + 1];
        if (!(last && nopen == 0)) /* the branch may not run: no effects */
            cheap = cheap && !func_has_effect(b->g, region);
        if (!cheap || !build_inline(b, region, ins, values[nopen]))
            return false;
        if (last)
            break;
        predicates[nopen++] = p;
    }
    if (nopen > 0 && !is_cheap(b, first))
        return false;
    for (uint32_t o = 0; o < n->nouts; o++) {
        outs[o] = values[nopen][o];
        for (uint32_t i = nopen; i-- > 0;)
            outs[o] = select_all(b, predicates[i], values[i][o], outs[o]);
    }
    return !b->failed;
}

static bool try_cond(struct build *b, const struct node *n, const struct value *ins,
                     struct value *outs)
{
    struct inliner *in = b->r->context;
    if (in->tried > limits.pass_nodes)
        return false;
    struct build_mark mark = build_mark(b);
    uint64_t before = b->r->growth;
    if (branches(b, n, ins, outs) || b->failed)
        return true;
    in->tried += b->r->growth - before;
    b->r->growth = before;
    build_undo(b, mark);
    return false;
}

static bool rewrite(struct build *b, const struct node *n, const struct value *ins,
                    struct value *outs)
{
    switch (n->op) {
    case OP_BLOCK:
        return lower_scan(b, n, ins, outs) || lower_linalg(b, n, ins, outs) ||
               build_inline(b, n->regions[0], ins, outs) || b->failed;
    case OP_WHILE: return try_while(b, n, ins, outs);
    case OP_COND: return try_cond(b, n, ins, outs);
    default: return false;
    }
}

bool pass_inline(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d)
{
    struct inliner in = {0};
    struct rebuild r = {.g = g, .options = o, .d = d, .fn = rewrite, .context = &in, .fold = true};
    return rebuild_run(&r, out_changed);
}
