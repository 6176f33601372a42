/* The interpreter's reductions: along axes, of windows, by a function, and to an index. */
#include "interp/interp_impl.h"

#include <math.h>
#include <string.h>

/* ---- accumulators ---- */

/* Everything that one result needs: a float sum is compensated, a float product is kept in two
   doubles. */
struct accumulator {
    enum op op;         /* as a reduction: SUM, PRODUCT, REDUCE_MAX, ... */
    enum vkc_type type; /* of the elements */
    struct sum re, im;
    union number value; /* of what is neither */
};

static struct accumulator accumulate_from_nothing(enum op op, enum vkc_type type)
{
    enum vkc_type of = op_has(op, OP_TRUTH) ? TYPE_U8 : type;
    struct accumulator a = {.op = op, .type = type};
    uint64_t bits = 0;
    unsigned char element[16] = {0};
    if (!op_identity_bits(op, of, &bits))
        return a;
    for (int k = 0; k < 8; k++)
        element[k] = (unsigned char)(bits >> 8 * k);
    a.value = number_load(of, element, 0);
    if (type_is_float(of))
        a.re.high = a.value.f;
    return a;
}

static void multiply_double(struct sum *p, double x)
{
    double high = p->high * x, low = fma(p->high, x, -high) + p->low * x;
    double total = high + low;
    bool is_exact = high == 0 || !isfinite(total); /* -0 stays -0 */
    p->low = is_exact ? 0 : low - (total - high);
    p->high = is_exact ? high : total;
}

static void accumulate(struct accumulator *a, union number x)
{
    const struct op_info *o = &vkc_ops[a->op];
    enum vkc_kind kind = vkc_types[a->type].kind;
    bool sums = op_has(a->op, OP_COMPENSATED);
    if (op_has(a->op, OP_TRUTH)) {
        a->value.u = o->ref_uint(a->value.u, number_is_nonzero(a->type, x), 0, 8);
    } else if (sums && kind == KIND_FLOAT) {
        sum_add(&a->re, x.f);
    } else if (sums && kind == KIND_COMPLEX) {
        sum_add(&a->re, creal(x.c));
        sum_add(&a->im, cimag(x.c));
    } else if (a->op == OP_PRODUCT && kind == KIND_FLOAT) {
        multiply_double(&a->re, x.f);
    } else if (kind == KIND_COMPLEX) {
        a->value.c = o->ref_complex(a->value.c, x.c, 0);
    } else if (kind == KIND_FLOAT) {
        a->value.f = o->ref_float(a->value.f, x.f, 0);
    } else if (kind == KIND_SINT) {
        a->value.s = o->ref_sint(a->value.s, x.s, 0, vkc_types[a->type].bits);
    } else {
        a->value.u = o->ref_uint(a->value.u, x.u, 0, vkc_types[a->type].bits);
    }
}

static union number accumulated(const struct accumulator *a)
{
    union number r = a->value;
    enum vkc_kind kind = vkc_types[a->type].kind;
    bool sums = op_has(a->op, OP_COMPENSATED);
    if (kind == KIND_FLOAT && (sums || a->op == OP_PRODUCT))
        r.f = sum_value(&a->re);
    else if (kind == KIND_COMPLEX && sums)
        r.c = complex_of(sum_value(&a->re), sum_value(&a->im));
    return r;
}

/* ---- along axes ---- */

/* Splits the operand into a walk over what stays and a walk over what is reduced. */
static void split_axes(const struct shape *in, const struct node *n, struct walk *kept,
                       struct walk *gone)
{
    int64_t stride[VKC_MAX_RANK], axis = attr_int(n, ATTR_axis, -2);
    shape_strides(in, stride);
    *kept = *gone = (struct walk){0};
    for (uint32_t i = 0; i < in->rank; i++) {
        bool reduces =
            axis == -2 ? attr_list_has(n, ATTR_axes, i) : axis == -1 || axis == (int64_t)i;
        struct walk *w = reduces ? gone : kept;
        w->stride[w->shape.rank] = stride[i];
        w->shape.dim[w->shape.rank++] = in->dim[i];
    }
}

static void eval_reduce(struct interp *x)
{
    const struct array *in = &x->ins[0];
    struct walk kept, gone;
    int64_t to = 0;
    split_axes(&in->tensor.shape, x->n, &kept, &gone);
    do {
        struct accumulator a = accumulate_from_nothing(x->n->op, in->tensor.type);
        do
            accumulate(&a, number_load(in->tensor.type, in->data, kept.offset + gone.offset));
        while (walk_next(&gone));
        number_store(x->outs[0].tensor.type, x->outs[0].data, to++, accumulated(&a));
    } while (walk_next(&kept));
}

/* The first NaN wins; among equals the first or the last, as tie_break says. */
static void eval_argreduce(struct interp *x)
{
    const struct array *in = &x->ins[0];
    enum vkc_type type = in->tensor.type, out = x->outs[0].tensor.type;
    bool last_wins = strcmp(attr_text(x->n, ATTR_tie_break), "high") == 0;
    int want = x->n->op == OP_ARGMAX ? 1 : -1;
    struct walk kept, gone;
    int64_t to = 0;
    split_axes(&in->tensor.shape, x->n, &kept, &gone);
    do {
        union number best = number_load(type, in->data, kept.offset), index = {0};
        int64_t at = 0, best_at = 0;
        do {
            union number e = number_load(type, in->data, kept.offset + gone.offset);
            if (!number_is_nan(type, best)) {
                int order = number_compare(type, e, best) * want;
                if (order > 0 || number_is_nan(type, e) || (order == 0 && last_wins)) {
                    best = e;
                    best_at = at;
                }
            }
            at++;
        } while (walk_next(&gone));
        index.s = best_at;
        number_store(out, x->outs[0].data, to++, index);
    } while (walk_next(&kept));
}

/* ---- by a function ---- */

/* One call of the node's region after another, in memory that is given back now and then. */
struct folder {
    struct interp *x;
    struct arena scratch;
    unsigned char acc[16];
};

/* acc = region(element, acc) */
static bool fold_step(struct folder *f, const void *element)
{
    const struct tensor scalar = {.type = f->x->outs[0].tensor.type};
    union {
        unsigned char bytes[16];
        uint64_t align;
    } held;
    struct array ins[2] = {{scalar, held.bytes}, {scalar, f->acc}}, out;
    memcpy(held.bytes, element, type_bytes(scalar.type));
    if (f->scratch.used > 128 * 1024) {
        arena_finish(&f->scratch);
        arena_scratch(&f->scratch, f->x->arena);
    }
    uint32_t func = f->x->n->regions[0];
    if (!(f->x->call ? f->x->call(f->x->with, func, &f->scratch, ins, &out)
                     : interp_func(f->x->g, func, &f->scratch, ins, &out, f->x->d)))
        return false;
    memmove(f->acc, out.data, type_bytes(scalar.type));
    return true;
}

static bool fold_axes(struct folder *f)
{
    const struct array *in = &f->x->ins[0];
    size_t bytes = type_bytes(in->tensor.type);
    struct walk kept, gone;
    int64_t to = 0;
    split_axes(&in->tensor.shape, f->x->n, &kept, &gone);
    do {
        memcpy(f->acc, f->x->ins[1].data, bytes);
        do
            if (!fold_step(f, (const char *)in->data + (size_t)(kept.offset + gone.offset) * bytes))
                return false;
        while (walk_next(&gone));
        memcpy((char *)f->x->outs[0].data + (size_t)to++ * bytes, f->acc, bytes);
    } while (walk_next(&kept));
    return true;
}

/* ---- windows ---- */

/* The windows of a node: `place` walks over results, `inside` over the elements of one window. */
struct windows {
    const struct shape *in;
    const int64_t *strides, *lo, *dilations;
    struct walk place, inside;
};

static struct windows windows_of(const struct interp *x, const struct shape *places)
{
    uint32_t n;
    struct windows w = {.in = &x->ins[0].tensor.shape, .place = walk_dense(places)};
    w.strides = attr_list(x->n, ATTR_strides, &n);
    w.lo = attr_list(x->n, ATTR_lo, &n);
    w.dilations = attr_list(x->n, ATTR_dilations, &n);
    const int64_t *window = attr_list(x->n, ATTR_window, &n);
    w.inside.shape = shape_of(n, window);
    return w;
}

/* The operand's element under the two walks; -1 in the padding. */
static int64_t window_element(const struct windows *w)
{
    int64_t offset = 0;
    for (uint32_t i = 0; i < w->in->rank; i++) {
        int64_t dilation = w->dilations ? w->dilations[i] : 1;
        int64_t at = w->place.at[i] * w->strides[i] + w->inside.at[i] * dilation - w->lo[i];
        if (at < 0 || at >= w->in->dim[i])
            return -1;
        offset = offset * w->in->dim[i] + at;
    }
    return offset;
}

static void eval_window(struct interp *x)
{
    const struct array *in = &x->ins[0];
    struct windows w = windows_of(x, &x->outs[0].tensor.shape);
    do {
        enum op op = vkc_ops[x->n->op].reduction;
        struct accumulator a = accumulate_from_nothing(op, in->tensor.type);
        do {
            int64_t from = window_element(&w);
            if (from >= 0)
                accumulate(&a, number_load(in->tensor.type, in->data, from));
        } while (walk_next(&w.inside));
        number_store(in->tensor.type, x->outs[0].data, w.place.offset, accumulated(&a));
    } while (walk_next(&w.place));
}

/* The padding holds the initial value, and the function sees it. */
static bool fold_windows(struct folder *f)
{
    const struct interp *x = f->x;
    const char *data = x->ins[0].data, *initial = x->ins[1].data;
    size_t bytes = type_bytes(x->outs[0].tensor.type);
    struct windows w = windows_of(x, &x->outs[0].tensor.shape);
    do {
        memcpy(f->acc, initial, bytes);
        do {
            int64_t from = window_element(&w);
            if (!fold_step(f, from < 0 ? initial : data + (size_t)from * bytes))
                return false;
        } while (walk_next(&w.inside));
        memcpy((char *)x->outs[0].data + (size_t)w.place.offset * bytes, f->acc, bytes);
    } while (walk_next(&w.place));
    return true;
}

static bool eval_fold(struct interp *x)
{
    struct folder f = {.x = x};
    arena_scratch(&f.scratch, x->arena);
    bool ok = x->n->op == OP_FOLD ? fold_axes(&f) : fold_windows(&f);
    arena_finish(&f.scratch);
    return ok;
}

/* ---- window_scatter: what StableHLO calls select_and_scatter ---- */

/* The element that the window selects: a later one replaces the one at hand unless that is greater
   (less), so the last of equals wins. The padding is never selected. -1 if all of it is padding. */
static int64_t selected(const struct interp *x, struct windows *w)
{
    const struct array *in = &x->ins[0];
    enum vkc_type type = in->tensor.type;
    int64_t best_at = -1;
    union number best = {0};
    do {
        int64_t from = window_element(w);
        if (from < 0)
            continue;
        union number e = number_load(type, in->data, from);
        bool nan = number_is_nan(type, e) || number_is_nan(type, best);
        int order = number_compare(type, best, e) * (x->n->op == OP_WINDOW_SCATTER_MAX ? 1 : -1);
        if (best_at < 0 || nan || order <= 0) {
            best = e;
            best_at = from;
        }
    } while (walk_next(&w->inside));
    return best_at;
}

static bool eval_window_scatter(struct interp *x)
{
    const struct array *source = &x->ins[1], *out = &x->outs[0];
    enum vkc_type type = source->tensor.type;
    int64_t size = shape_size(&out->tensor.shape);
    struct accumulator *acc = ARENA_ARRAY(x->arena, struct accumulator, (size_t)size);
    if (!acc)
        return interp_no_memory(x);
    for (int64_t i = 0; i < size; i++) {
        acc[i] = accumulate_from_nothing(OP_SUM, type);
        accumulate(&acc[i], number_load(type, x->ins[2].data, 0));
    }
    struct windows w = windows_of(x, &source->tensor.shape);
    do {
        int64_t at = selected(x, &w);
        if (at >= 0)
            accumulate(&acc[at], number_load(type, source->data, w.place.offset));
    } while (walk_next(&w.place));
    for (int64_t i = 0; i < size; i++)
        number_store(type, out->data, i, accumulated(&acc[i]));
    return true;
}

bool interp_reduce(struct interp *x)
{
    switch (x->n->op) {
    case OP_ARGMAX:
    case OP_ARGMIN: eval_argreduce(x); return true;
    case OP_FOLD:
    case OP_WINDOW_REDUCE: return eval_fold(x);
    case OP_WINDOW_SCATTER_MAX:
    case OP_WINDOW_SCATTER_MIN: return eval_window_scatter(x);
    default: break;
    }
    if (op_class(x->n->op) == CLASS_WINDOW)
        eval_window(x);
    else
        eval_reduce(x);
    return true;
}
