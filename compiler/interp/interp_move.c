/* The interpreter's movement and indexed ops: all of them are strided copies of elements. */
#include "interp/interp_impl.h"

#include <string.h>

/* A part of a dense tensor: the element at index i is at offset + sum i * stride. */
struct view {
    int64_t offset;
    int64_t stride[VKC_MAX_RANK];
};

static struct view view_dense(const struct shape *s)
{
    struct view v = {0};
    shape_strides(s, v.stride);
    return v;
}

/* Copies elements of `bytes` bytes, one for each index of the shape. */
static void copy_elements(size_t bytes, const struct shape *shape, void *to, const struct view *tv,
                          const void *from, const struct view *fv)
{
    struct walk t = {.shape = *shape, .offset = tv->offset},
                f = {.shape = *shape, .offset = fv->offset};
    memcpy(t.stride, tv->stride, sizeof t.stride);
    memcpy(f.stride, fv->stride, sizeof f.stride);
    do {
        memcpy((char *)to + (size_t)t.offset * bytes, (const char *)from + (size_t)f.offset * bytes,
               bytes);
        walk_next(&f);
    } while (walk_next(&t));
}

static size_t element_bytes(const struct interp *x)
{
    return type_bytes(x->outs[0].tensor.type);
}

/* The whole output is a view of input 0. */
static bool read_view(struct interp *x, const struct view *v)
{
    const struct shape *s = &x->outs[0].tensor.shape;
    struct view dense = view_dense(s);
    copy_elements(element_bytes(x), s, x->outs[0].data, &dense, x->ins[0].data, v);
    return true;
}

static void copy_input(struct interp *x)
{
    memcpy(x->outs[0].data, x->ins[0].data, tensor_bytes(&x->outs[0].tensor));
}

static int64_t clamp(int64_t i, int64_t lo, int64_t hi)
{
    return i < lo ? lo : i > hi ? hi : i;
}

/* ---- movement ---- */

static bool eval_broadcast(struct interp *x)
{
    const struct shape *in = &x->ins[0].tensor.shape;
    struct view dense = view_dense(in), v = {0};
    uint32_t n;
    const int64_t *axes = attr_list(x->n, ATTR_axes, &n);
    for (uint32_t i = 0; i < n; i++)
        v.stride[axes[i]] = in->dim[i] == 1 ? 0 : dense.stride[i];
    return read_view(x, &v);
}

static bool eval_transpose(struct interp *x)
{
    struct view dense = view_dense(&x->ins[0].tensor.shape), v = {0};
    uint32_t n;
    const int64_t *axes = attr_list(x->n, ATTR_axes, &n);
    for (uint32_t i = 0; i < n; i++)
        v.stride[i] = dense.stride[axes[i]];
    return read_view(x, &v);
}

static bool eval_reverse(struct interp *x)
{
    const struct shape *in = &x->ins[0].tensor.shape;
    struct view v = view_dense(in);
    uint32_t n;
    const int64_t *axes = attr_list(x->n, ATTR_axes, &n);
    for (uint32_t i = 0; i < n; i++) {
        v.offset += v.stride[axes[i]] * (in->dim[axes[i]] - 1);
        v.stride[axes[i]] = -v.stride[axes[i]];
    }
    return read_view(x, &v);
}

/* Fixed starts come from the attribute, computed ones from scalar inputs, clamped so that the
   window fits. */
static bool eval_slice(struct interp *x)
{
    const struct shape *in = &x->ins[0].tensor.shape;
    struct view v = view_dense(in);
    uint32_t n;
    const int64_t *starts = attr_list(x->n, ATTR_starts, &n),
                  *strides = attr_list(x->n, ATTR_strides, &n);
    const int64_t *lengths = attr_list(x->n, ATTR_lengths, &n);
    for (uint32_t i = 0; i < in->rank; i++) {
        int64_t start =
            starts ? starts[i] : clamp(number_index(&x->ins[1 + i], 0), 0, in->dim[i] - lengths[i]);
        v.offset += start * v.stride[i];
        v.stride[i] *= strides[i];
    }
    return read_view(x, &v);
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

/* Element i of an axis lands at lo + i * (1 + interior), if that is inside. */
static bool eval_pad(struct interp *x)
{
    const struct shape *in = &x->ins[0].tensor.shape, *out = &x->outs[0].tensor.shape;
    size_t bytes = element_bytes(x);
    for (int64_t i = 0, size = shape_size(out); i < size; i++)
        memcpy((char *)x->outs[0].data + (size_t)i * bytes, x->ins[1].data, bytes);
    struct view to = view_dense(out), from = view_dense(in);
    struct shape kept = {.rank = in->rank};
    uint32_t n;
    const int64_t *lo = attr_list(x->n, ATTR_lo, &n),
                  *interior = attr_list(x->n, ATTR_interior, &n);
    for (uint32_t i = 0; i < in->rank; i++) {
        int64_t step = 1 + interior[i], first = lo[i] < 0 ? ceil_div(-lo[i], step) : 0;
        int64_t room = out->dim[i] - lo[i], end = room <= 0 ? 0 : ceil_div(room, step);
        end = end < in->dim[i] ? end : in->dim[i];
        if (end <= first)
            return true; /* all of the input is cropped */
        kept.dim[i] = end - first;
        from.offset += first * from.stride[i];
        to.offset += (lo[i] + first * step) * to.stride[i];
        to.stride[i] *= step;
    }
    copy_elements(bytes, &kept, x->outs[0].data, &to, x->ins[0].data, &from);
    return true;
}

/* concatenate and stack: each input is put at its place along the axis. */
static bool eval_join(struct interp *x)
{
    int64_t axis = attr_int(x->n, ATTR_axis, 0), at = 0;
    bool is_stack = x->n->op == OP_STACK;
    struct view dense = view_dense(&x->outs[0].tensor.shape);
    for (uint32_t k = 0; k < x->n->nins; k++) {
        const struct shape *in = &x->ins[k].tensor.shape;
        struct view from = view_dense(in), to = {.offset = at * dense.stride[axis]};
        for (uint32_t i = 0; i < in->rank; i++)
            to.stride[i] = dense.stride[is_stack && i >= axis ? i + 1 : i];
        copy_elements(element_bytes(x), in, x->outs[0].data, &to, x->ins[k].data, &from);
        at += is_stack ? 1 : in->dim[axis];
    }
    return true;
}

static bool eval_put_slice(struct interp *x)
{
    const struct shape *out = &x->outs[0].tensor.shape, *part = &x->ins[1].tensor.shape;
    struct view to = view_dense(out), from = view_dense(part);
    copy_input(x);
    for (uint32_t i = 0; i < out->rank; i++)
        to.offset +=
            clamp(number_index(&x->ins[2 + i], 0), 0, out->dim[i] - part->dim[i]) * to.stride[i];
    copy_elements(element_bytes(x), part, x->outs[0].data, &to, x->ins[1].data, &from);
    return true;
}

/* ---- gather, indexed_add, indexed_put ---- */

/* What one row of indices selects of a tensor: the shape of the axes that are not indexed, and
   their strides in the tensor. */
struct selection {
    struct shape shape;
    struct view view;
    const int64_t *axes;
    uint32_t naxes;
    int64_t rows, size; /* rows of indices; elements that one row selects */
};

static struct selection select_by(const struct interp *x, const struct tensor *t)
{
    struct selection s = {.size = 1};
    struct view dense = view_dense(&t->shape);
    s.axes = attr_list(x->n, ATTR_axes, &s.naxes);
    for (uint32_t i = 0; i < t->shape.rank; i++) {
        if (attr_list_has(x->n, ATTR_axes, i))
            continue;
        s.view.stride[s.shape.rank] = dense.stride[i];
        s.shape.dim[s.shape.rank++] = t->shape.dim[i];
    }
    s.size = shape_size(&s.shape);
    const struct shape *indices = &x->ins[1].tensor.shape;
    s.rows = 1;
    for (uint32_t i = 0; i + 1 < indices->rank; i++)
        s.rows *= indices->dim[i];
    return s;
}

/* The offset of a row's selection in the tensor; out of range is clamped, and said. */
static int64_t row_offset(const struct interp *x, const struct selection *s, const struct shape *t,
                          int64_t row, bool *out_inside)
{
    int64_t stride[VKC_MAX_RANK], offset = 0;
    shape_strides(t, stride);
    *out_inside = true;
    for (uint32_t k = 0; k < s->naxes; k++) {
        int64_t last = t->dim[s->axes[k]] - 1, i = number_index(&x->ins[1], row * s->naxes + k);
        *out_inside = *out_inside && i >= 0 && i <= last;
        offset += clamp(i, 0, last) * stride[s->axes[k]];
    }
    return offset;
}

static bool eval_gather(struct interp *x)
{
    struct selection s = select_by(x, &x->ins[0].tensor);
    struct view to = view_dense(&s.shape);
    bool inside;
    for (int64_t row = 0; row < s.rows; row++) {
        s.view.offset = row_offset(x, &s, &x->ins[0].tensor.shape, row, &inside);
        to.offset = row * s.size;
        copy_elements(element_bytes(x), &s.shape, x->outs[0].data, &to, x->ins[0].data, &s.view);
    }
    return true;
}

static bool eval_indexed_put(struct interp *x)
{
    struct selection s = select_by(x, &x->ins[0].tensor);
    struct view from = view_dense(&s.shape);
    bool inside;
    copy_input(x);
    for (int64_t row = 0; row < s.rows; row++) {
        s.view.offset = row_offset(x, &s, &x->ins[0].tensor.shape, row, &inside);
        from.offset = row * s.size;
        if (inside)
            copy_elements(element_bytes(x), &s.shape, x->outs[0].data, &s.view, x->ins[2].data,
                          &from);
    }
    return true;
}

/* The sums of an indexed_add, one for each element of the output; im only of complex ones. */
struct sums {
    struct sum *re, *im;
};

static bool sums_start(struct interp *x, struct sums *s, int64_t size)
{
    const struct array *in = &x->ins[0];
    bool is_complex = type_is_complex(in->tensor.type);
    s->re = ARENA_ARRAY(x->arena, struct sum, (size_t)size);
    s->im = ARENA_ARRAY(x->arena, struct sum, is_complex ? (size_t)size : 0);
    if (!s->re || !s->im)
        return interp_no_memory(x);
    for (int64_t i = 0; i < size; i++) {
        union number a = number_load(in->tensor.type, in->data, i);
        s->re[i].high = is_complex ? creal(a.c) : a.f;
        if (is_complex)
            s->im[i].high = cimag(a.c);
    }
    return true;
}

static void add_element(struct interp *x, struct sums *s, int64_t at, union number b)
{
    enum vkc_type type = x->outs[0].tensor.type;
    if (type_is_int(type)) {
        b.u += number_load(type, x->outs[0].data, at).u;
        number_store(type, x->outs[0].data, at, b);
        return;
    }
    sum_add(&s->re[at], type_is_complex(type) ? creal(b.c) : b.f);
    if (type_is_complex(type))
        sum_add(&s->im[at], cimag(b.c));
}

/* Floats are added up in more than double and rounded once. */
static bool eval_indexed_add(struct interp *x)
{
    enum vkc_type type = x->outs[0].tensor.type;
    int64_t size = shape_size(&x->outs[0].tensor.shape);
    struct selection s = select_by(x, &x->ins[0].tensor);
    struct sums sums = {0};
    copy_input(x);
    if (!type_is_int(type) && !sums_start(x, &sums, size))
        return false;
    for (int64_t row = 0; row < s.rows; row++) {
        bool inside;
        struct walk w = {.shape = s.shape,
                         .offset = row_offset(x, &s, &x->ins[0].tensor.shape, row, &inside)};
        memcpy(w.stride, s.view.stride, sizeof w.stride);
        int64_t i = row * s.size;
        if (!inside)
            continue;
        do
            add_element(x, &sums, w.offset, number_load(type, x->ins[2].data, i++));
        while (walk_next(&w));
    }
    for (int64_t i = 0; !type_is_int(type) && i < size; i++) {
        union number a = {.f = sum_value(&sums.re[i])};
        if (type_is_complex(type))
            a.c = complex_of(a.f, sum_value(&sums.im[i]));
        number_store(type, x->outs[0].data, i, a);
    }
    return true;
}

bool interp_move(struct interp *x)
{
    switch (x->n->op) {
    case OP_RESHAPE: copy_input(x); return true;
    case OP_BROADCAST: return eval_broadcast(x);
    case OP_TRANSPOSE: return eval_transpose(x);
    case OP_REVERSE: return eval_reverse(x);
    case OP_SLICE:
    case OP_DYNAMIC_SLICE: return eval_slice(x);
    case OP_PAD: return eval_pad(x);
    case OP_CONCATENATE:
    case OP_STACK: return eval_join(x);
    case OP_PUT_SLICE: return eval_put_slice(x);
    case OP_GATHER: return eval_gather(x);
    case OP_INDEXED_PUT: return eval_indexed_put(x);
    case OP_INDEXED_ADD: return eval_indexed_add(x);
    default: return FAIL(x->d, INTERNAL, "n%u %s: not interpreted", x->n->label, op_name(x->n->op));
    }
}
