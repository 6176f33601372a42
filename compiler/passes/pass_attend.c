/* Does      makes one node of softmax(f(q k^T)) v, f being element-wise: `attend`, whose kernel
             makes the scores tile by tile and never stores them, so that attention takes memory
             for its operands and results alone
   Requires  canon, algebra, views: one form of softmax
   Keeps     each step's rounding, but for the sums of weights, and the division by them, which
             comes behind the product
   Cost      linear */
#include "passes/build.h"
#include "passes/pass.h"
#include "runtime/bundle.h"
#include "target/attend.h"
#include "target/limits.h"

enum { MOST_STEPS = 24 }; /* of f */

/* q k^T with f around it, and v. */
struct attention {
    struct value x; /* f(q k^T), of which the softmax is */
    struct value product;
    struct node dot; /* which makes it, as it was found */
    uint32_t nbatch; /* leading axes of x that are batch axes; the last one is n */
    int64_t batch, m, n, d, width;
    uint32_t steps; /* of f that may still be made: f is a graph, and this walks its paths */
};

static const struct node *def_if(const struct build *b, struct value v, enum op op)
{
    const struct node *n = build_def(b, v);
    return n->op == op ? n : NULL;
}

/* Whether a broadcast repeats its operand along the last axis, and along no other one: axes of 1
   may come and go. */
static bool repeats_last(const struct build *b, const struct node *spread)
{
    uint32_t nkept, at = 0;
    const int64_t *kept = attr_list(spread, ATTR_axes, &nkept);
    const struct shape *from = &build_tensor(b, spread->ins[0])->shape,
                       *to = &spread->outs[0].shape;
    for (uint32_t i = 0; i + 1 < to->rank; i++) {
        if (to->dim[i] == 1)
            continue;
        while (at < nkept && from->dim[at] == 1)
            at++;
        if (at == nkept || kept[at] != i)
            return false;
        at++;
    }
    while (at < nkept && from->dim[at] == 1)
        at++;
    return at == nkept;
}

/* The x that `v` is, for each place along the last axis: broadcast(op(x)). */
static bool is_of_rows(const struct build *b, struct value v, enum op op, struct value *out_x)
{
    const struct node *spread = def_if(b, v, OP_BROADCAST);
    if (!spread || !repeats_last(b, spread))
        return false;
    const struct node *reduce = build_def(b, spread->ins[0]);
    if (reduce->op == OP_RESHAPE)
        reduce = build_def(b, reduce->ins[0]);
    uint32_t naxes, rank = build_tensor(b, v)->shape.rank;
    if (reduce->op != op)
        return false;
    const int64_t *axes = attr_list(reduce, ATTR_axes, &naxes);
    const struct shape *of = &build_tensor(b, reduce->ins[0])->shape;
    *out_x = reduce->ins[0];
    return naxes == 1 && axes[0] + 1 == rank && of->rank == rank &&
           shape_size(&build_tensor(b, spread->ins[0])->shape) ==
               shape_size(&spread->outs[0].shape) / of->dim[rank - 1];
}

/* softmax(x) along the last axis. */
static bool is_softmax(const struct build *b, struct value v, struct value *out_x)
{
    const struct node *quotient = def_if(b, v, OP_DIVIDE);
    const struct node *power = quotient ? def_if(b, quotient->ins[0], OP_EXP) : NULL;
    const struct node *apart = power ? def_if(b, power->ins[0], OP_SUBTRACT) : NULL;
    struct value of_sum, of_most;
    if (!apart || !is_of_rows(b, quotient->ins[1], OP_SUM, &of_sum) ||
        !is_of_rows(b, apart->ins[1], OP_REDUCE_MAX, &of_most))
        return false;
    *out_x = apart->ins[0];
    return value_equal(of_sum, quotient->ins[0]) && value_equal(of_most, apart->ins[0]);
}

static bool are_first(const int64_t *axes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (axes[i] != i)
            return false;
    return true;
}

/* Whether a product gives [batch, m, n]: as many batch axes, and one free axis on the right. */
static bool gives_scores(const struct build *b, const struct node *n, const struct attention *a)
{
    uint32_t nbatch, nb, nc;
    attr_list(n, ATTR_batch_a, &nbatch);
    attr_list(n, ATTR_batch_b, &nb);
    attr_list(n, ATTR_contract_b, &nc);
    const struct shape *right = &build_tensor(b, n->ins[1])->shape;
    return nbatch == a->nbatch && nb + nc + 1 == right->rank && type_is_float(n->outs[0].type) &&
           type_bytes(n->outs[0].type) <= 4;
}

/* The product that x is made of, element by element; `budget` bounds the search. */
static bool find_product(const struct build *b, struct value x, uint32_t *budget,
                         struct attention *a)
{
    const struct node *n = build_def(b, x);
    if (!(*budget)--)
        return *budget = 0, false;
    if (n->op == OP_DOT && gives_scores(b, n, a)) {
        a->product = x;
        a->dot = *n;
        return true;
    }
    for (uint32_t i = 0; op_class(n->op) == CLASS_ELEMENTWISE && i < n->nins && *budget; i++)
        if (find_product(b, n->ins[i], budget, a))
            return true;
    return false;
}

/* The operand as three axes: its batch axes, then `first` and `second`, of as many axes each. */
static struct value operand(struct build *b, struct value x, const int64_t *batch, uint32_t nbatch,
                            const int64_t *first, uint32_t nfirst, const int64_t *second,
                            uint32_t nsecond, const struct shape *to)
{
    int64_t axes[VKC_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < nbatch; i++)
        axes[n++] = batch[i];
    for (uint32_t i = 0; i < nfirst; i++)
        axes[n++] = first[i];
    for (uint32_t i = 0; i < nsecond; i++)
        axes[n++] = second[i];
    return build_reshape(b, build_transpose(b, x, axes), to);
}

/* The axes that a side of the dot has for itself. */
static uint32_t free_axes(const struct node *n, bool second, uint32_t rank, int64_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rank; i++)
        if (!attr_list_has(n, second ? ATTR_contract_b : ATTR_contract_a, i) &&
            !attr_list_has(n, second ? ATTR_batch_b : ATTR_batch_a, i))
            out[count++] = i;
    return count;
}

static struct value scores(struct build *b, const struct attention *a)
{
    const struct node *n = &a->dot;
    struct value side[2];
    int64_t own[VKC_MAX_RANK];
    for (uint32_t s = 0; s < 2; s++) {
        uint32_t nb, nc, rank = build_tensor(b, n->ins[s])->shape.rank,
                         nown = free_axes(n, s, rank, own);
        const int64_t *batch = attr_list(n, s ? ATTR_batch_b : ATTR_batch_a, &nb),
                      *contract = attr_list(n, s ? ATTR_contract_b : ATTR_contract_a, &nc);
        struct shape to = shape_of(3, (int64_t[3]){a->batch, s ? a->n : a->m, a->d});
        side[s] = operand(b, n->ins[s], batch, nb, own, nown, contract, nc, &to);
    }
    if (!build_ok(b, side[0]) || !build_ok(b, side[1]))
        return BUILD_NONE;
    struct tensor out = {n->outs[0].type, shape_of(3, (int64_t[3]){a->batch, a->m, a->n})};
    struct node made = {.op = OP_SCORES, .nins = 2, .nouts = 1, .ins = side, .outs = &out};
    return build_node(b, &made);
}

/* Whether x is the product or computed from it. */
static bool is_of_product(const struct build *b, struct value x, const struct attention *a,
                          uint32_t *budget)
{
    const struct node *n = build_def(b, x);
    if (value_equal(x, a->product))
        return true;
    if (op_class(n->op) != CLASS_ELEMENTWISE || !(*budget)--)
        return false;
    for (uint32_t i = 0; i < n->nins && *budget; i++)
        if (is_of_product(b, n->ins[i], a, budget))
            return true;
    return false;
}

/* A value of another shape, and as many elements. */
static struct value spread(struct build *b, struct value x, const struct shape *to)
{
    uint64_t bits[2];
    struct tensor t = {build_tensor(b, x)->type, *to};
    return build_splat_bits(b, x, bits) ? build_splat(b, &t, bits) : build_reshape(b, x, to);
}

/* f, again, of [batch, m, n]. */
static struct value remade(struct build *b, struct value x, struct attention *a, struct value made)
{
    uint32_t budget = MOST_STEPS;
    const struct shape to = shape_of(3, (int64_t[3]){a->batch, a->m, a->n});
    if (!build_ok(b, made) || !build_ok(b, x))
        return BUILD_NONE;
    if (value_equal(x, a->product))
        return made;
    if (!is_of_product(b, x, a, &budget))
        return spread(b, x, &to);
    if (!a->steps--)
        return a->steps = 0, BUILD_NONE;
    struct node n = *build_def(b, x);
    struct value ins[3];
    struct tensor out = {n.outs[0].type, to};
    for (uint32_t i = 0; i < n.nins; i++)
        ins[i] = remade(b, n.ins[i], a, made);
    for (uint32_t i = 0; i < n.nins; i++)
        if (!build_ok(b, ins[i]))
            return BUILD_NONE;
    n.ins = ins;
    n.outs = &out;
    return build_node(b, &n);
}

/* Whether the target can hold the scores at all. */
static bool may_be_stored(const struct vkc_target *t, int64_t elements, uint64_t bytes)
{
    return elements <= LIMITS_ELEMENTS &&
           (bytes <= vkb_part_bytes(t->max_binding_bytes) || t->features & VKB_FEATURE_ADDRESSES);
}

/* Whether a kernel of tiles takes less time, or the scores would take too much memory. */
static bool pays(const struct build *b, const struct attention *a, const struct node *n)
{
    const struct pass_options *o = b->r->options;
    const struct tuning *t = o->tuning;
    enum vkc_type type = n->outs[0].type;
    int64_t size = a->batch * a->m * a->n, bytes = size * type_bytes(build_tensor(b, a->x)->type);
    const struct attend_work work = {type, a->batch, a->m, a->d, a->width};
    struct attend_way way;
    if (a->m < t->attend_least || a->n < t->attend_least || a->d > t->attend_width ||
        a->width > t->attend_width || !attend_plain_fits(o->target, a->width))
        return false;
    bool has_units = type_bytes(type) == 2 && a->dot.outs[0].type == type &&
                     attend_way_of(o->target, t, &work, &way);
    return (has_units && size >= t->attend_scores) || bytes >= t->attend_bytes ||
           !may_be_stored(o->target, size, (uint64_t)bytes);
}

static bool rewrite(struct build *b, const struct node *n, const struct value *ins,
                    struct value *outs)
{
    struct attention a = {.batch = 1, .m = 1, .d = 1, .width = 1, .steps = MOST_STEPS};
    uint32_t nc, nb, budget = MOST_STEPS;
    if (n->op != OP_DOT || !build_ok(b, ins[0]) || b->uses[n->ins[0].node] != 1)
        return false;
    const struct node *weights = build_def(b, ins[0]);
    struct value w = weights->op == OP_AS_TYPE ? weights->ins[0] : ins[0];
    const int64_t *contract = attr_list(n, ATTR_contract_a, &nc),
                  *batch = attr_list(n, ATTR_batch_a, &nb);
    const struct shape x = build_tensor(b, ins[0])->shape, right = build_tensor(b, ins[1])->shape;
    a.nbatch = nb;
    if (nc != 1 || contract[0] + 1 != x.rank || !are_first(batch, nb) ||
        !type_is_float(n->outs[0].type) || type_bytes(n->outs[0].type) > 4 ||
        !is_softmax(b, w, &a.x) || !find_product(b, a.x, &budget, &a))
        return false;
    for (uint32_t i = 0; i + 1 < x.rank; i++)
        *(i < nb ? &a.batch : &a.m) *= x.dim[i];
    a.n = x.dim[x.rank - 1];
    attr_list(&a.dot, ATTR_contract_a, &nc);
    a.d = shape_size(&build_tensor(b, a.dot.ins[0])->shape) / a.batch / a.m;
    a.width = shape_size(&right) / a.batch / a.n;
    if (!pays(b, &a, n))
        return false;
    struct build_mark mark = build_mark(b);
    int64_t own[VKC_MAX_RANK];
    uint32_t nright, nown = free_axes(n, true, right.rank, own);
    const int64_t *of_right = attr_list(n, ATTR_batch_b, &nright),
                  *along = attr_list(n, ATTR_contract_b, &nc);
    struct shape to = shape_of(3, (int64_t[3]){a.batch, a.n, a.width});
    struct value operands[2] = {remade(b, a.x, &a, scores(b, &a)),
                                operand(b, ins[1], of_right, nright, along, 1, own, nown, &to)};
    if (!build_ok(b, operands[0]) || !build_ok(b, operands[1])) {
        build_undo(b, mark);
        return false;
    }
    struct tensor out = {n->outs[0].type, shape_of(3, (int64_t[3]){a.batch, a.m, a.width})};
    struct node made = {.op = OP_ATTEND, .nins = 2, .nouts = 1, .ins = operands, .outs = &out};
    outs[0] = build_reshape(b, build_node(b, &made), &n->outs[0].shape);
    return build_ok(b, outs[0]);
}

bool pass_attend(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d)
{
    struct rebuild r = {.g = g, .options = o, .d = d, .fn = rewrite};
    bool may_pay = o->tuning->attend_scores < INT64_MAX || o->tuning->attend_bytes < INT64_MAX;
    return o->no_fusion || !may_pay || rebuild_run(&r, out_changed);
}
