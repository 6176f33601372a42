/* The interpreter's sort, argsort, fft and ifft: all of them work on lines along one axis. */
#include "interp_impl.h"

#include <math.h>
#include <string.h>

/* Walks over the starts of lines along the node's axis. */
static struct walk walk_lines(const struct shape *s, int64_t axis, int64_t *out_stride)
{
    struct walk w = walk_dense(s);
    *out_stride = w.stride[axis];
    w.shape.dim[axis] = 1;
    return w;
}

/* ---- sort ---- */

struct line {
    enum vkc_type type;
    const void *data;
    int64_t offset, stride;
    bool descending;
};

/* Whether element a belongs strictly before element b. */
static bool before(const struct line *l, int64_t a, int64_t b)
{
    union number m = number_load(l->type, l->data, l->offset + a * l->stride);
    union number n = number_load(l->type, l->data, l->offset + b * l->stride);
    int order = number_compare(l->type, m, n);
    return l->descending ? order > 0 : order < 0;
}

/* A stable merge sort of indices, bottom up; `other` is as long as `order`. Returns where the result is. */
static int64_t *merge_sort(const struct line *l, int64_t *order, int64_t *other, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t at = 0; at < n; at += 2 * width) {
            int64_t middle = at + width < n ? at + width : n, end = at + 2 * width < n ? at + 2 * width : n;
            int64_t i = at, k = middle;
            for (int64_t to = at; to < end; to++)
                other[to] = i < middle && (k >= end || !before(l, order[k], order[i])) ? order[i++] : order[k++];
        }
        int64_t *sorted = other;
        other = order;
        order = sorted;
    }
    return order;
}

static bool eval_sort(struct interp *x)
{
    const struct array *in = &x->ins[0];
    struct array *out = &x->outs[0];
    size_t bytes = type_bytes(in->tensor.type);
    int64_t axis = attr_int(x->n, ATTR_axis, 0), n = in->tensor.shape.dim[axis], stride;
    int64_t *order = ARENA_ARRAY(x->arena, int64_t, (size_t)n), *other = ARENA_ARRAY(x->arena, int64_t, (size_t)n);
    if (!order || !other)
        return interp_no_memory(x);
    struct walk w = walk_lines(&in->tensor.shape, axis, &stride);
    do {
        struct line l = {in->tensor.type, in->data, w.offset, stride, attr_bool(x->n, ATTR_descending)};
        const int64_t *sorted = merge_sort(&l, order, other, n);
        for (int64_t i = 0; i < n; i++) {
            int64_t to = w.offset + i * stride, from = w.offset + sorted[i] * stride;
            union number index = {.s = sorted[i]};
            if (x->n->op == OP_ARGSORT)
                number_store(out->tensor.type, out->data, to, index);
            else
                memcpy((char *)out->data + (size_t)to * bytes, (const char *)in->data + (size_t)from * bytes, bytes);
        }
    } while (walk_next(&w));
    return true;
}

/* ---- fft ---- */

struct wide { long double re, im; };

static struct wide wide_multiply(struct wide a, struct wide b)
{
    return (struct wide){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* roots[k] = e^(sign * 2 pi i k / n) */
static void unit_roots(struct wide *roots, int64_t n, int sign)
{
    const long double turn = 6.283185307179586476925286766559005768394L;
    for (int64_t k = 0; k < n; k++) {
        long double angle = turn * (long double)k / (long double)n;
        roots[k] = (struct wide){cosl(angle), sign * sinl(angle)};
    }
}

/* n a power of two: in place, decimation in time. */
static void transform_halves(struct wide *line, const struct wide *roots, int64_t n)
{
    for (int64_t i = 1, k = 0; i < n; i++) {
        int64_t bit = n >> 1;
        for (; k & bit; bit >>= 1)
            k ^= bit;
        k ^= bit;
        if (i < k) {
            struct wide t = line[i];
            line[i] = line[k];
            line[k] = t;
        }
    }
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t at = 0; at < n; at += 2 * half)
            for (int64_t k = 0; k < half; k++) {
                struct wide a = line[at + k], b = wide_multiply(line[at + k + half], roots[k * (n / (2 * half))]);
                line[at + k] = (struct wide){a.re + b.re, a.im + b.im};
                line[at + k + half] = (struct wide){a.re - b.re, a.im - b.im};
            }
}

/* Any n, by the definition. */
static void transform_directly(const struct wide *line, const struct wide *roots, struct wide *out, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        struct wide sum = {0, 0};
        for (int64_t i = 0, root = 0; i < n; i++, root = (root + k) % n) {
            struct wide p = wide_multiply(line[i], roots[root]);
            sum.re += p.re;
            sum.im += p.im;
        }
        out[k] = sum;
    }
}

/* Element i of the line, complex; zero beyond the input's end. */
static struct wide line_element(const struct array *in, int64_t offset, int64_t stride, int64_t i, int64_t length)
{
    if (i >= length)
        return (struct wide){0, 0};
    union number e = number_load(in->tensor.type, in->data, offset + i * stride);
    e = number_convert(in->tensor.type, e, TYPE_C128);
    return (struct wide){creal(e.c), cimag(e.c)};
}

static bool eval_fft(struct interp *x)
{
    const struct array *in = &x->ins[0];
    struct array *out = &x->outs[0];
    int64_t axis = attr_int(x->n, ATTR_axis, 0), n = attr_int(x->n, ATTR_length, 1), out_stride, stride;
    struct wide *line = ARENA_ARRAY(x->arena, struct wide, (size_t)n), *other = ARENA_ARRAY(x->arena, struct wide, (size_t)n);
    struct wide *roots = ARENA_ARRAY(x->arena, struct wide, (size_t)n);
    if (!line || !other || !roots)
        return interp_no_memory(x);
    bool inverse = x->n->op == OP_IFFT, halves = (n & (n - 1)) == 0;
    unit_roots(roots, n, inverse ? 1 : -1);
    struct walk to = walk_lines(&out->tensor.shape, axis, &out_stride);
    struct walk from = walk_lines(&in->tensor.shape, axis, &stride);
    do {
        for (int64_t i = 0; i < n; i++)
            line[i] = line_element(in, from.offset, stride, i, in->tensor.shape.dim[axis]);
        if (halves)
            transform_halves(line, roots, n);
        else
            transform_directly(line, roots, other, n);
        const struct wide *done = halves ? line : other;
        for (int64_t i = 0; i < n; i++) {
            long double scale = inverse ? (long double)n : 1;
            union number e = {.c = complex_of((double)(done[i].re / scale), (double)(done[i].im / scale))};
            number_store(out->tensor.type, out->data, to.offset + i * out_stride, e);
        }
        walk_next(&from);
    } while (walk_next(&to));
    return true;
}

bool interp_special(struct interp *x)
{
    return x->n->op == OP_SORT || x->n->op == OP_ARGSORT ? eval_sort(x) : eval_fft(x);
}
