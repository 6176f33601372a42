/* Does      composes movement so that chains are short, and moves it behind element-wise work: an
             op on values that were all broadcast from something smaller is done on the small ones;
             an op on values that were all reshaped or transposed alike is done before that
   Requires  canon, which merges movement of one kind
   Keeps     bits; a sum over a broadcast axis becomes a product, which is nearer to the true value
   Cost      linear */
#include <string.h>

#include "passes/build.h"
#include "passes/pass.h"

static bool is_splat(const struct build *b, struct value v)
{
    return build_def(b, v)->op == OP_CONSTANT;
}

static struct value splat_as(struct build *b, struct value v, const struct shape *to)
{
    uint64_t bits[2];
    struct tensor t = {.type = build_tensor(b, v)->type, .shape = *to};
    build_splat_bits(b, v, bits);
    return build_splat(b, &t, bits);
}

/* ---- element-wise ops ---- */

/* The axes that some operand really varies along. False when an operand is neither splat nor
   broadcast. */
static bool live_axes(const struct build *b, const struct value *ins, uint32_t nins, bool *live)
{
    bool any = false;
    for (uint32_t i = 0; i < nins; i++) {
        const struct node *n = build_def(b, ins[i]);
        uint32_t count;
        const int64_t *axes = attr_list(n, ATTR_axes, &count);
        if (is_splat(b, ins[i]))
            continue;
        if (n->op != OP_BROADCAST)
            return false;
        any = true;
        for (uint32_t j = 0; j < count; j++)
            live[axes[j]] |= build_tensor(b, n->ins[0])->shape.dim[j] > 1;
    }
    return any;
}

/* op(broadcast x, broadcast y, splat) is broadcast op(x, y, splat), on the axes that x or y
   have. */
static bool after_broadcast(struct build *b, const struct node *n, const struct value *ins,
                            struct value *outs)
{
    const struct shape to = n->outs[0].shape;
    bool live[VKC_MAX_RANK] = {false};
    if (!live_axes(b, ins, n->nins, live))
        return false;
    struct shape small = {0};
    int64_t small_axes[VKC_MAX_RANK], small_of[VKC_MAX_RANK];
    for (uint32_t i = 0; i < to.rank; i++) {
        if (!live[i])
            continue;
        small_of[i] = small.rank;
        small_axes[small.rank] = i;
        small.dim[small.rank++] = to.dim[i];
    }
    if (shape_size(&small) == shape_size(&to))
        return false;
    struct value operands[3];
    for (uint32_t i = 0; i < n->nins; i++) {
        if (is_splat(b, ins[i])) {
            operands[i] = splat_as(b, ins[i], &small);
            continue;
        }
        const struct node *in = build_def(b, ins[i]);
        struct value x = in->ins[0];
        uint32_t count;
        const int64_t *axes = attr_list(in, ATTR_axes, &count);
        const struct shape from = build_tensor(b, x)->shape;
        struct shape squeezed = {0};
        int64_t onto[VKC_MAX_RANK];
        for (uint32_t j = 0; j < count; j++) {
            if (from.dim[j] == 1)
                continue;
            onto[squeezed.rank] = small_of[axes[j]];
            squeezed.dim[squeezed.rank++] = from.dim[j];
        }
        operands[i] = build_broadcast(b, build_reshape(b, x, &squeezed), &small, onto);
        if (!build_ok(b, operands[i]))
            return true;
    }
    struct node op = *n;
    struct tensor out = {.type = n->outs[0].type, .shape = small};
    op.ins = operands;
    op.outs = &out;
    outs[0] = build_broadcast(b, build_node(b, &op), &to, small_axes);
    return true;
}

/* Operands that are all the same movement of values of one shape, or splats. */
static bool same_movement(const struct build *b, const struct value *ins, uint32_t nins,
                          struct value *out_first, uint32_t *out_count)
{
    const struct node *first = NULL;
    *out_count = 0;
    for (uint32_t i = 0; i < nins; i++) {
        const struct node *n = build_def(b, ins[i]);
        if (is_splat(b, ins[i]))
            continue;
        if (n->op != OP_RESHAPE && n->op != OP_TRANSPOSE)
            return false;
        if (!first) {
            first = n;
            *out_first = ins[i];
        }
        uint32_t count, others;
        const int64_t *axes = attr_list(first, ATTR_axes, &count),
                      *other = attr_list(n, ATTR_axes, &others);
        if (n->op != first->op ||
            !shape_equal(&build_tensor(b, n->ins[0])->shape,
                         &build_tensor(b, first->ins[0])->shape) ||
            count != others || (count && memcmp(axes, other, count * sizeof *axes) != 0))
            return false;
        ++*out_count;
    }
    return first != NULL;
}

/* op(reshape x, reshape y) is reshape op(x, y): the reshape goes on to meet the next movement. A
   transpose goes on only where two or more become one. */
static bool after_movement(struct build *b, const struct node *n, const struct value *ins,
                           struct value *outs)
{
    struct value first = BUILD_NONE, operands[3];
    uint32_t count;
    if (!same_movement(b, ins, n->nins, &first, &count))
        return false;
    const struct node *movement = build_def(b, first);
    enum op kind = movement->op;
    uint32_t naxes;
    const int64_t *axes = attr_list(movement, ATTR_axes, &naxes);
    const struct shape from = build_tensor(b, movement->ins[0])->shape;
    if (count == 1 && kind != OP_RESHAPE)
        return false;
    for (uint32_t i = 0; i < n->nins; i++)
        operands[i] =
            is_splat(b, ins[i]) ? splat_as(b, ins[i], &from) : build_def(b, ins[i])->ins[0];
    struct node op = *n;
    struct tensor out = {.type = n->outs[0].type, .shape = from};
    op.ins = operands;
    op.outs = &out;
    struct value x = build_node(b, &op);
    outs[0] =
        kind == OP_RESHAPE ? build_reshape(b, x, &n->outs[0].shape) : build_transpose(b, x, axes);
    return true;
}

/* ---- movement of broadcasts ---- */

/* The axes of `to` that take those of `from`, but for axes of size 1, when only such come and go.
   False otherwise. */
static bool match_axes(const struct shape *from, const struct shape *to, int64_t *out_map)
{
    uint32_t j = 0;
    for (uint32_t i = 0; i < from->rank; i++) {
        if (from->dim[i] == 1)
            continue;
        while (j < to->rank && to->dim[j] == 1)
            j++;
        if (j == to->rank || to->dim[j] != from->dim[i])
            return false;
        out_map[i] = j++;
    }
    return true;
}

/* Reshaping a broadcast is another broadcast, where the reshape only adds and drops axes of size
   1. */
static bool reshape_of_broadcast(struct build *b, const struct node *n, const struct value *ins,
                                 struct value *outs)
{
    const struct node *in = build_def(b, ins[0]);
    struct value x = in->ins[0];
    uint32_t count;
    const int64_t *axes = attr_list(in, ATTR_axes, &count);
    int64_t map[VKC_MAX_RANK] = {0}, onto[VKC_MAX_RANK];
    if (shape_size(&build_tensor(b, x)->shape) > 1 &&
        !match_axes(&in->outs[0].shape, &n->outs[0].shape, map))
        return false;
    struct shape squeezed = {0};
    const struct shape from = build_tensor(b, x)->shape;
    for (uint32_t i = 0; i < count; i++) {
        if (from.dim[i] == 1)
            continue;
        onto[squeezed.rank] = map[axes[i]];
        squeezed.dim[squeezed.rank++] = from.dim[i];
    }
    outs[0] = build_broadcast(b, build_reshape(b, x, &squeezed), &n->outs[0].shape, onto);
    return true;
}

/* Transposing a broadcast is a broadcast of the transposed operand. */
static bool transpose_of_broadcast(struct build *b, const struct node *n, const struct value *ins,
                                   struct value *outs)
{
    const struct node *in = build_def(b, ins[0]);
    struct value x = in->ins[0];
    uint32_t count, rank, at = 0;
    const int64_t *axes = attr_list(in, ATTR_axes, &count), *order = attr_list(n, ATTR_axes, &rank);
    int64_t onto[VKC_MAX_RANK], inner[VKC_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        for (uint32_t j = 0; j < count; j++) {
            if (axes[j] != order[i])
                continue;
            inner[at] = j;
            onto[at++] = i;
        }
    }
    outs[0] = build_broadcast(b, build_transpose(b, x, inner), &n->outs[0].shape, onto);
    return true;
}

/* A slice of a broadcast is a broadcast of a slice. */
static bool slice_of_broadcast(struct build *b, const struct node *n, const struct value *ins,
                               struct value *outs)
{
    const struct node *in = build_def(b, ins[0]);
    struct value x = in->ins[0];
    const struct shape from = build_tensor(b, x)->shape;
    uint32_t count, rank;
    const int64_t *axes = attr_list(in, ATTR_axes, &count),
                  *starts = attr_list(n, ATTR_starts, &rank);
    const int64_t *lengths = attr_list(n, ATTR_lengths, &rank),
                  *strides = attr_list(n, ATTR_strides, &rank);
    int64_t s[VKC_MAX_RANK], l[VKC_MAX_RANK], d[VKC_MAX_RANK];
    for (uint32_t i = 0; i < count; i++) {
        bool repeats = from.dim[i] == 1;
        s[i] = repeats ? 0 : starts[axes[i]];
        l[i] = repeats ? 1 : lengths[axes[i]];
        d[i] = repeats ? 1 : strides[axes[i]];
    }
    outs[0] = build_broadcast(b, build_slice(b, x, s, l, d), &n->outs[0].shape, axes);
    return true;
}

/* ---- reductions of broadcasts ---- */

/* What a broadcast repeats, without its axes of size 1, broadcast to `shape`: axis i of the old
   shape is to[i] there. */
static struct value broadcast_squeezed(struct build *b, const struct node *in, const int64_t *to,
                                       const struct shape *shape)
{
    const struct shape source = build_tensor(b, in->ins[0])->shape;
    struct shape squeezed = {0};
    int64_t axes[VKC_MAX_RANK];
    uint32_t count;
    const int64_t *onto = attr_list(in, ATTR_axes, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (source.dim[i] == 1)
            continue;
        axes[squeezed.rank] = to[onto[i]];
        squeezed.dim[squeezed.rank++] = source.dim[i];
    }
    return build_broadcast(b, build_reshape(b, in->ins[0], &squeezed), shape, axes);
}

/* Along a broadcast axis a maximum is the value itself, and a sum is the value times the length,
   but never -0: sums begin with 0. */
static bool reduce_of_broadcast(struct build *b, const struct node *n, const struct value *ins,
                                struct value *outs)
{
    const struct node *in = build_def(b, ins[0]);
    enum vkc_type type = n->outs[0].type;
    bool splat = in->op == OP_CONSTANT;
    bool counts = op_has(n->op, OP_COUNTS);
    if ((in->op != OP_BROADCAST && !splat) || attr_bool(n, ATTR_keep) ||
        !op_has(n->op, OP_COUNTS | OP_IDEMPOTENT))
        return false;
    if (counts && (type_is_complex(type) || (type_is_float(type) && vkc_types[type].bits < 32)))
        return false; /* the count itself may not be exact */
    if (op_has(n->op, OP_TRUTH) && !build_is_bool(b, ins[0]))
        return false;
    const struct shape from = in->outs[0].shape,
                       source = splat ? (struct shape){0} : build_tensor(b, in->ins[0])->shape;
    uint32_t naxes, count;
    const int64_t *axes = attr_list(n, ATTR_axes, &naxes), *onto = attr_list(in, ATTR_axes, &count);
    bool varies[VKC_MAX_RANK] = {false}, reduced[VKC_MAX_RANK] = {false};
    int64_t times = 1, left[VKC_MAX_RANK], to_left[VKC_MAX_RANK];
    for (uint32_t i = 0; i < count; i++)
        varies[onto[i]] = source.dim[i] > 1;
    uint32_t nleft = 0;
    for (uint32_t i = 0; i < naxes; i++) {
        if (varies[axes[i]]) {
            left[nleft++] = axes[i];
        } else {
            times *= from.dim[axes[i]];
            reduced[axes[i]] = true;
        }
    }
    if (times == 1 || (type_is_float(type) && times > (1 << 24)))
        return false;
    /* the operand without the axes that only repeat */
    struct shape small = {0};
    for (uint32_t i = 0; i < from.rank; i++) {
        to_left[i] = small.rank;
        if (!reduced[i])
            small.dim[small.rank++] = from.dim[i];
    }
    struct value x = ins[0];
    if (splat) {
        x = splat_as(b, x, &small);
    } else {
        x = broadcast_squeezed(b, in, to_left, &small);
    }
    for (uint32_t i = 0; i < nleft; i++)
        left[i] = to_left[left[i]];
    if (nleft > 0)
        x = build_reduce(b, n->op, x, left, nleft);
    else if (counts && type_is_float(type))
        x = build_binary(b, OP_ADD, x, build_number(b, &(struct tensor){type, small}, 0.0));
    if (counts)
        x = build_binary(b, OP_MULTIPLY, x, build_number(b, &n->outs[0], (double)times));
    outs[0] = x;
    return true;
}

static bool rewrite(struct build *b, const struct node *n, const struct value *ins,
                    struct value *outs)
{
    bool of_broadcast = n->nins > 0 && build_def(b, ins[0])->op == OP_BROADCAST;
    switch (op_class(n->op)) {
    case CLASS_ELEMENTWISE:
        return after_broadcast(b, n, ins, outs) || after_movement(b, n, ins, outs);
    case CLASS_REDUCE: return reduce_of_broadcast(b, n, ins, outs);
    default: break;
    }
    switch (n->op) {
    case OP_RESHAPE:
        if (of_broadcast && reshape_of_broadcast(b, n, ins, outs))
            return true;
        outs[0] = build_reshape(b, ins[0], &n->outs[0].shape);
        return true;
    case OP_TRANSPOSE:
        if (of_broadcast)
            return transpose_of_broadcast(b, n, ins, outs);
        outs[0] = build_transpose(b, ins[0], attr_list(n, ATTR_axes, &(uint32_t){0}));
        return true;
    case OP_BROADCAST:
        outs[0] =
            build_broadcast(b, ins[0], &n->outs[0].shape, attr_list(n, ATTR_axes, &(uint32_t){0}));
        return true;
    case OP_SLICE: return of_broadcast && slice_of_broadcast(b, n, ins, outs);
    default: return false;
    }
}

bool pass_views(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d)
{
    struct rebuild r = {.g = g, .options = o, .d = d, .fn = rewrite, .fold = true};
    return rebuild_run(&r, out_changed);
}
