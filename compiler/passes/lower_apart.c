/* indexed_add and indexed_put whose updates cannot meet. Updates have numbers u = 0, 1, .. in
   their order. A column of the indices that counts along an axis of theirs is a digit of u:

     column[u] = u / stride % length

   If digits of several columns make up all of u, an element of the result has one update at most,
   the one that its own places along those axes name. Then nothing is sorted and nothing is
   searched: with t the element's places along the other indexed axes,

     add       = the target + update[u] where all other columns of u are t, else the target
     put       = update[u] there

   is element-wise, and fuses. The gradient of take_along_axis is such a scatter into zeros: an
   update for each row, at the row's label. */
#include "passes/lower.h"

/* u / stride % length; of length 1 it is 0. */
struct digit {
    int64_t stride, length;
};

/* Steps of the walk from the indices to an iota, at most. */
enum { MOST_STEPS = 32 };

/* The largest number of an integer type. */
static uint64_t most_of(enum vkc_type t)
{
    uint32_t bits = vkc_types[t].bits - (vkc_types[t].kind == KIND_SINT);
    return UINT64_MAX >> (64 - bits);
}

/* Elements between two axes. */
static int64_t between(const struct shape *s, int64_t axis, int64_t next)
{
    int64_t size = 1;
    for (int64_t i = axis + 1; i < next; i++)
        size *= s->dim[i];
    return size;
}

/* A digit of elements of shape `in`, as one of the elements of what a broadcast or a transpose
   makes of it. False where its axes do not stay together. */
static bool move_digit(const struct node *n, const struct shape *in, struct digit *d)
{
    const struct shape *out = &n->outs[0].shape;
    int64_t to[VKC_MAX_RANK] = {0}, behind = 1, length = 1, next = out->rank;
    uint32_t rank, i = in->rank;
    const int64_t *axes = attr_list(n, ATTR_axes, &rank);
    for (uint32_t k = 0; k < rank; k++)
        if (n->op == OP_TRANSPOSE)
            to[axes[k]] = k;
        else
            to[k] = axes[k];
    while (i > 0 && behind < d->stride)
        behind *= in->dim[--i];
    if (behind != d->stride)
        return false;
    for (; i > 0 && length < d->length; i--) {
        int64_t axis = to[i - 1];
        if (in->dim[i - 1] == 1)
            continue;
        if (length == 1)
            d->stride = between(out, axis, next);
        else if (axis > next || between(out, axis, next) > 1)
            return false;
        length *= in->dim[i - 1];
        next = axis;
    }
    return length == d->length;
}

/* Whether element u of a tensor of integers, counted in memory, is a digit of u. */
static bool find_digit(const struct build *b, struct value v, struct digit *d)
{
    const struct node *n = build_def(b, v), *moved[MOST_STEPS];
    uint64_t most = most_of(n->outs[v.out].type);
    uint32_t count = 0;
    for (; n->op != OP_IOTA && count < MOST_STEPS; n = build_def(b, n->ins[0])) {
        bool converts = n->op == OP_AS_TYPE && type_is_int(build_tensor(b, n->ins[0])->type);
        if (n->op == OP_BROADCAST || n->op == OP_TRANSPOSE)
            moved[count++] = n;
        else if (n->op != OP_RESHAPE && !converts)
            return false;
        if (converts && most_of(build_tensor(b, n->ins[0])->type) < most)
            most = most_of(build_tensor(b, n->ins[0])->type);
    }
    if (n->op != OP_IOTA)
        return false;
    const struct shape *s = &n->outs[0].shape;
    int64_t axis = attr_int(n, ATTR_axis, 0);
    *d = axis < 0 ? (struct digit){1, shape_size(s)}
                  : (struct digit){between(s, axis, s->rank), s->dim[axis]};
    if ((uint64_t)d->length - 1 > most)
        return false;
    while (count-- > 0 && d->length > 1)
        if (!move_digit(moved[count], &build_tensor(b, moved[count]->ins[0])->shape, d))
            return false;
    return true;
}

/* The same of a column of the indices. */
static bool find_column(const struct build *b, struct value v, int64_t column, struct digit *d)
{
    for (uint32_t step = 0; step < MOST_STEPS; step++) {
        const struct node *n = build_def(b, v);
        const struct shape *s = &n->outs[v.out].shape;
        int64_t width = s->dim[s->rank - 1];
        if (n->op == OP_CONCATENATE && attr_int(n, ATTR_axis, 0) == s->rank - 1) {
            uint32_t i = 0;
            const struct shape *part = &build_tensor(b, n->ins[0])->shape;
            for (; column >= part->dim[s->rank - 1]; part = &build_tensor(b, n->ins[++i])->shape)
                column -= part->dim[s->rank - 1];
            v = n->ins[i];
            continue;
        }
        const struct shape *in = n->op == OP_RESHAPE ? &build_tensor(b, n->ins[0])->shape : NULL;
        if (in && in->rank > 0 && in->dim[in->rank - 1] == width) {
            v = n->ins[0];
            continue;
        }
        if (!find_digit(b, v, d) || d->stride % width != 0)
            return false;
        d->stride /= width;
        return true;
    }
    return false;
}

/* A scatter whose updates have a place of their own each. */
struct apart {
    const int64_t *axes; /* indexed ones of the target */
    uint32_t naxes;
    int64_t updates;
    bool is_digit[VKC_MAX_RANK]; /* by column */
    /* the digits, the highest first: how often each counts, and along which axis of the target */
    struct shape digits;
    int64_t along[VKC_MAX_RANK];
};

/* The columns that make up all of u. */
static bool find_apart(struct build *b, const struct node *n, const struct value *ins,
                       struct apart *a)
{
    a->axes = attr_list(n, ATTR_axes, &a->naxes);
    a->updates = shape_size(&build_tensor(b, ins[1])->shape) / a->naxes;
    int64_t left = a->updates;
    for (bool any = true; any && left > 1;) {
        any = false;
        for (uint32_t k = 0; k < a->naxes && !any; k++) {
            struct digit d;
            if (a->is_digit[k] || !find_column(b, ins[1], k, &d) || d.length < 2 ||
                d.stride * d.length != left)
                continue;
            any = a->is_digit[k] = true;
            a->along[a->digits.rank] = a->axes[k];
            a->digits.dim[a->digits.rank++] = d.length;
            left = d.stride;
        }
    }
    return left == 1 && a->digits.rank > 0;
}

/* x, whose first axes are the digits and the others those of the target that are not indexed, with
   an element for each of the target. */
static struct value spread(struct build *b, struct value x, const struct node *n,
                           const struct apart *a)
{
    const struct shape *target = &n->outs[0].shape;
    int64_t perm[VKC_MAX_RANK], axes[VKC_MAX_RANK], zeros[VKC_MAX_RANK] = {0}, ones[VKC_MAX_RANK],
                                                    lengths[VKC_MAX_RANK], hi[VKC_MAX_RANK];
    uint32_t rank = 0, rest = a->digits.rank;
    if (!build_ok(b, x))
        return x;
    const struct tensor from = *build_tensor(b, x), scalar = {.type = from.type};
    for (uint32_t i = 0; i < target->rank; i++) {
        uint32_t at = 0;
        while (at < a->digits.rank && a->along[at] != i)
            at++;
        if (at == a->digits.rank) {
            if (attr_list_has(n, ATTR_axes, i) || rest == from.shape.rank)
                continue;
            at = rest++;
        }
        perm[rank] = at;
        axes[rank] = i;
        ones[rank] = 1;
        lengths[rank] = from.shape.dim[at] < target->dim[i] ? from.shape.dim[at] : target->dim[i];
        hi[rank] = target->dim[i] - lengths[rank];
        rank++;
    }
    x = build_slice(b, build_transpose(b, x, perm), zeros, lengths, ones);
    x = build_pad(b, x, build_number(b, &scalar, 0), zeros, hi, zeros);
    return build_broadcast(b, x, target, axes);
}

/* The places along an axis of the target, in the type of x. */
static struct value places(struct build *b, struct value x, int64_t axis)
{
    if (!build_ok(b, x))
        return x;
    const struct tensor t = *build_tensor(b, x);
    return lower_counter(b, &t.shape, axis, t.type);
}

/* Where the target has an update; BUILD_NONE: everywhere. */
static struct value where(struct build *b, const struct node *n, const struct value *ins,
                          const struct apart *a)
{
    const struct shape *target = &n->outs[0].shape;
    struct shape pairs = shape_of(2, (int64_t[2]){a->updates, a->naxes});
    struct value indices = build_reshape(b, ins[1], &pairs), met = BUILD_NONE;
    enum vkc_type t = build_ok(b, indices) ? build_tensor(b, indices)->type : TYPE_S32;
    bool is_signed = vkc_types[t].kind == KIND_SINT;
    struct tensor counted = {.type = TYPE_U32, .shape = *target};
    for (uint32_t k = 0; k < a->naxes; k++) {
        int64_t starts[2] = {0, k}, lengths[2] = {a->updates, 1}, strides[2] = {1, 1};
        if (a->is_digit[k])
            continue;
        struct value i =
            build_reshape(b, build_slice(b, indices, starts, lengths, strides), &a->digits);
        i = build_convert(b, i, vkc_types[t].bits == 64 ? t : is_signed ? TYPE_S32 : TYPE_U32);
        i = spread(b, i, n, a);
        i = build_binary(b, OP_EQUAL, i, places(b, i, a->axes[k]));
        met = met.node == VKC_NO_NODE ? i : build_binary(b, OP_BITWISE_AND, met, i);
    }
    for (uint32_t k = 0; k < a->digits.rank; k++) {
        int64_t length = a->digits.dim[k];
        if (length >= target->dim[a->along[k]])
            continue;
        struct value most = build_splat(b, &counted, (uint64_t[2]){(uint64_t)length, 0});
        struct value i = build_binary(b, OP_LESS, places(b, most, a->along[k]), most);
        met = met.node == VKC_NO_NODE ? i : build_binary(b, OP_BITWISE_AND, met, i);
    }
    return met;
}

bool lower_apart(struct build *b, const struct node *n, const struct value *ins, struct value *outs)
{
    struct apart a = {0};
    const struct shape *target = &n->outs[0].shape;
    for (uint32_t i = 0; i < target->rank; i++)
        if (target->dim[i] > INT32_MAX)
            return false;
    if (!find_apart(b, n, ins, &a))
        return false;
    struct shape by_digits = a.digits;
    for (uint32_t i = 0; i < target->rank; i++)
        if (!attr_list_has(n, ATTR_axes, i))
            by_digits.dim[by_digits.rank++] = target->dim[i];
    struct value update = spread(b, build_reshape(b, ins[2], &by_digits), n, &a);
    if (n->op == OP_INDEXED_ADD)
        update = build_binary(b, OP_ADD, ins[0], update);
    struct value met = where(b, n, ins, &a);
    outs[0] = met.node == VKC_NO_NODE ? update : build_select(b, met, update, ins[0]);
    return true;
}
