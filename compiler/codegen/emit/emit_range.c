/* What is known of the numbers that an element may be, from how this kernel computes it: functions
   leave out what such arguments do not need. Nothing is asked of what is loaded, since kernels that
   load alike may be one (identity.h). NaN is always possible. */
#include "base/num.h"
#include "codegen/emit/emit.h"

enum { DEPTH = 6 }; /* of nodes that are looked at */

static bool is_constant(const struct emit *e, struct value v, double *out)
{
    const struct node *n = func_node(e->func, v.node);
    const struct attr *bits = n->op == OP_CONSTANT ? node_attr(n, ATTR_bits) : NULL;
    if (bits)
        *out = num_float_decode(n->outs[0].type, bits->bits[0]);
    return bits != NULL;
}

static bool is_same(struct value a, struct value b)
{
    return a.node == b.node && a.out == b.out;
}

/* Whether v is, for each element of x, the greatest of some of x, that element among them. */
static bool is_greatest_of(const struct emit *e, struct value v, struct value x)
{
    const struct node *to = func_node(e->func, v.node);
    if (to->op != OP_BROADCAST || emit_is_load(e, v) || emit_is_load(e, to->ins[0]))
        return false;
    const struct node *n = func_node(e->func, to->ins[0].node);
    if (n->op != OP_REDUCE_MAX || !is_same(n->ins[0], x) || attr_int(n, ATTR_keep, 0))
        return false;
    const struct attr *over = node_attr(n, ATTR_axes), *axes = node_attr(to, ATTR_axes);
    uint32_t rank = func_tensor(e->func, x)->shape.rank, left = 0;
    for (uint32_t i = 0; i < rank; i++) {
        bool reduced = false;
        for (uint32_t j = 0; j < over->count; j++)
            reduced |= over->list[j] == i;
        if (!reduced && (left >= axes->count || axes->list[left++] != i))
            return false;
    }
    return left == axes->count;
}

static bool is_nonpositive(const struct emit *e, struct value v, uint32_t depth);

static bool is_nonnegative(const struct emit *e, struct value v, uint32_t depth)
{
    const struct node *n = func_node(e->func, v.node);
    double c;
    if (is_constant(e, v, &c))
        return c >= 0;
    if (depth == 0 || emit_is_load(e, v))
        return false;
    switch (n->op) {
    case OP_ABS:
    case OP_EXP: return true;
    case OP_NEGATE: return is_nonpositive(e, n->ins[0], depth - 1);
    case OP_MULTIPLY:
        if (is_same(n->ins[0], n->ins[1]))
            return true; /* fall through */
    case OP_ADD:
    case OP_DIVIDE:
        return is_nonnegative(e, n->ins[0], depth - 1) && is_nonnegative(e, n->ins[1], depth - 1);
    default: return false;
    }
}

static bool is_nonpositive(const struct emit *e, struct value v, uint32_t depth)
{
    const struct node *n = func_node(e->func, v.node);
    double c;
    if (is_constant(e, v, &c))
        return c <= 0;
    if (depth == 0 || emit_is_load(e, v))
        return false;
    switch (n->op) {
    case OP_SUBTRACT:
        return is_greatest_of(e, n->ins[1], n->ins[0]) ||
               (is_nonpositive(e, n->ins[0], depth - 1) && is_nonnegative(e, n->ins[1], depth - 1));
    case OP_NEGATE: return is_nonnegative(e, n->ins[0], depth - 1);
    case OP_ADD:
        return is_nonpositive(e, n->ins[0], depth - 1) && is_nonpositive(e, n->ins[1], depth - 1);
    case OP_MULTIPLY:
        return (is_nonpositive(e, n->ins[0], depth - 1) &&
                is_nonnegative(e, n->ins[1], depth - 1)) ||
               (is_nonnegative(e, n->ins[0], depth - 1) && is_nonpositive(e, n->ins[1], depth - 1));
    case OP_DIVIDE:
        return is_nonpositive(e, n->ins[0], depth - 1) && is_nonnegative(e, n->ins[1], depth - 1);
    default: return false;
    }
}

bool emit_is_nonpositive(const struct emit *e, struct value v)
{
    return is_nonpositive(e, v, DEPTH);
}

bool emit_is_unit(const struct emit *e, struct value v)
{
    const struct node *n = func_node(e->func, v.node);
    return n->op == OP_EXP && !emit_is_load(e, v) && emit_is_nonpositive(e, n->ins[0]);
}
