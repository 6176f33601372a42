/* Does      gives each thing one form: no stack, no kept axes, no flat argmax, no dynamic slice
             with constant starts, no dot without a sum, no movement that moves nothing; merged
             chains of movement
   Requires  nothing
   Keeps     values, bit for bit; a dot of two vectors is summed in the order of a sum
   Cost      linear */
#include <string.h>

#include "passes/build.h"
#include "passes/pass.h"

/* ---- reductions ---- */

/* A sum of one term: -0 becomes 0, as in longer sums, which begin with 0. */
static struct value sum_of_one(struct build *b, struct value x)
{
    const struct tensor t = *build_tensor(b, x);
    return type_is_int(t.type) ? x : build_binary(b, OP_ADD, x, build_number(b, &t, 0.0));
}

static bool canon_reduce(struct build *b, const struct node *n, const struct value *ins,
                         struct value *outs)
{
    uint32_t naxes, nlong = 0;
    const int64_t *axes = attr_list(n, ATTR_axes, &naxes);
    int64_t longer[VKC_MAX_RANK];
    struct value x = ins[0];
    const struct tensor from = *build_tensor(b, x);
    for (uint32_t i = 0; i < naxes; i++)
        if (from.shape.dim[axes[i]] > 1)
            longer[nlong++] = axes[i];
    bool truth = op_has(n->op, OP_TRUTH);
    bool plain = !truth || (from.type == TYPE_U8 && build_is_bool(b, x));
    if (plain && nlong == naxes && naxes > 0 && !attr_bool(n, ATTR_keep))
        return false;
    if (!plain)
        x = build_binary(b, OP_NOT_EQUAL, x, build_number(b, &from, 0.0));
    if (nlong > 0)
        x = build_reduce(b, n->op, x, longer, nlong);
    else if (op_has(n->op, OP_COUNTS))
        x = sum_of_one(b, x);
    outs[0] = build_reshape(b, x, &n->outs[0].shape);
    return true;
}

static bool canon_argreduce(struct build *b, const struct node *n, const struct value *ins,
                            struct value *outs)
{
    int64_t axis = attr_int(n, ATTR_axis, -1);
    const struct shape *from = &build_tensor(b, ins[0])->shape;
    if (axis >= 0 && from->dim[axis] > 1 && !attr_bool(n, ATTR_keep))
        return false;
    int64_t size = axis < 0 ? shape_size(from) : from->dim[axis];
    if (size == 1) {
        outs[0] = build_number(b, &n->outs[0], 0.0);
        return true;
    }
    struct shape flat = shape_of(1, &size);
    struct value x = axis < 0 ? build_reshape(b, ins[0], &flat) : ins[0];
    x = build_argreduce(b, n->op, x, axis < 0 ? 0 : axis, attr_text(n, ATTR_tie_break),
                        n->outs[0].type);
    outs[0] = build_reshape(b, x, &n->outs[0].shape);
    return true;
}

/* A fold keeps its region, so it is copied with another shape. */
static bool canon_fold(struct build *b, const struct node *n, const struct value *ins,
                       struct value *outs)
{
    if (!attr_bool(n, ATTR_keep))
        return false;
    struct arena *a = b->g->arena;
    struct node m = *n;
    m.outs = arena_copy(a, n->outs, sizeof *n->outs);
    m.attrs = arena_copy(a, n->attrs, n->nattrs * sizeof *n->attrs);
    if (!m.outs || !m.attrs)
        return build_fail_memory(b);
    struct shape kept = {0};
    const struct shape *from = &build_tensor(b, ins[0])->shape;
    for (uint32_t i = 0; i < from->rank; i++)
        if (!attr_list_has(n, ATTR_axes, i))
            kept.dim[kept.rank++] = from->dim[i];
    m.outs[0].shape = kept;
    for (uint32_t i = 0; i < m.nattrs; i++)
        if (m.attrs[i].key == ATTR_keep)
            m.attrs[i].i = 0;
    outs[0] = build_reshape(b, build_copy(b, &m, ins, UINT32_MAX), &n->outs[0].shape);
    return true;
}

/* ---- slices and concatenations ---- */

/* of a concatenation that is taken apart: each may be a test in a kernel */
enum { MOST_PARTS = 64 };

/* Concatenates; what is itself one along the axis and was made after `first_new` is taken apart. */
static struct value concatenated(struct build *b, const struct value *xs, uint32_t count,
                                 int64_t axis, node_id first_new)
{
    uint32_t total = 0, at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!build_ok(b, xs[i]))
            return BUILD_NONE;
        const struct node *x = build_def(b, xs[i]);
        total +=
            xs[i].node >= first_new && x->op == OP_CONCATENATE && attr_int(x, ATTR_axis, 0) == axis
                ? x->nins
                : 1;
    }
    if (total > MOST_PARTS)
        return build_concatenate(b, xs, count, axis);
    struct value *parts = ARENA_ARRAY(&b->r->scratch, struct value, total);
    if (!parts)
        return build_fail_memory(b), BUILD_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const struct node *x = build_def(b, xs[i]);
        bool nested =
            xs[i].node >= first_new && x->op == OP_CONCATENATE && attr_int(x, ATTR_axis, 0) == axis;
        memcpy(&parts[at], nested ? x->ins : &xs[i], (nested ? x->nins : 1) * sizeof *parts);
        at += nested ? x->nins : 1;
    }
    return build_concatenate(b, parts, total, axis);
}

/* A slice. Of a concatenation it is the parts that it meets, sliced: so the rounds of an
   unrolled loop that fills a tensor piece by piece do not nest. With a stride it must lie within
   one part for that. */
static struct value sliced(struct build *b, struct value x, const int64_t *starts,
                           const int64_t *lengths, const int64_t *strides)
{
    if (!build_ok(b, x))
        return BUILD_NONE;
    const struct node *whole = build_def(b, x);
    if (whole->op != OP_CONCATENATE)
        return build_slice(b, x, starts, lengths, strides);
    int64_t axis = attr_int(whole, ATTR_axis, 0), at = 0, s[VKC_MAX_RANK], l[VKC_MAX_RANK];
    uint32_t rank = whole->outs[0].shape.rank, nparts = 0, nins = whole->nins;
    const struct value *from = whole->ins;
    int64_t first = starts[axis],
            last = first + (lengths[axis] - 1) / strides[axis] * strides[axis];
    struct value *parts = ARENA_ARRAY(&b->r->scratch, struct value, nins);
    if (!parts)
        return build_fail_memory(b), BUILD_NONE;
    memcpy(s, starts, rank * sizeof *s);
    memcpy(l, lengths, rank * sizeof *l);
    for (uint32_t i = 0; i < nins && !b->failed; i++) {
        int64_t end = at + build_tensor(b, from[i])->shape.dim[axis];
        if (end > first && at <= last) {
            if (strides[axis] > 1 && (first < at || last >= end))
                return build_slice(b, x, starts, lengths, strides);
            s[axis] = first > at ? first - at : 0;
            l[axis] = (last < end - 1 ? last : end - 1) - at - s[axis] + 1;
            parts[nparts++] = build_slice(b, from[i], s, l, strides);
        }
        at = end;
    }
    return build_concatenate(b, parts, nparts, axis);
}

/* ---- indexed ---- */

/* The start on an axis where it is known, clamped so that `length` fits. */
static bool known_start(const struct build *b, struct value start, int64_t dim, int64_t length,
                        int64_t *out)
{
    int64_t s = 0;
    if (dim > length && !build_const_int(b, start, 0, &s))
        return false;
    *out = s < 0 ? 0 : s > dim - length ? dim - length : s;
    return true;
}

static bool canon_dynamic_slice(struct build *b, const struct node *n, const struct value *ins,
                                struct value *outs)
{
    uint32_t rank;
    const int64_t *lengths = attr_list(n, ATTR_lengths, &rank),
                  *strides = attr_list(n, ATTR_strides, &rank);
    const struct shape *from = &build_tensor(b, ins[0])->shape;
    int64_t starts[VKC_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        if (!known_start(b, ins[1 + i], from->dim[i], lengths[i], &starts[i]))
            return false;
    outs[0] = sliced(b, ins[0], starts, lengths, strides);
    return true;
}

/* A window that spans every axis but one lies between a part before and a part after. */
static bool canon_put_slice(struct build *b, const struct node *n, const struct value *ins,
                            struct value *outs)
{
    const struct shape whole = n->outs[0].shape, window = build_tensor(b, ins[1])->shape;
    int64_t start = 0, axis = -1;
    for (uint32_t i = 0; i < whole.rank; i++) {
        if (window.dim[i] == whole.dim[i])
            continue;
        if (axis >= 0 || !known_start(b, ins[2 + i], whole.dim[i], window.dim[i], &start))
            return false;
        axis = i;
    }
    if (axis < 0) {
        outs[0] = ins[1];
        return true;
    }
    struct value parts[3];
    uint32_t nparts = 0;
    node_id first_new = b->out.nnodes;
    int64_t starts[VKC_MAX_RANK] = {0}, ones[VKC_MAX_RANK];
    struct shape part = whole;
    for (uint32_t i = 0; i < whole.rank; i++)
        ones[i] = 1;
    part.dim[axis] = start;
    if (start > 0)
        parts[nparts++] = sliced(b, ins[0], starts, part.dim, ones);
    parts[nparts++] = ins[1];
    starts[axis] = start + window.dim[axis];
    part.dim[axis] = whole.dim[axis] - starts[axis];
    if (part.dim[axis] > 0)
        parts[nparts++] = sliced(b, ins[0], starts, part.dim, ones);
    outs[0] = concatenated(b, parts, nparts, axis, first_new);
    return true;
}

/* Known indices: one slice wherever they are; along one axis also evenly spaced ones. */
static bool canon_gather(struct build *b, const struct node *n, const struct value *ins,
                         struct value *outs)
{
    uint32_t naxes;
    const int64_t *axes = attr_list(n, ATTR_axes, &naxes);
    const struct shape from = build_tensor(b, ins[0])->shape, to = n->outs[0].shape;
    int64_t count = naxes ? shape_size(&build_tensor(b, ins[1])->shape) / naxes : 0,
            first[VKC_MAX_RANK], step = 1;
    int64_t starts[VKC_MAX_RANK] = {0}, lengths[VKC_MAX_RANK], strides[VKC_MAX_RANK],
            order[VKC_MAX_RANK];
    if (count == 0 || (naxes > 1 && count > 1))
        return false;
    for (uint32_t i = 0; i < from.rank; i++) {
        lengths[i] = from.dim[i];
        strides[i] = 1;
    }
    for (uint32_t i = 0; i < naxes; i++) {
        if (!build_const_int(b, ins[1], i, &first[i]))
            return false;
        int64_t top = from.dim[axes[i]] - 1;
        starts[axes[i]] = first[i] < 0 ? 0 : first[i] > top ? top : first[i];
        lengths[axes[i]] = 1;
    }
    if (count > 1) {
        int64_t at, last = first[0];
        for (int64_t i = 1; i < count; i++, last = at) {
            if (!build_const_int(b, ins[1], i, &at) || at < 0 || at >= from.dim[axes[0]] ||
                first[0] < 0)
                return false;
            if (i == 1)
                step = at - last;
            if (at - last != step || step <= 0)
                return false;
        }
        lengths[axes[0]] = (count - 1) * step + 1;
        strides[axes[0]] = step;
    }
    struct value x = build_slice(b, ins[0], starts, lengths, strides);
    order[0] = axes[0]; /* indexed axes come first */
    for (uint32_t i = 0, at = 1; naxes == 1 && i < from.rank; i++)
        if (i != axes[0])
            order[at++] = i;
    if (naxes == 1)
        x = build_transpose(b, x, order);
    outs[0] = build_reshape(b, x, &to);
    return true;
}

/* ---- dot ---- */

/* The operand with its axes as: batch, free, contracted. */
static struct value dot_operand(struct build *b, struct value x, const int64_t *batch,
                                uint32_t nbatch, const int64_t *contract, uint32_t ncontract,
                                int64_t sizes[3])
{
    const struct shape from = build_tensor(b, x)->shape;
    int64_t order[VKC_MAX_RANK];
    bool used[VKC_MAX_RANK] = {false};
    uint32_t n = 0;
    sizes[0] = sizes[1] = sizes[2] = 1;
    for (uint32_t i = 0; i < nbatch; i++)
        used[batch[i]] = true;
    for (uint32_t i = 0; i < ncontract; i++)
        used[contract[i]] = true;
    for (uint32_t i = 0; i < nbatch; i++, n++)
        sizes[0] *= from.dim[order[n] = batch[i]];
    for (uint32_t i = 0; i < from.rank; i++)
        if (!used[i])
            sizes[1] *= from.dim[order[n++] = i];
    for (uint32_t i = 0; i < ncontract; i++, n++)
        sizes[2] *= from.dim[order[n] = contract[i]];
    return build_transpose(b, x, order);
}

/* An outer product is a product of broadcasts; a product of two vectors is a sum of products. */
static bool canon_dot(struct build *b, const struct node *n, const struct value *ins,
                      struct value *outs)
{
    uint32_t nca, nba, ncb, nbb;
    const int64_t *ca = attr_list(n, ATTR_contract_a, &nca), *ba = attr_list(n, ATTR_batch_a, &nba);
    const int64_t *cb = attr_list(n, ATTR_contract_b, &ncb), *bb = attr_list(n, ATTR_batch_b, &nbb);
    const struct shape *sa = &build_tensor(b, ins[0])->shape, *sb = &build_tensor(b, ins[1])->shape;
    int64_t k = 1, batch = 1;
    for (uint32_t i = 0; i < nca; i++)
        k *= sa->dim[ca[i]];
    for (uint32_t i = 0; i < nba; i++)
        batch *= sa->dim[ba[i]];
    bool vectors = shape_size(sa) == k * batch && shape_size(sb) == k * batch;
    enum vkc_type type = n->outs[0].type;
    if ((k > 1 && !vectors) || build_tensor(b, ins[0])->type != type ||
        build_tensor(b, ins[1])->type != type)
        return false;
    int64_t x_sizes[3], y_sizes[3];
    struct value x = dot_operand(b, ins[0], ba, nba, ca, nca, x_sizes),
                 y = dot_operand(b, ins[1], bb, nbb, cb, ncb, y_sizes);
    if (k > 1) {
        int64_t dims[2] = {batch, k}, last = nba ? 1 : 0;
        struct shape rows = shape_of(nba ? 2 : 1, nba ? dims : dims + 1);
        x = build_convert(b, build_reshape(b, x, &rows), build_sum_type(type));
        y = build_convert(b, build_reshape(b, y, &rows), build_sum_type(type));
        x = build_reduce(b, OP_SUM, build_binary(b, OP_MULTIPLY, x, y), &last, 1);
        outs[0] = build_reshape(b, build_convert(b, x, type), &n->outs[0].shape);
        return true;
    }
    int64_t all[3] = {batch, x_sizes[1], y_sizes[1]}, left[2] = {batch, x_sizes[1]},
            right[2] = {batch, y_sizes[1]};
    int64_t left_axes[2] = {0, 1}, right_axes[2] = {0, 2}, one[1] = {0}, other[1] = {1};
    bool with = nba > 0;
    struct shape to = shape_of(2 + with, all + !with), from_x = shape_of(1 + with, left + !with);
    struct shape from_y = shape_of(1 + with, right + !with);
    x = build_broadcast(b, build_reshape(b, x, &from_x), &to, with ? left_axes : one);
    y = build_broadcast(b, build_reshape(b, y, &from_y), &to, with ? right_axes : other);
    outs[0] =
        build_reshape(b, sum_of_one(b, build_binary(b, OP_MULTIPLY, x, y)), &n->outs[0].shape);
    return true;
}

/* ---- movement ---- */

static bool canon_stack(struct build *b, const struct node *n, const struct value *ins,
                        struct value *outs)
{
    int64_t axis = attr_int(n, ATTR_axis, 0);
    struct shape one = n->outs[0].shape;
    struct value *parts = ARENA_ARRAY(&b->r->scratch, struct value, n->nins);
    if (!parts)
        return build_fail_memory(b);
    one.dim[axis] = 1;
    for (uint32_t i = 0; i < n->nins; i++)
        parts[i] = build_reshape(b, ins[i], &one);
    outs[0] = build_concatenate(b, parts, n->nins, axis);
    return true;
}

/* A concatenation along the same axis that nothing else reads is part of the one around it. */
static bool canon_concatenate(struct build *b, const struct node *n, const struct value *ins,
                              struct value *outs)
{
    int64_t axis = attr_int(n, ATTR_axis, 0);
    uint32_t count = 0;
    bool flat = true;
    for (uint32_t i = 0; i < n->nins; i++) {
        const struct node *in = build_def(b, ins[i]);
        bool nested = in->op == OP_CONCATENATE && attr_int(in, ATTR_axis, 0) == axis &&
                      b->uses[n->ins[i].node] == 1;
        count += nested ? in->nins : 1;
        flat &= !nested;
    }
    if (flat && n->nins > 1)
        return false;
    struct value *parts = ARENA_ARRAY(&b->r->scratch, struct value, count);
    if (!parts)
        return build_fail_memory(b);
    count = 0;
    for (uint32_t i = 0; i < n->nins; i++) {
        const struct node *in = build_def(b, ins[i]);
        if (in->op == OP_CONCATENATE && attr_int(in, ATTR_axis, 0) == axis &&
            b->uses[n->ins[i].node] == 1) {
            memcpy(&parts[count], in->ins, in->nins * sizeof *in->ins);
            count += in->nins;
        } else {
            parts[count++] = ins[i];
        }
    }
    outs[0] = build_concatenate(b, parts, count, axis);
    return true;
}

static struct value moved(struct build *b, const struct node *n, const struct value *ins)
{
    uint32_t count;
    const int64_t *axes = attr_list(n, ATTR_axes, &count);
    switch (n->op) {
    case OP_RESHAPE: return build_reshape(b, ins[0], &n->outs[0].shape);
    case OP_BROADCAST: return build_broadcast(b, ins[0], &n->outs[0].shape, axes);
    case OP_TRANSPOSE: return build_transpose(b, ins[0], axes);
    case OP_REVERSE: return build_reverse(b, ins[0], axes, count);
    case OP_SLICE:
        return sliced(b, ins[0], attr_list(n, ATTR_starts, &count),
                      attr_list(n, ATTR_lengths, &count), attr_list(n, ATTR_strides, &count));
    default:
        return build_pad(b, ins[0], ins[1], attr_list(n, ATTR_lo, &count),
                         attr_list(n, ATTR_hi, &count), attr_list(n, ATTR_interior, &count));
    }
}

/* A dot whose result nothing else reads, transposed so that the free axes change places, is the
   dot of the operands the other way round. */
static bool canon_transposed_dot(struct build *b, const struct node *n, const struct value *ins,
                                 struct value *outs)
{
    const struct node *dot = build_def(b, ins[0]);
    if (dot->op != OP_DOT || b->uses[n->ins[0].node] != 1)
        return false;
    uint32_t nbatch, ncontract, rank;
    const int64_t *axes = attr_list(n, ATTR_axes, &rank);
    attr_list(dot, ATTR_batch_a, &nbatch);
    attr_list(dot, ATTR_contract_a, &ncontract);
    uint32_t free_a = build_tensor(b, dot->ins[0])->shape.rank - nbatch - ncontract;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t free_b = rank - nbatch - free_a;
        uint32_t from = i < nbatch ? i : i < nbatch + free_b ? i + free_a : i - free_b;
        if (axes[i] != from)
            return false;
    }
    struct value swapped[2] = {dot->ins[1], dot->ins[0]};
    struct tensor out = n->outs[0];
    struct attr attrs[4];
    static const enum attr_key keys[4][2] = {{ATTR_contract_a, ATTR_contract_b},
                                             {ATTR_batch_a, ATTR_batch_b},
                                             {ATTR_contract_b, ATTR_contract_a},
                                             {ATTR_batch_b, ATTR_batch_a}};
    for (int i = 0; i < 4; i++) {
        attrs[i] = *node_attr(dot, keys[i][1]);
        attrs[i].key = keys[i][0];
    }
    struct node other = {.op = OP_DOT,
                         .nins = 2,
                         .nouts = 1,
                         .nattrs = 4,
                         .ins = swapped,
                         .outs = &out,
                         .attrs = attrs};
    outs[0] = build_node(b, &other);
    return true;
}

/* An index varies along one axis: elsewhere it is broadcast, so that work on it is done once. A
   counter of all elements is left where it has several axes. */
static bool canon_iota(struct build *b, const struct node *n, const struct value *ins,
                       struct value *outs)
{
    (void)ins;
    const struct shape to = n->outs[0].shape;
    int64_t axis = attr_int(n, ATTR_axis, -1), longer = -1;
    uint32_t nlonger = 0;
    for (uint32_t i = 0; i < to.rank; i++) {
        if (to.dim[i] == 1)
            continue;
        longer = i;
        nlonger++;
    }
    if (to.rank == 0 || (axis >= 0 && to.dim[axis] == 1) || nlonger == 0) {
        outs[0] = build_number(b, &n->outs[0], 0.0);
        return true;
    }
    if (axis < 0 && nlonger > 1)
        return false;
    axis = axis < 0 ? longer : axis;
    if (to.rank == 1 && attr_int(n, ATTR_axis, -1) == 0)
        return false;
    struct tensor line = {.type = n->outs[0].type, .shape = shape_of(1, &to.dim[axis])};
    outs[0] = build_broadcast(b, build_iota(b, &line, 0), &to, &axis);
    return true;
}

static bool canon_movement(struct build *b, const struct node *n, const struct value *ins,
                           struct value *outs)
{
    uint64_t bits[2];
    if (n->op != OP_PAD && build_splat_bits(b, ins[0], bits))
        outs[0] = build_splat(b, &n->outs[0], bits);
    else
        outs[0] = moved(b, n, ins);
    return true;
}

static bool canon_transpose(struct build *b, const struct node *n, const struct value *ins,
                            struct value *outs)
{
    return canon_transposed_dot(b, n, ins, outs) || canon_movement(b, n, ins, outs);
}

static bool canon_sort(struct build *b, const struct node *n, const struct value *ins,
                       struct value *outs)
{
    (void)b;
    outs[0] = ins[0];
    return n->outs[0].shape.dim[attr_int(n, ATTR_axis, 0)] == 1;
}

static bool canon_as_type(struct build *b, const struct node *n, const struct value *ins,
                          struct value *outs)
{
    outs[0] = ins[0];
    return build_tensor(b, ins[0])->type == n->outs[0].type;
}

static bool rewrite(struct build *b, const struct node *n, const struct value *ins,
                    struct value *outs)
{
    static const rewrite_fn rows[OP_COUNT] = {
        [OP_ARGMAX] = canon_argreduce,
        [OP_ARGMIN] = canon_argreduce,
        [OP_FOLD] = canon_fold,
        [OP_PUT_SLICE] = canon_put_slice,
        [OP_DYNAMIC_SLICE] = canon_dynamic_slice,
        [OP_GATHER] = canon_gather,
        [OP_DOT] = canon_dot,
        [OP_STACK] = canon_stack,
        [OP_CONCATENATE] = canon_concatenate,
        [OP_TRANSPOSE] = canon_transpose,
        [OP_IOTA] = canon_iota,
        [OP_RESHAPE] = canon_movement,
        [OP_BROADCAST] = canon_movement,
        [OP_REVERSE] = canon_movement,
        [OP_SLICE] = canon_movement,
        [OP_PAD] = canon_movement,
        [OP_SORT] = canon_sort,
        [OP_AS_TYPE] = canon_as_type,
    };
    if (op_class(n->op) == CLASS_REDUCE)
        return canon_reduce(b, n, ins, outs);
    return rows[n->op] && rows[n->op](b, n, ins, outs);
}

/* What decides a loop or a branch is 0 or 1, in u8: x becomes x != 0. */
static void canon_predicate(struct build *b, uint32_t func)
{
    const bool *is_predicate = b->r->context;
    for (uint32_t i = 0; is_predicate[func] && i < b->out.nresults && !b->failed; i++) {
        struct value x = b->out.results[i];
        if (build_tensor(b, x)->type != TYPE_U8)
            b->out.results[i] =
                build_binary(b, OP_NOT_EQUAL, x, build_number(b, build_tensor(b, x), 0));
    }
}

static void mark_predicates(const struct graph *g, bool *is_predicate)
{
    for (uint32_t f = 0; f < g->nfuncs; f++)
        for (node_id i = 0; i < g->funcs[f].nnodes; i++) {
            const struct node *n = &g->funcs[f].nodes[i];
            if (n->op == OP_WHILE)
                is_predicate[n->regions[0]] = true;
            for (uint32_t r = 0; n->op == OP_COND && r + 1 < n->nregions; r += 2)
                is_predicate[n->regions[r]] = true;
        }
}

bool pass_canon(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d)
{
    bool *is_predicate = ARENA_ARRAY(g->arena, bool, g->nfuncs + 1);
    if (!is_predicate)
        return FAIL(d, MEMORY, "out of memory");
    mark_predicates(g, is_predicate);
    struct rebuild r = {.g = g,
                        .options = o,
                        .d = d,
                        .fn = rewrite,
                        .results = canon_predicate,
                        .context = is_predicate};
    return rebuild_run(&r, out_changed);
}
