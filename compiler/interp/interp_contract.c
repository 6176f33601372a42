/* The interpreter's dot, conv and triangular_solve. Floats are summed with compensation, so that
   the result is exact but for one rounding; integers wrap. */
#include "interp/interp_impl.h"

#include <string.h>

/* A tensor's elements in another order of axes, dense. Floats and complex numbers are doubles
   (two for a complex number), integers words. */
struct packed {
    double *f;
    uint64_t *u;
};

static bool pack(struct interp *x, const struct array *a, const int64_t *axes, struct packed *out)
{
    enum vkc_type type = a->tensor.type;
    const struct shape *s = &a->tensor.shape;
    size_t size = (size_t)shape_size(s);
    int64_t stride[VKC_MAX_RANK], i = 0;
    struct walk w = {.shape = {.rank = s->rank}};
    shape_strides(s, stride);
    for (uint32_t k = 0; k < s->rank; k++) {
        w.shape.dim[k] = s->dim[axes[k]];
        w.stride[k] = stride[axes[k]];
    }
    *out = (struct packed){0};
    if (type_is_int(type))
        out->u = ARENA_ARRAY(x->arena, uint64_t, size);
    else
        out->f = ARENA_ARRAY(x->arena, double, size *(type_is_complex(type) ? 2 : 1));
    if (!out->u && !out->f)
        return interp_no_memory(x);
    do {
        union number e = number_load(type, a->data, w.offset);
        if (type_is_int(type)) {
            out->u[i++] = e.u;
        } else if (type_is_complex(type)) {
            out->f[i++] = creal(e.c);
            out->f[i++] = cimag(e.c);
        } else {
            out->f[i++] = e.f;
        }
    } while (walk_next(&w));
    return true;
}

/* sum a[i] * b[i] over n elements from those offsets, as a number of the type. */
struct product {
    enum vkc_type type;
    struct sum re, im;
    uint64_t u;
};

static void product_add(struct product *p, const struct packed *a, int64_t i,
                        const struct packed *b, int64_t k)
{
    if (type_is_int(p->type)) {
        p->u += a->u[i] * b->u[k];
    } else if (type_is_complex(p->type)) {
        const double *m = a->f + 2 * i, *n = b->f + 2 * k;
        sum_add_product(&p->re, m[0], n[0]);
        sum_add_product(&p->re, -m[1], n[1]);
        sum_add_product(&p->im, m[0], n[1]);
        sum_add_product(&p->im, m[1], n[0]);
    } else if (p->type == TYPE_F64) {
        sum_add_product(&p->re, a->f[i], b->f[k]);
    } else {
        sum_add(&p->re, a->f[i] * b->f[k]); /* exact in double */
    }
}

/* Zero times b[k]: NaN if that is not finite, as Nx pads with zeros. */
static void product_add_zero(struct product *p, const struct packed *b, int64_t k)
{
    if (type_is_complex(p->type)) {
        double zero = 0 * b->f[2 * k] + 0 * b->f[2 * k + 1];
        sum_add(&p->re, zero);
        sum_add(&p->im, zero);
    } else if (type_is_float(p->type)) {
        sum_add(&p->re, 0 * b->f[k]);
    }
}

static void product_store(const struct product *p, struct array *out, int64_t i)
{
    union number r = {.u = p->u};
    if (type_is_complex(p->type))
        r.c = complex_of(sum_value(&p->re), sum_value(&p->im));
    else if (type_is_float(p->type))
        r.f = sum_value(&p->re);
    number_store(p->type, out->data, i, r);
}

/* ---- dot ---- */

/* The axes in the order batch, free, contracted; the extents of the three groups. */
struct dot_order {
    int64_t axes[VKC_MAX_RANK];
    int64_t batch, free, contracted;
};

static struct dot_order dot_order(const struct interp *x, uint32_t side, enum attr_key contract,
                                  enum attr_key batch)
{
    const struct shape *s = &x->ins[side].tensor.shape;
    struct dot_order o = {.batch = 1, .free = 1, .contracted = 1};
    uint32_t n, at = 0;
    const int64_t *list = attr_list(x->n, batch, &n);
    for (uint32_t i = 0; i < n; i++) {
        o.axes[at++] = list[i];
        o.batch *= s->dim[list[i]];
    }
    for (uint32_t i = 0; i < s->rank; i++) {
        if (attr_list_has(x->n, batch, i) || attr_list_has(x->n, contract, i))
            continue;
        o.axes[at++] = i;
        o.free *= s->dim[i];
    }
    list = attr_list(x->n, contract, &n);
    for (uint32_t i = 0; i < n; i++) {
        o.axes[at++] = list[i];
        o.contracted *= s->dim[list[i]];
    }
    return o;
}

static bool eval_dot(struct interp *x)
{
    struct dot_order m = dot_order(x, 0, ATTR_contract_a, ATTR_batch_a),
                     n = dot_order(x, 1, ATTR_contract_b, ATTR_batch_b);
    struct packed a, b;
    if (!pack(x, &x->ins[0], m.axes, &a) || !pack(x, &x->ins[1], n.axes, &b))
        return false;
    int64_t to = 0;
    for (int64_t batch = 0; batch < m.batch; batch++)
        for (int64_t i = 0; i < m.free; i++)
            for (int64_t k = 0; k < n.free; k++) {
                struct product p = {.type = x->outs[0].tensor.type};
                int64_t from_a = (batch * m.free + i) * m.contracted,
                        from_b = (batch * n.free + k) * m.contracted;
                for (int64_t c = 0; c < m.contracted; c++)
                    product_add(&p, &a, from_a + c, &b, from_b + c);
                product_store(&p, &x->outs[0], to++);
            }
    return true;
}

/* ---- conv ---- */

/* Operands in their logical layout: input batch, channels, spatial...; kernel outputs, inputs,
   spatial.... */
struct conv {
    struct packed input, kernel;
    struct shape in, window; /* logical */
    const int64_t *strides, *lo, *input_dilation, *kernel_dilation;
    int64_t features, batches; /* groups */
};

static struct shape permuted_shape(const struct shape *s, const int64_t *axes)
{
    struct shape p = {.rank = s->rank};
    for (uint32_t i = 0; i < s->rank; i++)
        p.dim[i] = s->dim[axes[i]];
    return p;
}

static bool conv_init(struct interp *x, struct conv *c)
{
    uint32_t n;
    const int64_t *in = attr_list(x->n, ATTR_input_permutation, &n),
                  *kernel = attr_list(x->n, ATTR_kernel_permutation, &n);
    *c = (struct conv){.in = permuted_shape(&x->ins[0].tensor.shape, in),
                       .window = permuted_shape(&x->ins[1].tensor.shape, kernel),
                       .features = attr_int(x->n, ATTR_feature_groups, 1),
                       .batches = attr_int(x->n, ATTR_batch_groups, 1)};
    c->strides = attr_list(x->n, ATTR_strides, &n);
    c->lo = attr_list(x->n, ATTR_lo, &n);
    c->input_dilation = attr_list(x->n, ATTR_input_dilation, &n);
    c->kernel_dilation = attr_list(x->n, ATTR_kernel_dilation, &n);
    return pack(x, &x->ins[0], in, &c->input) && pack(x, &x->ins[1], kernel, &c->kernel);
}

/* The offset within one channel of what kernel element k meets at spatial place `at`; -1 in the
   padding or between dilated elements. */
static int64_t conv_element(const struct conv *c, const int64_t *at, const int64_t *k)
{
    int64_t offset = 0;
    for (uint32_t i = 0; i + 2 < c->in.rank; i++) {
        int64_t place = at[i] * c->strides[i] + k[i] * c->kernel_dilation[i] - c->lo[i];
        if (place < 0 || place % c->input_dilation[i] != 0 ||
            place / c->input_dilation[i] >= c->in.dim[i + 2])
            return -1;
        offset = offset * c->in.dim[i + 2] + place / c->input_dilation[i];
    }
    return offset;
}

/* The logical result at batch, output channel, spatial...: at[0], at[1], at + 2. */
static void conv_at(const struct conv *c, const int64_t *at, struct product *p)
{
    struct walk k = {.shape = {.rank = c->window.rank - 2}};
    memcpy(k.shape.dim, c->window.dim + 2, k.shape.rank * sizeof k.shape.dim[0]);
    int64_t spatial = 1, window = shape_size(&k.shape), outputs = c->window.dim[0],
            channels = c->window.dim[1];
    for (uint32_t i = 2; i < c->in.rank; i++)
        spatial *= c->in.dim[i];
    int64_t group = at[1] / (outputs / c->features), batch_group = at[1] / (outputs / c->batches);
    int64_t batch = batch_group * (c->in.dim[0] / c->batches) + at[0], from = 0;
    do {
        int64_t place = conv_element(c, at + 2, k.at);
        for (int64_t i = 0; i < channels; i++) {
            int64_t channel = group * channels + i, weight = (at[1] * channels + i) * window + from;
            if (place < 0)
                product_add_zero(p, &c->kernel, weight);
            else
                product_add(p, &c->input, (batch * c->in.dim[1] + channel) * spatial + place,
                            &c->kernel, weight);
        }
        from++;
    } while (walk_next(&k));
}

static bool eval_conv(struct interp *x)
{
    struct conv c;
    struct array *out = &x->outs[0];
    int64_t stride[VKC_MAX_RANK];
    uint32_t n;
    const int64_t *to = attr_list(x->n, ATTR_output_permutation, &n);
    if (!conv_init(x, &c))
        return false;
    shape_strides(&out->tensor.shape, stride);
    struct walk w = {.shape = permuted_shape(&out->tensor.shape, to)};
    for (uint32_t i = 0; i < n; i++)
        w.stride[i] = stride[to[i]];
    do {
        struct product p = {.type = out->tensor.type};
        conv_at(&c, w.at, &p);
        product_store(&p, out, w.offset);
    } while (walk_next(&w));
    return true;
}

/* ---- triangular_solve ---- */

struct wide {
    long double re, im;
};

static struct wide wide_load(const struct array *a, int64_t i)
{
    union number x = number_load(a->tensor.type, a->data, i);
    return type_is_complex(a->tensor.type) ? (struct wide){creal(x.c), cimag(x.c)}
                                           : (struct wide){x.f, 0};
}

static struct wide wide_divide(struct wide a, struct wide b, bool is_complex)
{
    if (!is_complex)
        return (struct wide){a.re / b.re, 0};
    long double n = b.re * b.re + b.im * b.im;
    return (struct wide){(a.re * b.re + a.im * b.im) / n, (a.im * b.re - a.re * b.im) / n};
}

/* One system op(a) x = b: element (i, k) of op(a) is at i * row + k * column, x and b have
   stride `step`. */
struct system {
    int64_t n, a, row, column, b, step;
    bool lower, conjugate;
};

static void solve(const struct interp *x, const struct system *s, struct wide *found)
{
    const struct array *a = &x->ins[0], *b = &x->ins[1];
    bool is_complex = type_is_complex(a->tensor.type);
    for (int64_t done = 0; done < s->n; done++) {
        int64_t i = s->lower ? done : s->n - 1 - done;
        struct wide sum = wide_load(b, s->b + i * s->step);
        for (int64_t before = 0; before < done; before++) {
            int64_t k = s->lower ? before : s->n - 1 - before;
            struct wide m = wide_load(a, s->a + i * s->row + k * s->column);
            m.im = s->conjugate ? -m.im : m.im;
            sum.re -= m.re * found[k].re;
            if (is_complex) {
                sum.re += m.im * found[k].im;
                sum.im -= m.re * found[k].im + m.im * found[k].re;
            }
        }
        struct wide pivot = wide_load(a, s->a + i * (s->row + s->column));
        pivot.im = s->conjugate ? -pivot.im : pivot.im;
        found[i] = wide_divide(sum, pivot, is_complex);
        union number r = {.f = (double)found[i].re};
        if (is_complex)
            r.c = complex_of((double)found[i].re, (double)found[i].im);
        number_store(b->tensor.type, x->outs[0].data, s->b + i * s->step, r);
    }
}

/* Left: op(a) x = b, a system for each column of b. Right: x op(a) = b, which is op(a)^T x^T =
   b^T, a system for each row. `lower` speaks of a as given; a transposed one is upper.
   "conjugate" is the conjugate of a, as in Nx, and not its adjoint. */
static bool eval_triangular_solve(struct interp *x)
{
    const struct shape *a = &x->ins[0].tensor.shape, *b = &x->ins[1].tensor.shape;
    int64_t n = a->dim[a->rank - 1], matrices = shape_size(a) / (n * n),
            each = shape_size(b) / matrices;
    bool column = b->rank + 1 == a->rank, left = attr_bool(x->n, ATTR_left_side) || column;
    bool transposed = strcmp(attr_text(x->n, ATTR_transform), "transpose") == 0;
    bool swap = transposed != (!attr_bool(x->n, ATTR_left_side));
    struct wide *found = ARENA_ARRAY(x->arena, struct wide, (size_t)n);
    if (!found)
        return interp_no_memory(x);
    struct system s = {.n = n, .row = swap ? 1 : n, .column = swap ? n : 1};
    s.lower = attr_bool(x->n, ATTR_lower) != swap;
    s.conjugate = strcmp(attr_text(x->n, ATTR_transform), "conjugate") == 0;
    int64_t systems = each / n;
    s.step = left ? systems : 1;
    for (int64_t m = 0; m < matrices; m++)
        for (int64_t k = 0; k < systems; k++) {
            s.a = m * n * n;
            s.b = m * each + (left ? k : k * n);
            solve(x, &s, found);
        }
    return true;
}

bool interp_contract(struct interp *x)
{
    switch (x->n->op) {
    case OP_DOT: return eval_dot(x);
    case OP_CONV: return eval_conv(x);
    case OP_TRIANGULAR_SOLVE: return eval_triangular_solve(x);
    default: return FAIL(x->d, INTERNAL, "n%u %s: not interpreted", x->n->label, op_name(x->n->op));
    }
}
