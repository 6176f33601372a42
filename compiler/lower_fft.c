/* fft and ifft as products with small matrices. With w = e^(-2 pi i / n) and n = n1 n2, j = n2 j1 + j2 and
   k = k1 + n1 k2:

     X[k] = sum over j2 of (w^n1)^(j2 k2) . w^(j2 k1) . sum over j1 of (w^n2)^(j1 k1) . x[j]

   so that a transform is one of length n1, a product with a table, and one of length n2, which is taken
   apart in turn: n (n1 + n2 + ...) products instead of n^2. Every step is a dot that leaves its result
   where the next one, and the end, wants it (Stockham's order), and nothing is ever transposed:

     x[outer, done, j1, rest]  ->  [outer, k1, done, rest]     `done` holds the digits of k, lowest last

   A prime above LONGEST_MATRIX is Bluestein's convolution: with c[j] = e^(-pi i j^2 / n),
   X[k] = c[k] sum over j of (x[j] c[j]) conj(c[k - j]), by transforms of a power of two. */
#include <math.h>
#include <string.h>

#include "lower.h"

enum {
    WHOLE = 64,                 /* shorter ones are one dot */
    WIDEST_STEP = 32,           /* where loads from cache cost what the passage through memory does */
    LONGEST_MATRIX = 128,       /* of a prime length; 128 KiB as c64 */
    LONGEST = 1 << 20,          /* the first table is then 8 MiB as c64 */
};
#define MOST_BYTES ((int64_t)1 << 33)   /* of the result: what broadcasts of it and the matrices take stays below 2^40 */

/* ---- tables ---- */

struct wide { long double re, im; };

/* e^(-+ 2 pi i k / n), exact where a part is 0 or 1, and as symmetric as the circle. */
static struct wide root(int64_t k, int64_t n, bool inverse)
{
    const long double quarter = 1.570796326794896619231321691639751442L;
    int64_t quadrant = 4 * (k % n) / n, part = 4 * (k % n) - quadrant * n;
    long double c, s;
    if (2 * part > n) {
        c = sinl(quarter * (long double)(n - part) / (long double)n);
        s = cosl(quarter * (long double)(n - part) / (long double)n);
    } else {
        c = cosl(quarter * (long double)part / (long double)n);
        s = 2 * part == n ? c : sinl(quarter * (long double)part / (long double)n);
    }
    const struct wide turned[4] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}}, w = turned[quadrant];
    return (struct wide){w.re + 0.0L, (inverse ? w.im : -w.im) + 0.0L}; /* no -0 */
}

/* e^(-+ pi i j^2 / n) */
static struct wide chirp(int64_t j, int64_t n, bool inverse)
{
    return root(j * j % (2 * n), 2 * n, inverse);
}

static struct wide *new_table(struct build *b, int64_t size)
{
    struct wide *t = ARENA_ARRAY(&b->r->scratch, struct wide, (size_t)size);
    if (!t)
        build_fail_memory(b);
    return t;
}

static struct value literal(struct build *b, enum vkc_type type, struct shape shape, const struct wide *table)
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
static struct value powers(struct build *b, enum vkc_type type, int64_t rows, int64_t columns, int64_t n, bool inverse)
{
    struct wide *t = new_table(b, rows * columns);
    for (int64_t i = 0; t && i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            t[i * columns + j] = root(i * j, n, inverse);
    return literal(b, type, shape_of(2, (int64_t[2]){rows, columns}), t);
}

/* Transforms a table in place; n is a power of two. */
static void transform_table(struct wide *t, int64_t n)
{
    for (int64_t i = 1, k = 0; i < n; i++) {
        int64_t bit = n >> 1;
        for (; k & bit; bit >>= 1)
            k ^= bit;
        k ^= bit;
        if (i < k) {
            struct wide x = t[i];
            t[i] = t[k];
            t[k] = x;
        }
    }
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t k = 0; k < half; k++) {
            struct wide w = root(k, 2 * half, false);
            for (int64_t at = k; at < n; at += 2 * half) {
                struct wide x = t[at], y = t[at + half];
                y = (struct wide){y.re * w.re - y.im * w.im, y.re * w.im + y.im * w.re};
                t[at] = (struct wide){x.re + y.re, x.im + y.im};
                t[at + half] = (struct wide){x.re - y.re, x.im - y.im};
            }
        }
}

/* ---- transforms; x has outer * length * inner elements in that order, and so has the result ---- */

static struct value transform(struct build *b, struct value x, struct rows_of r, bool inverse);

static struct value scaled(struct build *b, struct value x, struct value table, const struct shape *to, const int64_t *axes)
{
    return build_binary(b, OP_MULTIPLY, build_reshape(b, x, to), build_broadcast(b, table, to, axes));
}

/* x[outer, done, j, rest] to [outer, k, done, rest]. */
static struct value by_matrix(struct build *b, struct value x, int64_t outer, int64_t done, int64_t n, int64_t rest, bool inverse)
{
    int64_t axes[2] = {1, 2}, batch = 0, contract = 2;
    struct shape from = shape_of(4, (int64_t[4]){outer, done, n, rest}), square = shape_of(3, (int64_t[3]){outer, n, n});
    if (!build_ok(b, x))
        return x;
    struct tensor out = {.type = build_tensor(b, x)->type, .shape = shape_of(4, (int64_t[4]){outer, n, done, rest})};
    struct value w = build_broadcast(b, powers(b, out.type, n, n, n, inverse), &square, axes);
    struct value ins[2] = {w, build_reshape(b, x, &from)};
    struct attr attrs[4];
    static const enum attr_key keys[4] = {ATTR_contract_a, ATTR_batch_a, ATTR_contract_b, ATTR_batch_b};
    for (int i = 0; i < 4; i++)
        attrs[i] = (struct attr){.key = keys[i], .kind = 'I', .count = 1, .list = i % 2 ? &batch : &contract};
    struct node dot = {.op = OP_DOT, .nins = 2, .nouts = 1, .nattrs = 4, .ins = ins, .outs = &out, .attrs = attrs};
    return build_node(b, &dot);
}

/* A transform of any length by two of `m`, a power of two of at least 2 length - 1. */
static struct value by_convolution(struct build *b, struct value x, struct rows_of r, bool inverse)
{
    int64_t n = r.length, m = 1, middle = 1, zeros[3] = {0}, ones[3] = {1, 1, 1};
    while (m < 2 * n - 1)
        m *= 2;
    struct wide *c = new_table(b, n), *h = new_table(b, m);
    if (!c || !h || !build_ok(b, x))
        return BUILD_NONE;
    for (int64_t i = 0; i < n; i++) {
        c[i] = chirp(i, n, inverse);
        h[i] = h[(m - i) % m] = chirp(i, n, !inverse);
    }
    transform_table(h, m);
    for (int64_t i = 0; i < m; i++)
        h[i] = (struct wide){h[i].re / (long double)m, h[i].im / (long double)m};
    struct tensor zero = {.type = build_tensor(b, x)->type};
    struct value chirps = literal(b, zero.type, shape_of(1, &n), c), response = literal(b, zero.type, shape_of(1, &m), h);
    struct shape rows = shape_of(3, (int64_t[3]){r.outer, n, r.inner}), longer = shape_of(3, (int64_t[3]){r.outer, m, r.inner});
    struct rows_of padded = {r.outer, m, r.inner};
    x = scaled(b, x, chirps, &rows, &middle);
    x = build_pad(b, x, build_number(b, &zero, 0), zeros, (int64_t[3]){0, m - n, 0}, zeros);
    x = scaled(b, transform(b, x, padded, false), response, &longer, &middle);
    x = build_reshape(b, transform(b, x, padded, true), &longer);
    x = build_slice(b, x, zeros, rows.dim, ones);
    return scaled(b, x, chirps, &rows, &middle);
}

/* x[outer, done, j, rest] to [outer, k, done, rest]. */
static struct value step(struct build *b, struct value x, int64_t outer, int64_t done, int64_t n, int64_t rest, bool inverse)
{
    if (n <= LONGEST_MATRIX)
        return by_matrix(b, x, outer, done, n, rest, inverse);
    struct shape there = shape_of(4, (int64_t[4]){outer, done, n, rest});
    x = by_convolution(b, x, (struct rows_of){outer * done, n, rest}, inverse);
    return build_transpose(b, build_reshape(b, x, &there), (int64_t[4]){0, 2, 1, 3});
}

/* The length of the next step: n itself, or a divisor of about its square root. */
static int64_t next_length(int64_t n)
{
    if (n < WHOLE)
        return n;
    for (int64_t d = WIDEST_STEP; d > 1; d--)
        if (n % d == 0 && d * d <= n)
            return d;
    for (int64_t d = WIDEST_STEP + 1; d * d <= n; d++)
        if (n % d == 0)
            return d;
    return n;
}

static struct value transform(struct build *b, struct value x, struct rows_of r, bool inverse)
{
    for (int64_t done = 1, left = r.length; left > 1;) {
        int64_t n = next_length(left), rest = left / n, axes[2] = {1, 3};
        x = step(b, x, r.outer, done, n, rest * r.inner, inverse);
        struct shape split = shape_of(5, (int64_t[5]){r.outer, n, done, rest, r.inner});
        if (rest > 1 && build_ok(b, x))
            x = scaled(b, x, powers(b, build_tensor(b, x)->type, n, rest, left, inverse), &split, axes);
        done *= n;
        left = rest;
    }
    return x;
}

/* The first `length` elements of each row, or zeros after the last. */
static struct value of_length(struct build *b, struct value x, struct rows_of *r, int64_t length)
{
    int64_t zeros[3] = {0}, ones[3] = {1, 1, 1};
    struct shape rows = shape_of(3, (int64_t[3]){r->outer, r->length, r->inner});
    struct tensor zero = {.type = build_tensor(b, x)->type};
    x = build_reshape(b, x, &rows);
    if (length > r->length)
        x = build_pad(b, x, build_number(b, &zero, 0), zeros, (int64_t[3]){0, length - r->length, 0}, zeros);
    else if (length < r->length)
        x = build_slice(b, x, zeros, (int64_t[3]){r->outer, length, r->inner}, ones);
    r->length = length;
    return x;
}

bool lower_fft(struct build *b, const struct node *n, const struct value *ins, struct value *outs)
{
    const struct tensor *out = &n->outs[0];
    int64_t length = attr_int(n, ATTR_length, 1);
    struct rows_of r = rows_of(&build_tensor(b, ins[0])->shape, attr_int(n, ATTR_axis, 0));
    if (length > LONGEST || (int64_t)tensor_bytes(out) > MOST_BYTES)
        return false;
    struct value x = build_convert(b, of_length(b, ins[0], &r, length), out->type);
    x = build_reshape(b, transform(b, x, r, n->op == OP_IFFT), &out->shape);
    if (n->op == OP_IFFT && length > 1)
        x = build_binary(b, OP_MULTIPLY, x, build_number(b, out, 1.0 / (double)length));
    outs[0] = x;
    return true;
}
