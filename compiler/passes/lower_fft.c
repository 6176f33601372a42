/* fft and ifft as transforms of lines that fit a workgroup: nodes `fourier`, which the family
   fourier compiles. With n = a b, j = b j1 + j2 and k = k1 + a k2, a longer line is

     X[k] = sum over j2 of (w^a)^(j2 k2) . w^(j2 k1) . sum over j1 of (w^b)^(j1 k1) x[j]

   lines of length a across the array, a product with a table, and lines of length b, which are
   split again if they do not fit. Each step writes its results where the next one reads them, so
   nothing is copied:

     x[outer, j1, j2, inner]  ->  [outer, k1, j2, inner]  ->  [outer, k2, k1, inner]

   A length with a prime factor above FOURIER_PRIME is a product with a matrix if it is short.
   Otherwise it is Bluestein's convolution by transforms of a power of two: with c[j] = e^(-pi i
   j^2 / n), X[k] = c[k] sum over j of (x[j] c[j]) conj(c[k - j]). Either way the error grows
   with the logarithm of the length. */
#include <math.h>
#include <string.h>

#include "target/radix.h"
#include "passes/lower.h"
#include "passes/pass.h"

enum {
    LONGEST_MATRIX = 64, /* 32 KiB as c64 */
    LONGEST = 1 << 24,
    LONGEST_CONVOLUTION = 1 << 20, /* its tables are then 32 MiB as c64 */
};
#define MOST_BYTES \
    ((int64_t)1    \
     << 33) /* of the result: what broadcasts of it and the tables take stays below 2^40 */

/* ---- tables ---- */

/* e^(-+ pi i j^2 / n) */
static struct root chirp(int64_t j, int64_t n, bool inverse)
{
    return fourier_root(j * j % (2 * n), 2 * n, inverse);
}

static struct root *new_table(struct build *b, int64_t size)
{
    struct root *t = ARENA_ARRAY(&b->r->scratch, struct root, (size_t)size);
    if (!t)
        build_fail_memory(b);
    return t;
}

static struct value literal(struct build *b, enum vkc_type type, struct shape shape,
                            const struct root *table)
{
    struct tensor t = {.type = type, .shape = shape};
    int64_t size = shape_size(&shape);
    size_t part = type_bytes(type) / 2;
    char *data = table ? arena_alloc(&b->r->scratch, tensor_bytes(&t), sizeof(double)) : NULL;
    if (!data)
        return build_fail_memory(b), BUILD_NONE;
    for (int64_t i = 0; i < 2 * size; i++) {
        double x = (double)(i % 2 ? table[i / 2].im : table[i / 2].re);
        float narrow = (float)x;
        memcpy(data + (size_t)i * part, part == sizeof narrow ? (void *)&narrow : (void *)&x, part);
    }
    return build_literal(b, &t, data);
}

/* [rows, columns] of the n-th root to the power of row times column. */
static struct value powers(struct build *b, enum vkc_type type, int64_t rows, int64_t columns,
                           int64_t n, bool inverse)
{
    struct root *t = new_table(b, rows * columns);
    for (int64_t i = 0; t && i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            t[i * columns + j] = fourier_root(i * j, n, inverse);
    return literal(b, type, shape_of(2, (int64_t[2]){rows, columns}), t);
}

/* The n-th roots, in the order of the passes. */
static struct value roots(struct build *b, enum vkc_type type, int64_t n, bool inverse)
{
    struct root *t = new_table(b, n);
    int64_t *exponents = ARENA_ARRAY(&b->r->scratch, int64_t, (size_t)n);
    if (!exponents)
        build_fail_memory(b);
    if (t && exponents)
        fourier_places(n, exponents);
    for (int64_t i = 0; t && exponents && i < n; i++)
        t[i] = fourier_root(exponents[i], n, inverse);
    return literal(b, type, shape_of(1, &n), exponents ? t : NULL);
}

/* Transforms a table in place; n is a power of two. */
static void transform_table(struct root *t, int64_t n)
{
    for (int64_t i = 1, k = 0; i < n; i++) {
        int64_t bit = n >> 1;
        for (; k & bit; bit >>= 1)
            k ^= bit;
        k ^= bit;
        if (i < k) {
            struct root x = t[i];
            t[i] = t[k];
            t[k] = x;
        }
    }
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t k = 0; k < half; k++) {
            struct root w = fourier_root(k, 2 * half, false);
            for (int64_t at = k; at < n; at += 2 * half) {
                struct root x = t[at], y = t[at + half];
                y = (struct root){y.re * w.re - y.im * w.im, y.re * w.im + y.im * w.re};
                t[at] = (struct root){x.re + y.re, x.im + y.im};
                t[at + half] = (struct root){x.re - y.re, x.im - y.im};
            }
        }
}

/* ---- transforms; x has outer * length * inner elements in that order, and so has the result
   ---- */

static struct value transform(struct build *b, struct value x, struct rows_of r, bool inverse);

static struct value scaled(struct build *b, struct value x, struct value table,
                           const struct shape *to, const int64_t *axes)
{
    table = build_broadcast(b, table, to, axes);
    return build_binary(b, OP_MULTIPLY, build_reshape(b, x, to), table);
}

/* Lines of one workgroup. */
static struct value by_lines(struct build *b, struct value x, struct rows_of r, bool inverse)
{
    struct shape lines = rows_shape(&r, r.length);
    x = build_reshape(b, x, &lines);
    if (!build_ok(b, x))
        return x;
    struct tensor out = {.type = build_tensor(b, x)->type, .shape = lines};
    struct value ins[2] = {x, roots(b, out.type, r.length, inverse)};
    struct attr attrs[2] = {{.key = ATTR_axis, .kind = 'i', .i = 1},
                            {.key = ATTR_inverse, .kind = 'b', .i = inverse}};
    struct node node = {.op = OP_FOURIER,
                        .nins = 2,
                        .nouts = 1,
                        .nattrs = 2,
                        .ins = ins,
                        .outs = &out,
                        .attrs = attrs};
    return build_node(b, &node);
}

static struct value by_matrix(struct build *b, struct value x, struct rows_of r, bool inverse)
{
    int64_t axes[2] = {1, 2}, batch = 0, contract_matrix = 2, contract = 1;
    struct shape lines = rows_shape(&r, r.length),
                 square = shape_of(3, (int64_t[3]){r.outer, r.length, r.length});
    x = build_reshape(b, x, &lines);
    if (!build_ok(b, x))
        return x;
    struct tensor out = {.type = build_tensor(b, x)->type, .shape = lines};
    struct value ins[2] = {
        build_broadcast(b, powers(b, out.type, r.length, r.length, r.length, inverse), &square,
                        axes),
        x};
    struct attr attrs[4] = {
        {.key = ATTR_contract_a, .kind = 'I', .count = 1, .list = &contract_matrix},
        {.key = ATTR_batch_a, .kind = 'I', .count = 1, .list = &batch},
        {.key = ATTR_contract_b, .kind = 'I', .count = 1, .list = &contract},
        {.key = ATTR_batch_b, .kind = 'I', .count = 1, .list = &batch}};
    struct node dot = {
        .op = OP_DOT, .nins = 2, .nouts = 1, .nattrs = 4, .ins = ins, .outs = &out, .attrs = attrs};
    return build_node(b, &dot);
}

/* A transform of any length by two of `m`, a power of two of at least 2 length - 1. */
static struct value by_convolution(struct build *b, struct value x, struct rows_of r, bool inverse)
{
    int64_t n = r.length, m = 1, middle = 1, zeros[3] = {0}, ones[3] = {1, 1, 1};
    while (m < 2 * n - 1)
        m *= 2;
    struct root *c = new_table(b, n), *h = new_table(b, m);
    if (!c || !h || !build_ok(b, x))
        return BUILD_NONE;
    for (int64_t i = 0; i < n; i++) {
        c[i] = chirp(i, n, inverse);
        h[i] = h[(m - i) % m] = chirp(i, n, !inverse);
    }
    transform_table(h, m);
    for (int64_t i = 0; i < m; i++)
        h[i] = (struct root){h[i].re / (long double)m, h[i].im / (long double)m};
    struct tensor zero = {.type = build_tensor(b, x)->type};
    struct value chirps = literal(b, zero.type, shape_of(1, &n), c),
                 response = literal(b, zero.type, shape_of(1, &m), h);
    struct shape rows = rows_shape(&r, n), longer = rows_shape(&r, m);
    struct rows_of padded = {r.outer, m, r.inner};
    x = scaled(b, x, chirps, &rows, &middle);
    x = build_pad(b, x, build_number(b, &zero, 0), zeros, (int64_t[3]){0, m - n, 0}, zeros);
    x = scaled(b, transform(b, x, padded, false), response, &longer, &middle);
    x = build_reshape(b, transform(b, x, padded, true), &longer);
    x = build_slice(b, x, zeros, rows.dim, ones);
    return scaled(b, x, chirps, &rows, &middle);
}

/* Lines across memory are read in whole pieces of it only where a workgroup has several. */
static struct fourier_limits limits_of(const struct build *b, uint32_t bytes, bool across)
{
    const struct pass_options *o = b->r->options;
    return fourier_limits(o->target, o->tuning, bytes, across);
}

/* The first of as few parts as fit, and as even; 0 if there is none. */
static int64_t first_part(int64_t n, uint32_t bytes, struct fourier_limits limits)
{
    int64_t longest = 0, part = 0, parts = 1;
    for (int64_t d = 2; d < n && d <= (int64_t)limits.invocations * FOURIER_RADIX; d++)
        if (n % d == 0 && fourier_fits(d, bytes, limits))
            longest = d;
    if (longest == 0)
        return 0;
    for (int64_t left = n; left > longest; left = (left + longest - 1) / longest)
        parts++;
    for (int64_t d = 2; d <= longest; d++) /* the least with d^parts >= n */
        if (n % d == 0 && fourier_fits(d, bytes, limits)) {
            part = d;
            if (pow((double)d, (double)parts) >= (double)n)
                break;
        }
    return part;
}

/* x[outer, k1, j2, inner] times w^(j2 k1), of which the table is two: j2 = step * high + low. */
static struct value turn(struct build *b, struct value x, struct rows_of r, int64_t first,
                         bool inverse)
{
    int64_t rest = r.length / first, step = 1, high_axes[2] = {1, 2}, low_axes[2] = {1, 3};
    for (int64_t d = 2; d * d <= rest; d++)
        step = rest % d == 0 ? d : step;
    if (!build_ok(b, x))
        return x;
    enum vkc_type type = build_tensor(b, x)->type;
    struct shape split = shape_of(5, (int64_t[5]){r.outer, first, rest / step, step, r.inner});
    struct root *high = new_table(b, first * (rest / step)), *low = new_table(b, first * step);
    for (int64_t k = 0; high && low && k < first; k++) {
        for (int64_t j = 0; j < rest / step; j++)
            high[k * (rest / step) + j] = fourier_root(k * j * step, r.length, inverse);
        for (int64_t j = 0; j < step; j++)
            low[k * step + j] = fourier_root(k * j, r.length, inverse);
    }
    struct value h = literal(b, type, shape_of(2, (int64_t[2]){first, rest / step}), high);
    struct value w = build_broadcast(b, h, &split, high_axes);
    if (step > 1)
        w = build_binary(
            b, OP_MULTIPLY, w,
            build_broadcast(b, literal(b, type, shape_of(2, (int64_t[2]){first, step}), low),
                            &split, low_axes));
    return build_binary(b, OP_MULTIPLY, build_reshape(b, x, &split), w);
}

static struct value by_parts(struct build *b, struct value x, struct rows_of r, int64_t first,
                             bool inverse)
{
    int64_t rest = r.length / first;
    struct shape parts = shape_of(4, (int64_t[4]){r.outer, first, rest, r.inner});
    x = by_lines(b, x, (struct rows_of){r.outer, first, rest * r.inner}, inverse);
    x = build_reshape(b, turn(b, x, r, first, inverse), &parts);
    x = build_transpose(b, x, (int64_t[4]){0, 2, 1, 3});
    return transform(b, x, (struct rows_of){r.outer, rest, first * r.inner}, inverse);
}

static struct value transform(struct build *b, struct value x, struct rows_of r, bool inverse)
{
    uint32_t radix[FOURIER_PASSES];
    if (r.length == 1 || !build_ok(b, x))
        return x;
    uint32_t bytes = type_bytes(build_tensor(b, x)->type);
    if (fourier_fits(r.length, bytes, limits_of(b, bytes, r.inner > 1)))
        return by_lines(b, x, r, inverse);
    int64_t first = fourier_radices(r.length, radix)
                        ? first_part(r.length, bytes, limits_of(b, bytes, true))
                        : 0;
    if (first)
        return by_parts(b, x, r, first, inverse);
    return r.length <= LONGEST_MATRIX ? by_matrix(b, x, r, inverse)
                                      : by_convolution(b, x, r, inverse);
}

/* The first `length` elements of each row, or zeros after the last. */
static struct value of_length(struct build *b, struct value x, struct rows_of *r, int64_t length)
{
    int64_t zeros[3] = {0}, ones[3] = {1, 1, 1};
    struct shape rows = rows_shape(r, r->length);
    struct tensor zero = {.type = build_tensor(b, x)->type};
    x = build_reshape(b, x, &rows);
    if (length > r->length)
        x = build_pad(b, x, build_number(b, &zero, 0), zeros,
                      (int64_t[3]){0, length - r->length, 0}, zeros);
    else if (length < r->length)
        x = build_slice(b, x, zeros, rows_shape(r, length).dim, ones);
    r->length = length;
    return x;
}

bool lower_fft(struct build *b, const struct node *n, const struct value *ins, struct value *outs)
{
    const struct tensor *out = &n->outs[0];
    int64_t length = attr_int(n, ATTR_length, 1);
    struct rows_of r = rows_of(&build_tensor(b, ins[0])->shape, attr_int(n, ATTR_axis, 0));
    uint32_t radix[FOURIER_PASSES];
    bool convolution = length > LONGEST_MATRIX && fourier_radices(length, radix) == 0;
    if (length > (convolution ? LONGEST_CONVOLUTION : LONGEST) ||
        (int64_t)tensor_bytes(out) > MOST_BYTES)
        return false;
    struct value x = build_convert(b, of_length(b, ins[0], &r, length), out->type);
    x = build_reshape(b, transform(b, x, r, n->op == OP_IFFT), &out->shape);
    if (n->op == OP_IFFT && length > 1)
        x = build_binary(b, OP_MULTIPLY, x, build_number(b, out, 1.0 / (double)length));
    outs[0] = x;
    return true;
}
