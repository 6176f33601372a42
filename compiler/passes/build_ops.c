/* Builder helpers: each infers the shape and type of what it makes, and returns its operand
   where the node would do nothing. */
#include <string.h>

#include "passes/build.h"

static struct value make(struct build *b, enum op op, const struct value *ins, uint32_t nins,
                         const struct tensor *out, struct attr *attrs, uint32_t nattrs)
{
    struct tensor t = *out;
    struct node n = {.op = op,
                     .nins = nins,
                     .nouts = 1,
                     .nattrs = nattrs,
                     .ins = (struct value *)(uintptr_t)ins,
                     .outs = &t,
                     .attrs = attrs};
    return build_node(b, &n);
}

static struct attr list_attr(enum attr_key key, const int64_t *list, uint32_t count)
{
    return (struct attr){.key = key, .kind = 'I', .count = count, .list = list};
}

static enum vkc_type real_of(enum vkc_type type)
{
    return type == TYPE_C64 ? TYPE_F32 : type == TYPE_C128 ? TYPE_F64 : type;
}

struct value build_op(struct build *b, enum op op, const struct value *ins, uint32_t nins)
{
    for (uint32_t i = 0; i < nins; i++)
        if (!build_ok(b, ins[i]))
            return BUILD_NONE;
    struct tensor t = *build_tensor(b, ins[op == OP_SELECT ? 1 : 0]);
    switch (vkc_ops[op].rule) {
    case RULE_COMPARE:
    case RULE_LOGICAL:
    case RULE_TEST: t.type = TYPE_U8; break;
    case RULE_ABS:
    case RULE_PART: t.type = real_of(t.type); break;
    default: break;
    }
    return make(b, op, ins, nins, &t, NULL, 0);
}

struct value build_unary(struct build *b, enum op op, struct value x)
{
    return build_op(b, op, &x, 1);
}

struct value build_binary(struct build *b, enum op op, struct value x, struct value y)
{
    struct value ins[2] = {x, y};
    return build_op(b, op, ins, 2);
}

struct value build_select(struct build *b, struct value p, struct value x, struct value y)
{
    struct value ins[3] = {p, x, y};
    return build_op(b, OP_SELECT, ins, 3);
}

struct value build_convert(struct build *b, struct value x, enum vkc_type type)
{
    if (!build_ok(b, x) || build_tensor(b, x)->type == type)
        return x;
    struct tensor t = *build_tensor(b, x);
    t.type = type;
    return make(b, OP_AS_TYPE, &x, 1, &t, NULL, 0);
}

struct value build_bitcast(struct build *b, struct value x, enum vkc_type type)
{
    if (!build_ok(b, x) || build_tensor(b, x)->type == type)
        return x;
    struct tensor t = {.type = type, .shape = build_tensor(b, x)->shape};
    return make(b, OP_BITCAST, &x, 1, &t, NULL, 0);
}

struct value build_splat_like(struct build *b, struct value x, uint64_t bits)
{
    return build_ok(b, x) ? build_splat(b, build_tensor(b, x), (uint64_t[2]){bits, 0}) : x;
}

struct value build_iota(struct build *b, const struct tensor *t, int64_t axis)
{
    struct attr a;
    attr_set_int(&a, ATTR_axis, axis);
    return make(b, OP_IOTA, NULL, 0, t, &a, 1);
}

struct value build_reshape(struct build *b, struct value x, const struct shape *to)
{
    if (!build_ok(b, x))
        return x;
    while (build_def(b, x)->op == OP_RESHAPE && !shape_equal(&build_tensor(b, x)->shape, to))
        x = build_def(b, x)->ins[0];
    if (shape_equal(&build_tensor(b, x)->shape, to))
        return x;
    struct tensor t = {.type = build_tensor(b, x)->type, .shape = *to};
    return make(b, OP_RESHAPE, &x, 1, &t, NULL, 0);
}

struct value build_broadcast(struct build *b, struct value x, const struct shape *to,
                             const int64_t *axes)
{
    if (!build_ok(b, x))
        return x;
    uint32_t rank = build_tensor(b, x)->shape.rank;
    const struct node *n = build_def(b, x);
    int64_t merged[VKC_MAX_RANK];
    if (n->op == OP_BROADCAST) {
        uint32_t count;
        const int64_t *inner = attr_list(n, ATTR_axes, &count);
        for (uint32_t i = 0; i < count; i++)
            merged[i] = axes[inner[i]];
        x = n->ins[0];
        rank = count;
        axes = merged;
    }
    /* Axes of size 1 say nothing; without them equal operands look equal. */
    const struct shape from = build_tensor(b, x)->shape;
    struct shape squeezed = {0};
    int64_t kept[VKC_MAX_RANK], last = -1;
    bool ordered = true;
    for (uint32_t i = 0; i < rank; i++) {
        if (from.dim[i] == 1)
            continue;
        ordered &= axes[i] > last;
        last = kept[squeezed.rank] = axes[i];
        squeezed.dim[squeezed.rank++] = from.dim[i];
    }
    if (ordered && shape_size(&from) == shape_size(to))
        return build_reshape(b, x, to);
    if (squeezed.rank < rank)
        return build_broadcast(b, build_reshape(b, x, &squeezed), to, kept);
    struct tensor t = {.type = build_tensor(b, x)->type, .shape = *to};
    struct attr a = list_attr(ATTR_axes, axes, rank);
    return make(b, OP_BROADCAST, &x, 1, &t, &a, 1);
}

struct value build_transpose(struct build *b, struct value x, const int64_t *axes)
{
    if (!build_ok(b, x))
        return x;
    const struct node *n = build_def(b, x);
    struct tensor t = *build_tensor(b, x);
    int64_t merged[VKC_MAX_RANK];
    if (n->op == OP_TRANSPOSE) {
        uint32_t count;
        const int64_t *inner = attr_list(n, ATTR_axes, &count);
        for (uint32_t i = 0; i < count; i++)
            merged[i] = inner[axes[i]];
        x = n->ins[0];
        axes = merged;
    }
    const struct shape *from = &build_tensor(b, x)->shape;
    bool identity = true;
    for (uint32_t i = 0; i < t.shape.rank; i++) {
        t.shape.dim[i] = from->dim[axes[i]];
        identity &= axes[i] == i;
    }
    if (identity)
        return x;
    /* Only axes of size 1 move: nothing does. */
    int64_t last = -1;
    bool ordered = true;
    for (uint32_t i = 0; i < t.shape.rank; i++) {
        if (t.shape.dim[i] == 1)
            continue;
        ordered &= axes[i] > last;
        last = axes[i];
    }
    if (ordered)
        return build_reshape(b, x, &t.shape);
    struct attr a = list_attr(ATTR_axes, axes, t.shape.rank);
    return make(b, OP_TRANSPOSE, &x, 1, &t, &a, 1);
}

struct value build_reverse(struct build *b, struct value x, const int64_t *axes, uint32_t naxes)
{
    if (!build_ok(b, x))
        return x;
    struct tensor t = *build_tensor(b, x);
    const struct node *n = build_def(b, x);
    bool on[VKC_MAX_RANK] = {false};
    if (n->op == OP_REVERSE) {
        uint32_t count;
        const int64_t *inner = attr_list(n, ATTR_axes, &count);
        for (uint32_t i = 0; i < count; i++)
            on[inner[i]] ^= true;
        x = n->ins[0];
    }
    for (uint32_t i = 0; i < naxes; i++)
        on[axes[i]] ^= true;
    int64_t kept[VKC_MAX_RANK];
    uint32_t nkept = 0;
    for (uint32_t i = 0; i < t.shape.rank; i++)
        if (on[i] && t.shape.dim[i] > 1)
            kept[nkept++] = i;
    if (nkept == 0)
        return x;
    struct attr a = list_attr(ATTR_axes, kept, nkept);
    return make(b, OP_REVERSE, &x, 1, &t, &a, 1);
}

struct value build_slice(struct build *b, struct value x, const int64_t *starts,
                         const int64_t *lengths, const int64_t *strides)
{
    if (!build_ok(b, x))
        return x;
    struct tensor t = *build_tensor(b, x);
    const struct node *n = build_def(b, x);
    int64_t s[VKC_MAX_RANK], l[VKC_MAX_RANK], d[VKC_MAX_RANK];
    uint32_t rank = t.shape.rank, count;
    bool merge = n->op == OP_SLICE, identity = true;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t size = (lengths[i] + strides[i] - 1) / strides[i];
        s[i] = starts[i];
        d[i] = size == 1 ? 1 : strides[i];
        if (merge) {
            s[i] = attr_list(n, ATTR_starts, &count)[i] +
                   starts[i] * attr_list(n, ATTR_strides, &count)[i];
            d[i] = size == 1 ? 1 : d[i] * attr_list(n, ATTR_strides, &count)[i];
        }
        l[i] = (size - 1) * d[i] + 1; /* as far as the last element that is read */
        t.shape.dim[i] = size;
    }
    if (merge)
        x = n->ins[0];
    const struct shape *from = &build_tensor(b, x)->shape;
    for (uint32_t i = 0; i < rank; i++)
        identity &= t.shape.dim[i] == from->dim[i];
    if (identity)
        return x;
    struct attr a[3] = {list_attr(ATTR_starts, s, rank), list_attr(ATTR_lengths, l, rank),
                        list_attr(ATTR_strides, d, rank)};
    return make(b, OP_SLICE, &x, 1, &t, a, 3);
}

struct value build_pad(struct build *b, struct value x, struct value with, const int64_t *lo,
                       const int64_t *hi, const int64_t *interior)
{
    if (!build_ok(b, x) || !build_ok(b, with))
        return BUILD_NONE;
    struct tensor t = *build_tensor(b, x);
    uint32_t rank = t.shape.rank;
    int64_t inner[VKC_MAX_RANK];
    bool identity = true;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t from = t.shape.dim[i];
        inner[i] = from == 1 ? 0 : interior[i];
        t.shape.dim[i] = from + (from - 1) * inner[i] + lo[i] + hi[i];
        identity &= lo[i] == 0 && hi[i] == 0 && inner[i] == 0;
    }
    if (identity)
        return x;
    struct value ins[2] = {x, with};
    struct attr a[3] = {list_attr(ATTR_lo, lo, rank), list_attr(ATTR_hi, hi, rank),
                        list_attr(ATTR_interior, inner, rank)};
    return make(b, OP_PAD, ins, 2, &t, a, 3);
}

struct value build_concatenate(struct build *b, const struct value *xs, uint32_t count,
                               int64_t axis)
{
    if (count == 1)
        return xs[0];
    for (uint32_t i = 0; i < count; i++)
        if (!build_ok(b, xs[i]))
            return BUILD_NONE;
    struct tensor t = *build_tensor(b, xs[0]);
    for (uint32_t i = 1; i < count; i++)
        t.shape.dim[axis] += build_tensor(b, xs[i])->shape.dim[axis];
    struct attr a;
    attr_set_int(&a, ATTR_axis, axis);
    return make(b, OP_CONCATENATE, xs, count, &t, &a, 1);
}

struct value build_gather(struct build *b, struct value x, struct value index)
{
    if (!build_ok(b, x) || !build_ok(b, index))
        return BUILD_NONE;
    int64_t axis = 0;
    struct tensor out = {.type = build_tensor(b, x)->type, .shape = build_tensor(b, index)->shape};
    struct shape from = build_tensor(b, x)->shape, places = out.shape;
    places.dim[places.rank++] = 1;
    for (uint32_t i = 1; i < from.rank; i++)
        out.shape.dim[out.shape.rank++] = from.dim[i];
    struct value ins[2] = {x, build_reshape(b, index, &places)};
    struct attr a = list_attr(ATTR_axes, &axis, 1);
    return make(b, OP_GATHER, ins, 2, &out, &a, 1);
}

static struct shape without_axes(const struct shape *s, const int64_t *axes, uint32_t naxes)
{
    struct shape out = {0};
    for (uint32_t i = 0; i < s->rank; i++) {
        bool gone = false;
        for (uint32_t j = 0; j < naxes; j++)
            gone |= axes[j] == i;
        if (!gone)
            out.dim[out.rank++] = s->dim[i];
    }
    return out;
}

struct value build_reduce(struct build *b, enum op op, struct value x, const int64_t *axes,
                          uint32_t naxes)
{
    if (!build_ok(b, x))
        return x;
    struct tensor t = *build_tensor(b, x);
    t.shape = without_axes(&t.shape, axes, naxes);
    if (op_has(op, OP_TRUTH))
        t.type = TYPE_U8;
    struct attr a[2] = {list_attr(ATTR_axes, axes, naxes)};
    attr_set_bool(&a[1], ATTR_keep, false);
    return make(b, op, &x, 1, &t, a, 2);
}

struct value build_argreduce(struct build *b, enum op op, struct value x, int64_t axis,
                             const char *tie_break, enum vkc_type type)
{
    if (!build_ok(b, x))
        return x;
    struct tensor t = {.type = type, .shape = without_axes(&build_tensor(b, x)->shape, &axis, 1)};
    struct attr a[3];
    attr_set_int(&a[0], ATTR_axis, axis);
    a[1] = (struct attr){.key = ATTR_tie_break, .kind = 's', .text = tie_break};
    attr_set_bool(&a[2], ATTR_keep, false);
    return make(b, op, &x, 1, &t, a, 3);
}
