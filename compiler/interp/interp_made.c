/* The interpreter of the ops that passes make, but for the steps of sorts. */
#include "interp/interp_impl.h"

#include <math.h>
#include <string.h>

/* ---- scan ---- */

static enum op combine_of(const struct node *n)
{
    return op_parse(attr_text(n, ATTR_combine));
}

/* `acc` takes in `v`. Sums of floats are compensated in double. */
static union number combine(enum op op, enum vkc_type type, union number acc, union number v)
{
    const struct op_info *o = &vkc_ops[op];
    uint32_t width = vkc_types[type].bits;
    switch (vkc_types[type].kind) {
    case KIND_FLOAT: acc.f = o->ref_float(acc.f, v.f, 0); break;
    case KIND_SINT: acc.s = o->ref_sint(acc.s, v.s, 0, width); break;
    case KIND_UINT: acc.u = o->ref_uint(acc.u, v.u, 0, width); break;
    default: acc.c = o->ref_complex(acc.c, v.c, 0); break;
    }
    return acc;
}

static bool eval_scan(struct interp *x)
{
    const struct array *in = &x->ins[0];
    enum vkc_type type = in->tensor.type;
    enum op op = combine_of(x->n);
    const int64_t *dim = in->tensor.shape.dim;
    int64_t rows = dim[0] * dim[2], length = dim[1], inner = dim[2],
            run = attr_int(x->n, ATTR_run, 1);
    bool reverse = attr_bool(x->n, ATTR_reverse);
    bool sums = op_has(op, OP_COMPENSATED) && type_is_float(type);
    for (int64_t row = 0; row < rows; row++) {
        union number acc = {0};
        struct sum sum = {0};
        for (int64_t i = 0; i < length; i++) {
            int64_t at =
                row / inner * length * inner + row % inner + (reverse ? length - 1 - i : i) * inner;
            union number v = number_load(type, in->data, at);
            if (i % run == 0)
                sum = (struct sum){0};
            if (sums) {
                sum_add(&sum, v.f);
                acc.f = sum_value(&sum);
            } else
                acc = i % run == 0 ? v : combine(op, type, acc, v);
            number_store(type, x->outs[0].data, at, acc);
        }
    }
    return true;
}

/* ---- search, segment_sum ---- */

static bool eval_search(struct interp *x)
{
    const uint32_t *sorted = x->ins[0].data, *wanted = x->ins[1].data;
    int32_t *out = x->outs[0].data;
    for (int64_t i = 0, size = shape_size(&x->outs[0].tensor.shape); i < size; i++) {
        int64_t lo = 0, hi = x->ins[0].tensor.shape.dim[0];
        while (lo < hi) {
            int64_t middle = lo + (hi - lo) / 2;
            if (sorted[middle] < wanted[i])
                lo = middle + 1;
            else
                hi = middle;
        }
        out[i] = (int32_t)lo;
    }
    return true;
}

/* Tiles are a matter of speed only: the reference adds up update by update. */
static bool eval_segment_sum(struct interp *x)
{
    enum vkc_type type = x->outs[0].tensor.type;
    int64_t targets = x->outs[0].tensor.shape.dim[0], rest = x->outs[0].tensor.shape.dim[1],
            count = x->ins[1].tensor.shape.dim[0];
    const uint32_t *order = x->ins[2].data;
    const int32_t *starts = x->ins[3].data;
    bool is_complex = type_is_complex(type);
    for (int64_t t = 0; t < targets; t++)
        for (int64_t i = 0; i < rest; i++) {
            union number acc = number_load(type, x->ins[0].data, t * rest + i);
            struct sum re = {.high = is_complex ? creal(acc.c) : acc.f},
                       im = {.high = is_complex ? cimag(acc.c) : 0};
            for (int64_t j = starts[t] > 0 ? starts[t] : 0; j < starts[t + 1] && j < count; j++) {
                union number v = number_load(type, x->ins[1].data,
                                             (order[j] < count ? order[j] : count - 1) * rest + i);
                if (type_is_int(type))
                    acc.u += v.u;
                sum_add(&re, is_complex ? creal(v.c) : v.f);
                sum_add(&im, is_complex ? cimag(v.c) : 0);
            }
            if (is_complex)
                acc.c = complex_of(sum_value(&re), sum_value(&im));
            else if (!type_is_int(type))
                acc.f = sum_value(&re);
            number_store(type, x->outs[0].data, t * rest + i, acc);
        }
    return true;
}

/* ---- panel_cholesky ---- */

typedef long double complex wide_complex;

static wide_complex load_wide(enum vkc_type t, const void *data, int64_t i)
{
    union number x = number_load(t, data, i);
    return type_is_complex(t) ? (wide_complex)x.c : (wide_complex)x.f;
}

static void store_wide(enum vkc_type t, void *data, int64_t i, wide_complex x)
{
    union number n = {.f = (double)creall(x)};
    if (type_is_complex(t))
        n.c = complex_of((double)creall(x), (double)cimagl(x));
    number_store(t, data, i, n);
}

/* l of a = l l*, row by row, and below it x of x l* = c; a pivot of zero divides as 1e-10. */
static void factor(wide_complex *l, int64_t rows, int64_t n)
{
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j <= i && j < n; j++) {
            wide_complex rest = l[i * n + j], pivot = l[j * n + j];
            for (int64_t k = 0; k < j; k++)
                rest -= l[i * n + k] * conjl(l[j * n + k]);
            l[i * n + j] = j == i ? (wide_complex)sqrtl(creall(rest))
                                  : rest / (creall(pivot) == 0 ? 1e-10L : creall(pivot));
        }
        for (int64_t j = i + 1; j < n; j++)
            l[i * n + j] = 0;
    }
}

/* x of l x = 1 */
static void invert(const wide_complex *l, wide_complex *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            wide_complex rest = i == j;
            for (int64_t k = j; k < i; k++)
                rest -= l[i * n + k] * x[k * n + j];
            long double pivot = creall(l[i * n + i]);
            x[i * n + j] = j > i ? 0 : rest / (pivot == 0 ? 1e-10L : pivot);
        }
}

static bool eval_panel_cholesky(struct interp *x)
{
    const struct array *in = &x->ins[0];
    enum vkc_type t = in->tensor.type;
    int64_t rows = in->tensor.shape.dim[1], n = in->tensor.shape.dim[2], all = rows * n,
            parts = x->outs[0].tensor.shape.dim[1];
    wide_complex *l = ARENA_ARRAY(x->arena, wide_complex, 2 * all), *inverse = l + all;
    if (!l)
        return interp_no_memory(x);
    for (int64_t m = 0; m < in->tensor.shape.dim[0]; m++) {
        for (int64_t i = 0; i < all; i++)
            l[i] = load_wide(t, in->data, m * all + i);
        factor(l, rows, n);
        if (parts > 1)
            invert(l, inverse, n);
        for (int64_t i = 0; i < all * parts; i++)
            store_wide(t, x->outs[0].data, m * all * parts + i, l[i]);
    }
    return true;
}

/* ---- panel_lu ---- */

/* The row with the greatest element of column k among those that stand at k or below, the first
   of equals and of NaNs; it changes places with the one at k. */
static int64_t pivot_row(const long double *x, int64_t *place, int64_t rows, int64_t width,
                         int64_t k)
{
    int64_t best = -1;
    for (int64_t i = 0; i < rows; i++) {
        if (place[i] < k)
            continue;
        long double size = fabsl(x[i * width + k]),
                    most = best < 0 ? -1 : fabsl(x[best * width + k]);
        bool first = best >= 0 && place[i] < place[best];
        if (isnan(size) ? !isnan(most) || first : size > most || (size == most && first))
            best = i;
    }
    for (int64_t i = 0; i < rows && best >= 0; i++)
        if (place[i] == k)
            place[i] = place[best];
    if (best >= 0)
        place[best] = k;
    return best;
}

static void eliminate(long double *x, int64_t *place, int64_t *pivots, int64_t rows, int64_t width)
{
    for (int64_t k = 0; k < width; k++) {
        int64_t p = pivots[k] = pivot_row(x, place, rows, width, k);
        for (int64_t i = 0; i < rows && p >= 0; i++) {
            long double *row = x + i * width, *pivot = x + p * width;
            if (place[i] <= k)
                continue;
            if (pivot[k] != 0)
                row[k] /= pivot[k];
            for (int64_t j = k + 1; j < width; j++)
                row[j] -= row[k] * pivot[j];
        }
    }
}

static bool eval_panel_lu(struct interp *x)
{
    const struct tensor *in = &x->ins[0].tensor, *places = &x->ins[1].tensor;
    int64_t rows = in->shape.dim[1], width = in->shape.dim[2], all = rows * width,
            across = places->shape.dim[2];
    long double *a = ARENA_ARRAY(x->arena, long double, all + width * width), *inverse = a + all;
    int64_t *place = ARENA_ARRAY(x->arena, int64_t, rows + width), *pivots = place + rows;
    if (!a || !place)
        return interp_no_memory(x);
    for (int64_t m = 0; m < in->shape.dim[0]; m++) {
        int64_t out = m * (rows + width) * (width + 1);
        for (int64_t i = 0; i < all; i++)
            a[i] = creall(load_wide(in->type, x->ins[0].data, m * all + i));
        for (int64_t i = 0; i < rows; i++)
            place[i] = (int64_t)creall(load_wide(in->type, x->ins[1].data,
                                                 (m * places->shape.dim[1] + i + 1) * across - 1));
        eliminate(a, place, pivots, rows, width);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j <= width; j++)
                store_wide(in->type, x->outs[0].data, out + i * (width + 1) + j,
                           j < width ? (place[i] < 0 ? 0 : a[i * width + j])
                                     : (long double)(place[i] - width));
        for (int64_t i = 0; i < width; i++)
            for (int64_t j = 0; j <= width; j++) {
                long double rest = j < width ? i == j : (long double)pivots[i];
                for (int64_t k = j; k < i && pivots[i] >= 0; k++)
                    rest -= a[pivots[i] * width + k] * inverse[k * width + j];
                if (j < width)
                    inverse[i * width + j] = rest;
                store_wide(in->type, x->outs[0].data, out + (rows + i) * (width + 1) + j, rest);
            }
    }
    return true;
}

/* ---- panel_qr ---- */

/* Column k of a made zero below the diagonal, and the others to match; gives tau of
   I - tau v v^T, whose v stands below the diagonal, with a one on it. Of squares of no
   more than `least`, those of a device lose what underflows: they are left out. */
static long double reflect(long double *a, int64_t rows, int64_t width, int64_t k, long double eps,
                           long double least)
{
    long double top = a[k * width + k], below = 0;
    for (int64_t i = k + 1; i < rows; i++)
        below += a[i * width + k] * a[i * width + k];
    bool is_nothing = below <= eps * eps * top * top;
    if (is_nothing || below <= least) {
        bool turns = !is_nothing && top < 0;
        for (int64_t i = k + 1; i < rows; i++)
            a[i * width + k] = 0;
        for (int64_t j = k; turns && j < width; j++)
            a[k * width + j] = -a[k * width + j];
        return turns ? 2 : 0;
    }
    long double length = sqrtl(top * top + below),
                first = top <= 0 ? top - length : -below / (top + length), tau = -first / length;
    for (int64_t i = k + 1; i < rows; i++)
        a[i * width + k] /= first;
    a[k * width + k] = length;
    for (int64_t j = k + 1; j < width; j++) {
        long double along = a[k * width + j];
        for (int64_t i = k + 1; i < rows; i++)
            along += a[i * width + k] * a[i * width + j];
        a[k * width + j] -= tau * along;
        for (int64_t i = k + 1; i < rows; i++)
            a[i * width + j] -= tau * along * a[i * width + k];
    }
    return tau;
}

/* Column k of T, from the columns before it and the vectors in a. */
static void add_to_triangle(long double *t, const long double *a, int64_t rows, int64_t width,
                            int64_t k, long double tau)
{
    for (int64_t i = 0; i < width; i++) {
        long double sum = 0;
        for (int64_t j = i; j < k; j++) {
            long double along = a[k * width + j];
            for (int64_t r = k + 1; r < rows; r++)
                along += a[r * width + j] * a[r * width + k];
            sum += t[i * width + j] * along;
        }
        t[i * width + k] = i < k ? -tau * sum : i == k ? tau : 0;
    }
}

static bool eval_panel_qr(struct interp *x)
{
    const struct tensor *in = &x->ins[0].tensor;
    int64_t rows = in->shape.dim[1], width = in->shape.dim[2], all = rows * width;
    long double *a = ARENA_ARRAY(x->arena, long double, all + width * width), *t = a + all,
                eps = type_bytes(in->type) == 8 ? 0x1p-56L : 0x1p-27L,
                least = type_bytes(in->type) == 8 ? 0x1p-950L : 0x1p-90L;
    if (!a)
        return interp_no_memory(x);
    for (int64_t m = 0; m < in->shape.dim[0]; m++) {
        for (int64_t i = 0; i < all; i++)
            a[i] = creall(load_wide(in->type, x->ins[0].data, m * all + i));
        for (int64_t k = 0; k < width; k++)
            add_to_triangle(t, a, rows, width, k, reflect(a, rows, width, k, eps, least));
        for (int64_t i = 0; i < all + width * width; i++)
            store_wide(in->type, x->outs[0].data, m * (all + width * width) + i, a[i]);
    }
    return true;
}

/* ---- jacobi ---- */

struct rotations {
    wide_complex *products, *turns; /* of w vectors */
    int64_t w, rows;
    long double eps;
    bool across, absolute, is_complex;
};

/* One rotation of vectors p and q: whether there is any. */
static bool rotate(const struct rotations *r, int64_t p, int64_t q)
{
    wide_complex *products = r->products, *turns = r->turns, g = products[p * r->w + q];
    int64_t w = r->w;
    long double a = creall(products[p * w + p]), d = creall(products[q * w + q]);
    long double square = creall(g) * creall(g) + cimagl(g) * cimagl(g), least = r->eps * r->eps;
    if (r->absolute ? !(square > least)
                    : !(square > least * (long double)r->rows * a * d && a > least && d > least))
        return false;
    /* of real numbers the angle has the sign */
    long double size = r->is_complex ? sqrtl(square) : creall(g), z = (d - a) / (2 * size);
    long double t = (z >= 0 ? 1 : -1) / (fabsl(z) + sqrtl(1 + z * z));
    long double c = 1 / sqrtl(1 + t * t), s = c * t;
    wide_complex e = conjl(g / size);
    for (int64_t k = 0; k < w; k++) {
        wide_complex x = products[k * w + p], y = e * products[k * w + q];
        products[k * w + p] = c * x - s * y;
        products[k * w + q] = s * x + c * y;
        x = turns[k * w + p], y = e * turns[k * w + q];
        turns[k * w + p] = c * x - s * y;
        turns[k * w + q] = s * x + c * y;
    }
    for (int64_t k = 0; k < w; k++) {
        wide_complex x = products[p * w + k], y = conjl(e) * products[q * w + k];
        products[p * w + k] = c * x - s * y;
        products[q * w + k] = s * x + c * y;
    }
    return true;
}

/* The halves of all vectors meet, then, unless it is `across`, halves of halves. */
static bool sweep(const struct rotations *r)
{
    bool any = false;
    for (int64_t apart = r->w / 2; apart >= (r->across ? r->w / 2 : 1); apart /= 2)
        for (int64_t turn = 0; turn < apart; turn++)
            for (int64_t i = 0; i < r->w / 2; i++) {
                int64_t block = i / apart * 2 * apart;
                any |= rotate(r, block + i % apart, block + apart + (i + turn) % apart);
            }
    return any;
}

static bool eval_jacobi(struct interp *x)
{
    const struct tensor *in = &x->ins[0].tensor;
    int64_t w = in->shape.dim[2];
    struct rotations r = {
        .w = w,
        .rows = attr_int(x->n, ATTR_rows, 0),
        .eps = type_bytes(type_part(in->type)) == 8 ? 0x1p-52L : 0x1p-23L,
        .across = attr_bool(x->n, ATTR_across),
        .absolute = attr_bool(x->n, ATTR_absolute),
        .is_complex = type_is_complex(in->type),
        .products = ARENA_ARRAY(x->arena, wide_complex, 2 * w * w),
    };
    if (!r.products)
        return interp_no_memory(x);
    r.turns = r.products + w * w;
    for (int64_t m = 0; m < in->shape.dim[0]; m++) {
        for (int64_t i = 0; i < w * w; i++) {
            r.products[i] = load_wide(in->type, x->ins[0].data, m * w * w + i);
            r.turns[i] = i / w == i % w;
        }
        int64_t sweeps = attr_int(x->n, ATTR_sweeps, 0);
        while (sweeps-- > 0 && sweep(&r))
            ;
        for (int64_t i = 0; i < w * w; i++)
            store_wide(in->type, x->outs[0].data, m * w * w + i, r.turns[i]);
    }
    return true;
}

/* ---- turn_blocks ---- */

/* The place that a block of 2 p has next. */
static int64_t moved(int64_t block, int64_t p)
{
    if (block == 0 || p == 1)
        return block;
    if (block < p)
        return block == p - 1 ? 2 * p - 1 : block + 1;
    return block == p ? 1 : block - 1;
}

/* Vectors of `count` elements, `along` apart, in lines `across` apart: all pairs of blocks of a
   matrix, turned. */
struct lines_turned {
    wide_complex *data, *pair; /* and room for the new elements of a line */
    int64_t blocks, half, lines, across, along;
};

static void turn_lines(const struct lines_turned *l, const struct array *turns, int64_t matrix,
                       bool conjugate)
{
    int64_t w = 2 * l->half, p = l->blocks / 2;
    for (int64_t line = 0; line < l->lines; line++) {
        wide_complex *at = l->data + line * l->across;
        for (int64_t to = 0; to < p * w; to++) {
            int64_t block = to / l->half, i = block % p, j = block / p * l->half + to % l->half;
            wide_complex sum = 0;
            for (int64_t k = 0; k < w; k++) {
                wide_complex t =
                    load_wide(turns->tensor.type, turns->data, ((matrix * p + i) * w + k) * w + j);
                int64_t row = (k / l->half * p + i) * l->half + k % l->half;
                sum += (conjugate ? conjl(t) : t) * at[row * l->along];
            }
            l->pair[moved(block, p) * l->half + to % l->half] = sum;
        }
        for (int64_t to = 0; to < p * w; to++)
            at[to * l->along] = l->pair[to];
    }
}

static bool eval_turn_blocks(struct interp *x)
{
    const struct tensor *in = &x->ins[0].tensor;
    int64_t rows = in->shape.dim[1], length = in->shape.dim[2], w = x->ins[1].tensor.shape.dim[2],
            all = rows * length;
    wide_complex *a = ARENA_ARRAY(x->arena, wide_complex, all + rows);
    if (!a)
        return interp_no_memory(x);
    for (int64_t m = 0; m < in->shape.dim[0]; m++) {
        struct lines_turned down = {a, a + all, 2 * rows / w, w / 2, length, 1, length};
        struct lines_turned across = {a, a + all, 2 * rows / w, w / 2, rows, length, 1};
        for (int64_t i = 0; i < all; i++)
            a[i] = load_wide(in->type, x->ins[0].data, m * all + i);
        turn_lines(&down, &x->ins[1], m, false);
        if (attr_bool(x->n, ATTR_both))
            turn_lines(&across, &x->ins[1], m, true);
        for (int64_t i = 0; i < all; i++)
            store_wide(in->type, x->outs[0].data, m * all + i, a[i]);
    }
    return true;
}

/* ---- scores, attend ---- */

static bool eval_scores(struct interp *x)
{
    const struct array *q = &x->ins[0], *k = &x->ins[1];
    enum vkc_type type = q->tensor.type;
    int64_t m = q->tensor.shape.dim[1], n = k->tensor.shape.dim[1], d = q->tensor.shape.dim[2],
            size = shape_size(&x->outs[0].tensor.shape);
    for (int64_t i = 0; i < size; i++) {
        int64_t batch = i / n / m;
        struct sum s = {0};
        for (int64_t l = 0; l < d; l++)
            sum_add_product(&s, number_load(type, q->data, i / n * d + l).f,
                            number_load(type, k->data, (batch * n + i % n) * d + l).f);
        number_store(type, x->outs[0].data, i, (union number){.f = sum_value(&s)});
    }
    return true;
}

/* x as the type holds it. */
static double rounded(enum vkc_type type, double x)
{
    uint64_t word;
    number_store(type, &word, 0, (union number){.f = x});
    return number_load(type, &word, 0).f;
}

/* A row of scores to weights of the type `to`; every step is rounded, as of the nodes it stands
   for. */
static void weigh_row(enum vkc_type type, enum vkc_type to, const struct array *scores, int64_t row,
                      double *w)
{
    int64_t n = scores->tensor.shape.dim[2];
    double most = -INFINITY;
    struct sum all = {0};
    for (int64_t j = 0; j < n; j++) {
        w[j] = number_load(type, scores->data, row * n + j).f;
        most = isnan(most) || w[j] <= most ? most : w[j];
    }
    for (int64_t j = 0; j < n; j++) {
        w[j] = rounded(type, (double)expl(rounded(type, w[j] - most)));
        sum_add(&all, w[j]);
    }
    double sum = rounded(type, sum_value(&all));
    for (int64_t j = 0; j < n; j++)
        w[j] = rounded(to, rounded(type, w[j] / sum));
}

static bool eval_attend(struct interp *x)
{
    const struct array *scores = &x->ins[0], *v = &x->ins[1];
    enum vkc_type type = v->tensor.type;
    int64_t m = scores->tensor.shape.dim[1], n = scores->tensor.shape.dim[2],
            width = v->tensor.shape.dim[2];
    double *w = ARENA_ARRAY(x->arena, double, n);
    if (!w)
        return interp_no_memory(x);
    for (int64_t row = 0; row < scores->tensor.shape.dim[0] * m; row++) {
        weigh_row(scores->tensor.type, type, scores, row, w);
        for (int64_t c = 0; c < width; c++) {
            struct sum s = {0};
            for (int64_t j = 0; j < n; j++)
                sum_add_product(&s, w[j],
                                number_load(type, v->data, (row / m * n + j) * width + c).f);
            number_store(type, x->outs[0].data, row * width + c,
                         (union number){.f = sum_value(&s)});
        }
    }
    return true;
}

bool interp_made(struct interp *x)
{
    switch (x->n->op) {
    case OP_SCAN: return eval_scan(x);
    case OP_SEARCH: return eval_search(x);
    case OP_SEGMENT_SUM: return eval_segment_sum(x);
    case OP_PANEL_CHOLESKY: return eval_panel_cholesky(x);
    case OP_PANEL_LU: return eval_panel_lu(x);
    case OP_PANEL_QR: return eval_panel_qr(x);
    case OP_JACOBI: return eval_jacobi(x);
    case OP_TURN_BLOCKS: return eval_turn_blocks(x);
    case OP_SINGULAR: return interp_singular(x);
    case OP_SCORES: return eval_scores(x);
    case OP_ATTEND: return eval_attend(x);
    case OP_FOURIER: return interp_special(x);
    case OP_SORT_RUNS:
    case OP_MERGE_RUNS:
    case OP_DIGIT_COUNTS:
    case OP_DIGIT_SORT:
    case OP_DIGIT_SELECT: return interp_order(x);
    default: return FAIL(x->d, INTERNAL, "%s has no meaning here", op_name(x->n->op));
    }
}
