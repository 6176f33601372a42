/* The interpreter's sort, argsort, fft and ifft: all of them work on lines along one axis. */
#include "interp/interp_impl.h"

#include <math.h>
#include <string.h>

#include "target/radix.h"

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

/* A stable merge sort of indices, bottom up; `other` is as long as `order`. Returns where the
   result is. */
static int64_t *merge_sort(const struct line *l, int64_t *order, int64_t *other, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t at = 0; at < n; at += 2 * width) {
            int64_t middle = at + width < n ? at + width : n,
                    end = at + 2 * width < n ? at + 2 * width : n;
            int64_t i = at, k = middle;
            for (int64_t to = at; to < end; to++)
                other[to] = i < middle && (k >= end || !before(l, order[k], order[i])) ? order[i++]
                                                                                       : order[k++];
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
    int64_t *order = ARENA_ARRAY(x->arena, int64_t, (size_t)n),
            *other = ARENA_ARRAY(x->arena, int64_t, (size_t)n);
    if (!order || !other)
        return interp_no_memory(x);
    struct walk w = walk_lines(&in->tensor.shape, axis, &stride);
    do {
        struct line l = {in->tensor.type, in->data, w.offset, stride,
                         attr_bool(x->n, ATTR_descending)};
        const int64_t *sorted = merge_sort(&l, order, other, n);
        for (int64_t i = 0; i < n; i++) {
            int64_t to = w.offset + i * stride, from = w.offset + sorted[i] * stride;
            union number index = {.s = sorted[i]};
            if (x->n->op == OP_ARGSORT)
                number_store(out->tensor.type, out->data, to, index);
            else
                memcpy((char *)out->data + (size_t)to * bytes,
                       (const char *)in->data + (size_t)from * bytes, bytes);
        }
    } while (walk_next(&w));
    return true;
}

/* ---- fft ---- */

struct wide {
    long double re, im;
};

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

/* Any n, by its prime factors: with n = p m, j = p i + r, the transform of the whole from those
   of p parts, X[k] = sum over r of w^(r k) Y_r[k mod m]. A prime is the definition. `step` times
   n is how many roots there are; the parts are in `other`. */
static void transform(const struct wide *line, int64_t stride, struct wide *out, struct wide *other,
                      int64_t n, const struct wide *roots, int64_t step)
{
    int64_t p = 2;
    if (n == 1) {
        out[0] = line[0];
        return;
    }
    while (n % p != 0)
        p = p * p > n ? n : p + 1;
    int64_t m = n / p;
    for (int64_t r = 0; r < p; r++)
        transform(line + r * stride, stride * p, other + r * m, out + r * m, m, roots, step * p);
    for (int64_t k = 0; k < n; k++) {
        struct wide sum = {0, 0};
        for (int64_t r = 0, root = 0; r < p; r++, root = (root + k) % n) {
            struct wide term = wide_multiply(other[r * m + k % m], roots[root * step]);
            sum.re += term.re;
            sum.im += term.im;
        }
        out[k] = sum;
    }
}

/* The same as fourier does it, pass by pass, with its table (target/radix.h): the result is in
   `line`. A length that no passes make is one of its own. */
static void by_passes(struct wide *line, struct wide *other, int64_t n, const struct wide *table,
                      struct wide *roots, int sign)
{
    uint32_t radix[FOURIER_PASSES], passes = fourier_radices(n, radix);
    int64_t before = 1;
    for (uint32_t p = 0; p < (passes ? passes : 1); p++) {
        int64_t r = passes ? radix[p] : n, apart = n / r;
        for (int64_t i = 0; i < r; i++) {
            struct root w = fourier_root(i, r, sign > 0);
            roots[i] = (struct wide){w.re, w.im};
        }
        for (int64_t b = 0; b < apart; b++) {
            int64_t k = b % before, block = b / before * before * r;
            for (int64_t i = 1; i < r && before > 1; i++)
                line[b + i * apart] = wide_multiply(line[b + i * apart], table[i * before + k]);
            for (int64_t i = 0; i < r; i++) {
                struct wide sum = {0, 0};
                for (int64_t j = 0; j < r; j++) {
                    struct wide term = wide_multiply(line[b + j * apart], roots[i * j % r]);
                    sum.re += term.re;
                    sum.im += term.im;
                }
                other[block + k + i * before] = sum;
            }
        }
        memcpy(line, other, (size_t)n * sizeof *line);
        before *= r;
    }
}

/* Element i of the line, complex; zero beyond the input's end. */
static struct wide line_element(const struct array *in, int64_t offset, int64_t stride, int64_t i,
                                int64_t length)
{
    if (i >= length)
        return (struct wide){0, 0};
    union number e = number_load(in->tensor.type, in->data, offset + i * stride);
    e = number_convert(in->tensor.type, e, TYPE_C128);
    return (struct wide){creal(e.c), cimag(e.c)};
}

/* fft and ifft; fourier has a table with it, and is not scaled. */
static bool eval_fft(struct interp *x)
{
    const struct array *in = &x->ins[0];
    struct array *out = &x->outs[0];
    int64_t axis = attr_int(x->n, ATTR_axis, 0), n = out->tensor.shape.dim[axis], out_stride,
            stride;
    struct wide *line = ARENA_ARRAY(x->arena, struct wide, (size_t)n),
                *other = ARENA_ARRAY(x->arena, struct wide, (size_t)n);
    struct wide *roots = ARENA_ARRAY(x->arena, struct wide, (size_t)n),
                *done = ARENA_ARRAY(x->arena, struct wide, (size_t)n);
    bool passes = x->n->op == OP_FOURIER;
    int sign = x->n->op == OP_IFFT || (passes && attr_bool(x->n, ATTR_inverse)) ? 1 : -1;
    if (!line || !other || !roots || !done)
        return interp_no_memory(x);
    for (int64_t i = 0; i < n && passes; i++)
        done[i] = line_element(&x->ins[1], 0, 1, i, n); /* the table */
    if (!passes)
        unit_roots(roots, n, sign);
    struct walk to = walk_lines(&out->tensor.shape, axis, &out_stride);
    struct walk from = walk_lines(&in->tensor.shape, axis, &stride);
    do {
        for (int64_t i = 0; i < n; i++)
            line[i] = line_element(in, from.offset, stride, i, in->tensor.shape.dim[axis]);
        if (passes)
            by_passes(line, other, n, done, roots, sign);
        else
            transform(line, 1, done, other, n, roots, 1);
        const struct wide *result = passes ? line : done;
        for (int64_t i = 0; i < n; i++) {
            long double scale = x->n->op == OP_IFFT ? (long double)n : 1;
            union number e = {
                .c = complex_of((double)(result[i].re / scale), (double)(result[i].im / scale))};
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
