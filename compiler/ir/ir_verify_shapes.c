/* The rules of element-wise ops, reductions, sources, movement, indexing, scatter and windows. */
#include "ir/ir_verify.h"

#include <string.h>

static bool is_scalar(const struct tensor *t)
{
    return t->shape.rank == 0;
}

static bool same_type(struct verify *v, uint32_t i, enum vkc_type type)
{
    if (verify_in(v, i)->type == type)
        return true;
    return BAD(v, "input %u is %s, needs type %s", i, verify_show(verify_in(v, i)).s,
               type_name(type));
}

/* ---- element-wise ---- */

static enum vkc_type real_type(enum vkc_type t)
{
    return t == TYPE_C64 ? TYPE_F32 : t == TYPE_C128 ? TYPE_F64 : t;
}

static bool all_inputs_same(struct verify *v, uint32_t from, enum vkc_type type)
{
    for (uint32_t i = from; i < v->n->nins; i++)
        if (!same_type(v, i, type))
            return false;
    return true;
}

static bool check_result_type(struct verify *v, enum vkc_type type)
{
    enum vkc_type found = v->n->outs[0].type;
    return found == type ||
           BAD(v, "result has type %s, needs %s", type_name(found), type_name(type));
}

static bool check_elementwise(struct verify *v)
{
    const struct node *n = v->n;
    const struct op_info *o = &vkc_ops[n->op];
    const struct tensor *a = verify_in(v, 0), *out = &n->outs[0];
    for (uint32_t i = 0; i < n->nins; i++)
        if (!shape_equal(&verify_in(v, i)->shape, &out->shape))
            return BAD(v, "input %u is %s, the result is %s, and element-wise shapes are equal", i,
                       verify_show(verify_in(v, i)).s, verify_show(out).s);
    enum vkc_type of = o->rule == RULE_SELECT ? out->type : a->type;
    if (!o->glsl[vkc_types[of].kind])
        return BAD(v, "there is no %s of type %s", o->name, type_name(of));
    switch (o->rule) {
    case RULE_SAME: return all_inputs_same(v, 0, out->type);
    case RULE_COMPARE: return all_inputs_same(v, 1, a->type) && check_result_type(v, TYPE_U8);
    case RULE_LOGICAL:
    case RULE_TEST: return check_result_type(v, TYPE_U8);
    case RULE_ABS:
    case RULE_PART: return check_result_type(v, real_type(a->type));
    case RULE_SELECT: return all_inputs_same(v, 1, out->type);
    case RULE_BITCAST:
        if (type_is_complex(out->type) || vkc_types[a->type].bits != vkc_types[out->type].bits)
            return BAD(v, "from %s to %s: needs real types of equal width", type_name(a->type),
                       type_name(out->type));
        return true;
    case RULE_CONVERT:
    case RULE_NONE: return true;
    }
    return true;
}

/* ---- reductions ---- */

/* The shape without the axes of the node's list, or with 1 in their place. */
static struct shape reduced(const struct node *n, const struct shape *s)
{
    struct shape r = {0};
    for (uint32_t i = 0; i < s->rank; i++) {
        if (!attr_list_has(n, ATTR_axes, i))
            r.dim[r.rank++] = s->dim[i];
        else if (attr_bool(n, ATTR_keep))
            r.dim[r.rank++] = 1;
    }
    return r;
}

static bool check_reduce(struct verify *v)
{
    const struct node *n = v->n;
    const struct tensor *a = verify_in(v, 0);
    const int64_t *axes;
    uint32_t naxes;
    if (!verify_axes(v, ATTR_axes, a->shape.rank, true, &axes, &naxes))
        return false;
    if (!op_takes(n->op, a->type))
        return BAD(v, "there is no %s of type %s", op_name(n->op), type_name(a->type));
    struct shape want = reduced(n, &a->shape);
    return verify_out(v, 0, op_has(n->op, OP_TRUTH) ? TYPE_U8 : a->type, &want);
}

static bool check_argreduce(struct verify *v)
{
    const struct node *n = v->n;
    const struct tensor *a = verify_in(v, 0);
    int64_t axis = attr_int(n, ATTR_axis, -1);
    const char *tie = attr_text(n, ATTR_tie_break);
    if (axis < -1 || axis >= (int64_t)a->shape.rank)
        return BAD(v, "axis is %lld, %s has %u axes", (long long)axis, verify_show(a).s,
                   a->shape.rank);
    if (strcmp(tie, "low") != 0 && strcmp(tie, "high") != 0)
        return BAD(v, "tie_break is \"%.32s\", must be \"low\" or \"high\"", tie);
    if (type_is_complex(a->type))
        return BAD(v, "there is no %s of type %s", op_name(n->op), type_name(a->type));
    if (!type_is_int(n->outs[0].type))
        return BAD(v, "result has type %s, needs an integer type", type_name(n->outs[0].type));
    struct shape want = {0}; /* a flat index is a scalar, keep or not */
    for (uint32_t i = 0; axis != -1 && i < a->shape.rank; i++) {
        bool reduces = axis == (int64_t)i;
        if (!reduces || attr_bool(n, ATTR_keep))
            want.dim[want.rank++] = reduces ? 1 : a->shape.dim[i];
    }
    return verify_out(v, 0, n->outs[0].type, &want);
}

/* ---- sources ---- */

/* The bits of a constant are within its type; types under 8 bits may be sign-extended to the
   byte. */
static bool check_constant(struct verify *v)
{
    const struct attr *bits = node_attr(v->n, ATTR_bits);
    enum vkc_type type = v->n->outs[0].type;
    uint32_t width = vkc_types[type].bits;
    uint64_t low = width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1, x = bits->bits[0];
    bool negative = vkc_types[type].kind == KIND_SINT && width < 8 && (x | low) == 0xff &&
                    (x >> (width - 1) & 1);
    if ((bits->bits[1] != 0 && width <= 64) || ((x & ~low) != 0 && !negative))
        return BAD(v, "bits %llx do not fit %s", (unsigned long long)x, type_name(type));
    return true;
}

static bool check_source(struct verify *v)
{
    const struct node *n = v->n;
    const struct tensor *out = &n->outs[0];
    int64_t i;
    switch (n->op) {
    case OP_PARAMETER:
        i = attr_int(n, ATTR_index, 0);
        if (i < 0 || i >= (int64_t)v->f->nparams)
            return BAD(v, "index is %lld, function %u has %u parameters", (long long)i, v->func,
                       v->f->nparams);
        if (!tensor_equal(out, &v->f->params[i]))
            return BAD(v, "is %s, parameter %lld of function %u is %s", verify_show(out).s,
                       (long long)i, v->func, verify_show(&v->f->params[i]).s);
        return true;
    case OP_CONSTANT: return check_constant(v);
    case OP_LITERAL:
        i = attr_int(n, ATTR_literal, 0);
        if (i < 0 || i >= (int64_t)v->g->nliterals)
            return BAD(v, "literal is %lld, the graph has %u", (long long)i, v->g->nliterals);
        if (!tensor_equal(out, &v->g->literals[i].tensor))
            return BAD(v, "is %s, literal %lld is %s", verify_show(out).s, (long long)i,
                       verify_show(&v->g->literals[i].tensor).s);
        return true;
    case OP_IOTA:
        i = attr_int(n, ATTR_axis, -1);
        if (i < -1 || i >= (int64_t)out->shape.rank)
            return BAD(v, "axis is %lld, %s has %u axes", (long long)i, verify_show(out).s,
                       out->shape.rank);
        return true;
    case OP_EYE:
        return out->shape.rank >= 2 ||
               BAD(v, "result %s has fewer than two axes", verify_show(out).s);
    default: return true;
    }
}

/* ---- movement ---- */

static bool check_reshape(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *out = &v->n->outs[0];
    if (a->type != out->type || shape_size(&a->shape) != shape_size(&out->shape))
        return BAD(v, "from %s to %s changes type or size", verify_show(a).s, verify_show(out).s);
    return true;
}

static bool check_broadcast(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *out = &v->n->outs[0];
    const int64_t *axes;
    uint32_t naxes;
    if (!verify_axes(v, ATTR_axes, out->shape.rank, true, &axes, &naxes))
        return false;
    if (naxes != a->shape.rank)
        return BAD(v, "axes has %u entries, %s has %u axes", naxes, verify_show(a).s,
                   a->shape.rank);
    for (uint32_t i = 0; i < naxes; i++)
        if (a->shape.dim[i] != 1 && a->shape.dim[i] != out->shape.dim[axes[i]])
            return BAD(v, "axis %u of %s becomes axis %lld of %s: must be 1 or %lld", i,
                       verify_show(a).s, (long long)axes[i], verify_show(out).s,
                       (long long)out->shape.dim[axes[i]]);
    return check_result_type(v, a->type);
}

static bool check_transpose(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    const int64_t *axes;
    uint32_t naxes;
    if (!verify_axes(v, ATTR_axes, a->shape.rank, false, &axes, &naxes))
        return false;
    if (naxes != a->shape.rank)
        return BAD(v, "axes has %u entries, %s has %u axes", naxes, verify_show(a).s,
                   a->shape.rank);
    struct shape want = {.rank = naxes};
    for (uint32_t i = 0; i < naxes; i++)
        want.dim[i] = a->shape.dim[axes[i]];
    return verify_out(v, 0, a->type, &want);
}

static bool check_reverse(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    const int64_t *axes;
    uint32_t naxes;
    return verify_axes(v, ATTR_axes, a->shape.rank, true, &axes, &naxes) &&
           verify_out(v, 0, a->type, &a->shape);
}

/* Lengths count before the stride: ceil(length / stride) elements remain. */
static bool sliced(struct verify *v, const struct shape *s, struct shape *out)
{
    const int64_t *lengths, *strides;
    if (!verify_list(v, ATTR_lengths, s->rank, 1, VERIFY_MAX_BYTES, &lengths) ||
        !verify_list(v, ATTR_strides, s->rank, 1, VERIFY_MAX_BYTES, &strides))
        return false;
    *out = (struct shape){.rank = s->rank};
    for (uint32_t i = 0; i < s->rank; i++) {
        if (lengths[i] > s->dim[i])
            return BAD(v, "lengths[%u] is %lld, the axis has %lld", i, (long long)lengths[i],
                       (long long)s->dim[i]);
        out->dim[i] = (lengths[i] + strides[i] - 1) / strides[i];
    }
    return true;
}

static bool check_slice(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    const int64_t *starts;
    struct shape want;
    if (!verify_list(v, ATTR_starts, a->shape.rank, 0, VERIFY_MAX_BYTES, &starts) ||
        !sliced(v, &a->shape, &want))
        return false;
    uint32_t n;
    const int64_t *lengths = attr_list(v->n, ATTR_lengths, &n);
    for (uint32_t i = 0; i < a->shape.rank; i++)
        if (starts[i] + lengths[i] > a->shape.dim[i])
            return BAD(v, "axis %u: start %lld and length %lld go beyond %lld", i,
                       (long long)starts[i], (long long)lengths[i], (long long)a->shape.dim[i]);
    return verify_out(v, 0, a->type, &want);
}

static bool check_pad(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *value = verify_in(v, 1);
    const int64_t *lo, *hi, *interior, most = VERIFY_MAX_BYTES;
    uint32_t rank = a->shape.rank;
    if (!same_type(v, 1, a->type))
        return false;
    if (!is_scalar(value))
        return BAD(v, "input 1 is %s, the padding value is a scalar", verify_show(value).s);
    if (!verify_list(v, ATTR_lo, rank, -most, most, &lo) ||
        !verify_list(v, ATTR_hi, rank, -most, most, &hi) ||
        !verify_list(v, ATTR_interior, rank, 0, most, &interior))
        return false;
    struct shape want = {.rank = rank};
    for (uint32_t i = 0; i < rank; i++) {
        int64_t dim = a->shape.dim[i];
        if (interior[i] > 0 && dim - 1 > (most - dim) / interior[i])
            return BAD(v, "interior[%u] is %lld, too many for an axis of %lld", i,
                       (long long)interior[i], (long long)dim);
        want.dim[i] = dim + (dim - 1) * interior[i] + lo[i] + hi[i];
    }
    return verify_out(v, 0, a->type, &want);
}

static bool check_concatenate(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    int64_t axis = attr_int(v->n, ATTR_axis, -1);
    if (axis < 0 || axis >= (int64_t)a->shape.rank)
        return BAD(v, "axis is %lld, %s has %u axes", (long long)axis, verify_show(a).s,
                   a->shape.rank);
    struct shape want = a->shape;
    for (uint32_t i = 1; i < v->n->nins; i++) {
        const struct tensor *b = verify_in(v, i);
        struct shape s = b->shape;
        if (s.rank == a->shape.rank)
            s.dim[axis] = a->shape.dim[axis];
        if (b->type != a->type || !shape_equal(&s, &a->shape))
            return BAD(v, "input 0 is %s, input %u is %s: they may differ on axis %lld only",
                       verify_show(a).s, i, verify_show(b).s, (long long)axis);
        want.dim[axis] += b->shape.dim[axis];
        if (want.dim[axis] >= VERIFY_MAX_BYTES)
            return BAD(v, "the result is too large");
    }
    return verify_out(v, 0, a->type, &want);
}

static bool check_stack(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    int64_t axis = attr_int(v->n, ATTR_axis, -1);
    uint32_t rank = a->shape.rank;
    if (axis < 0 || axis > (int64_t)rank || rank == VKC_MAX_RANK)
        return BAD(v, "axis is %lld, the result has %u axes of at most %d", (long long)axis,
                   rank + 1, VKC_MAX_RANK);
    for (uint32_t i = 1; i < v->n->nins; i++)
        if (!tensor_equal(a, verify_in(v, i)))
            return BAD(v, "input 0 is %s, input %u is %s: they must be equal", verify_show(a).s, i,
                       verify_show(verify_in(v, i)).s);
    struct shape want = {.rank = rank + 1};
    for (uint32_t i = 0; i <= rank; i++)
        want.dim[i] = i == axis ? v->n->nins : a->shape.dim[i > axis ? i - 1 : i];
    return verify_out(v, 0, a->type, &want);
}

/* ---- indexed and scatter ---- */

/* Inputs from `first` on are one integer scalar for each of `rank` axes. */
static bool check_starts(struct verify *v, uint32_t first, uint32_t rank)
{
    if (v->n->nins != first + rank)
        return BAD(v, "has %u starts, the tensor has %u axes", v->n->nins - first, rank);
    for (uint32_t i = first; i < v->n->nins; i++)
        if (!is_scalar(verify_in(v, i)) || !type_is_int(verify_in(v, i)->type))
            return BAD(v, "input %u is %s, a start is an integer scalar", i,
                       verify_show(verify_in(v, i)).s);
    return true;
}

static bool check_dynamic_slice(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    struct shape want;
    return check_starts(v, 1, a->shape.rank) && sliced(v, &a->shape, &want) &&
           verify_out(v, 0, a->type, &want);
}

static bool check_put_slice(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *part = verify_in(v, 1);
    if (!same_type(v, 1, a->type))
        return false;
    bool fits = part->shape.rank == a->shape.rank;
    for (uint32_t i = 0; fits && i < a->shape.rank; i++)
        fits = part->shape.dim[i] <= a->shape.dim[i];
    if (!fits)
        return BAD(v, "input 1 is %s, does not fit into %s", verify_show(part).s, verify_show(a).s);
    return check_starts(v, 2, a->shape.rank) && verify_out(v, 0, a->type, &a->shape);
}

/* The shape that indices select from a tensor: their own without the last axis, then the axes of
   the tensor that they do not index. */
static bool indexed_shape(struct verify *v, const struct tensor *a, const struct tensor *indices,
                          struct shape *out)
{
    const int64_t *axes;
    uint32_t naxes, batch = indices->shape.rank - 1;
    if (!verify_axes(v, ATTR_axes, a->shape.rank, true, &axes, &naxes))
        return false;
    if (!type_is_int(indices->type) || indices->shape.rank == 0)
        return BAD(v, "input 1 is %s, indices are integers with at least one axis",
                   verify_show(indices).s);
    if (indices->shape.dim[batch] != (int64_t)naxes)
        return BAD(v, "input 1 is %s, its last axis must have one entry for each of %u axes",
                   verify_show(indices).s, naxes);
    if (batch + a->shape.rank - naxes > VKC_MAX_RANK)
        return BAD(v, "the result has %u axes, the most is %d", batch + a->shape.rank - naxes,
                   VKC_MAX_RANK);
    *out = shape_of(batch, indices->shape.dim);
    for (uint32_t i = 0; i < a->shape.rank; i++)
        if (!attr_list_has(v->n, ATTR_axes, i))
            out->dim[out->rank++] = a->shape.dim[i];
    return true;
}

static bool check_gather(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    struct shape want;
    return indexed_shape(v, a, verify_in(v, 1), &want) && verify_out(v, 0, a->type, &want);
}

static bool check_indexed(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *updates = verify_in(v, 2);
    struct tensor want = {.type = a->type};
    if (!indexed_shape(v, a, verify_in(v, 1), &want.shape))
        return false;
    if (!tensor_equal(updates, &want))
        return BAD(v, "input 2 is %s, its indices select %s", verify_show(updates).s,
                   verify_show(&want).s);
    return verify_out(v, 0, a->type, &a->shape);
}

/* ---- windows ---- */

/* floor((lo + n + hi - ((window - 1) * dilation + 1)) / stride) + 1 on each axis. */
bool verify_window(struct verify *v, const struct shape *in, bool dilated, struct shape *out)
{
    const int64_t *window, *strides, *lo, *hi, *dilations = NULL, most = VERIFY_MAX_BYTES;
    if (!verify_list(v, ATTR_window, in->rank, 1, most, &window) ||
        !verify_list(v, ATTR_strides, in->rank, 1, most, &strides) ||
        !verify_list(v, ATTR_lo, in->rank, -most, most, &lo) ||
        !verify_list(v, ATTR_hi, in->rank, -most, most, &hi) ||
        (dilated && !verify_list(v, ATTR_dilations, in->rank, 1, most, &dilations)))
        return false;
    *out = (struct shape){.rank = in->rank};
    for (uint32_t i = 0; i < in->rank; i++) {
        int64_t dilation = dilations ? dilations[i] : 1, padded = in->dim[i] + lo[i] + hi[i];
        if (window[i] - 1 > most / dilation || (window[i] - 1) * dilation + 1 > padded)
            return BAD(
                v,
                "axis %u: a window of %lld with dilation %lld does not fit into %lld padded elements",
                i, (long long)window[i], (long long)dilation, (long long)padded);
        out->dim[i] = (padded - ((window[i] - 1) * dilation + 1)) / strides[i] + 1;
    }
    return true;
}

static bool check_window(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    struct shape want;
    if (!op_takes(vkc_ops[v->n->op].reduction, a->type))
        return BAD(v, "there is no %s of type %s", op_name(v->n->op), type_name(a->type));
    return verify_window(v, &a->shape, true, &want) && verify_out(v, 0, a->type, &want);
}

/* Tensor, source of the windows' shape, scalar initial value; the result has the type of the
   last two. */
static bool check_window_scatter(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *source = verify_in(v, 1);
    struct shape want;
    if (type_is_complex(a->type))
        return BAD(v, "there is no %s of type %s", op_name(v->n->op), type_name(a->type));
    if (!verify_window(v, &a->shape, false, &want))
        return false;
    if (!shape_equal(&source->shape, &want)) {
        struct tensor wanted = {source->type, want};
        return BAD(v, "input 1 is %s, the windows of input 0 make %s", verify_show(source).s,
                   verify_show(&wanted).s);
    }
    if (!same_type(v, 2, source->type))
        return false;
    if (!is_scalar(verify_in(v, 2)))
        return BAD(v, "input 2 is %s, the initial value is a scalar",
                   verify_show(verify_in(v, 2)).s);
    return verify_out(v, 0, source->type, &a->shape);
}

bool verify_shapes(struct verify *v)
{
    switch (op_class(v->n->op)) {
    case CLASS_ELEMENTWISE: return check_elementwise(v);
    case CLASS_REDUCE: return check_reduce(v);
    case CLASS_ARGREDUCE: return check_argreduce(v);
    case CLASS_SOURCE: return check_source(v);
    case CLASS_WINDOW: return check_window(v);
    default: break;
    }
    switch (v->n->op) {
    case OP_RESHAPE: return check_reshape(v);
    case OP_BROADCAST: return check_broadcast(v);
    case OP_TRANSPOSE: return check_transpose(v);
    case OP_REVERSE: return check_reverse(v);
    case OP_SLICE: return check_slice(v);
    case OP_PAD: return check_pad(v);
    case OP_CONCATENATE: return check_concatenate(v);
    case OP_STACK: return check_stack(v);
    case OP_DYNAMIC_SLICE: return check_dynamic_slice(v);
    case OP_PUT_SLICE: return check_put_slice(v);
    case OP_GATHER: return check_gather(v);
    case OP_INDEXED_ADD:
    case OP_INDEXED_PUT: return check_indexed(v);
    case OP_WINDOW_SCATTER_MAX:
    case OP_WINDOW_SCATTER_MIN: return check_window_scatter(v);
    default:
        return FAIL(v->d, INTERNAL, "n%u %s: no rule to verify it by", v->n->label,
                    op_name(v->n->op));
    }
}
