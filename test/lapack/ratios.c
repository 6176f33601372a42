#include "ratios.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

static long double square_scale(const struct problem *p)
{
    return (long double)(p->in[0].m > p->in[0].n ? p->in[0].m : p->in[0].n) *
           p->precision->roundoff;
}

/* off / (norm n u); of a zero matrix nothing may be off */
static long double relative(const struct problem *p, long double off, long double norm)
{
    if (norm == 0)
        return off == 0 ? 0 : INFINITY;
    return off / norm / square_scale(p);
}

/* || I - X* X || / (n u), or of X X* */
static long double skew(const struct problem *p, const struct matrix *x, bool of_rows)
{
    return matrix_distance(
               matrix_product(x, of_rows ? AS_IS : ADJOINT, x, of_rows ? ADJOINT : AS_IS), NULL) /
           square_scale(p);
}

/* Zeros below the diagonal, or above it. */
static bool is_triangular(const struct matrix *a, bool is_upper)
{
    for (long i = 0; i < a->m; i++)
        for (long j = 0; j < a->n; j++)
            if ((is_upper ? j < i : j > i) && matrix_magnitude(a, i, j) != 0)
                return false;
    return true;
}

/* One triangle, zeros elsewhere. */
static struct matrix triangle(const struct matrix *a, bool is_upper)
{
    struct matrix t = matrix_new(a->m, a->n, a->im != NULL);
    for (long i = 0; i < t.m; i++)
        for (long j = is_upper ? i : 0; j < (is_upper || i >= t.n ? t.n : i + 1); j++) {
            t.re[i * t.n + j] = a->re[i * t.n + j];
            if (t.im)
                t.im[i * t.n + j] = a->im[i * t.n + j];
        }
    return t;
}

static void cholesky(const struct problem *p, long double ratio[MOST_RATIOS])
{
    const struct matrix *a = &p->in[0], *l = &p->out[0];
    ratio[0] =
        !is_triangular(l, false)
            ? INFINITY
            : relative(p, matrix_distance(matrix_product(l, AS_IS, l, ADJOINT), a), matrix_norm(a));
}

/* A single 1 in every row and column. */
static bool is_permutation(const struct matrix *a)
{
    for (int of_columns = 0; of_columns < 2; of_columns++)
        for (long i = 0; i < a->n; i++) {
            long ones = 0;
            for (long j = 0; j < a->n; j++) {
                long double x = of_columns ? a->re[j * a->n + i] : a->re[i * a->n + j];
                if (x != 0 && x != 1)
                    return false;
                ones += x == 1;
            }
            if (ones != 1)
                return false;
        }
    return true;
}

/* What is exchanged for a row is at least as large: |l| is at most 1. Of a complex number
   pivots compare magnitudes, which are rounded. */
static bool has_small_factors(const struct problem *p, const struct matrix *l)
{
    for (long i = 0; i < l->m; i++)
        for (long j = 0; j <= i; j++)
            if (matrix_magnitude(l, i, j) > 1 + 8 * p->precision->roundoff ||
                (i == j && l->re[i * l->n + j] != 1))
                return false;
    return true;
}

static void lu(const struct problem *p, long double ratio[MOST_RATIOS])
{
    const struct matrix *a = &p->in[0], *l = &p->out[1], *u = &p->out[2];
    ratio[0] = INFINITY;
    if (!is_permutation(&p->out[0]) || !is_triangular(l, false) || !is_triangular(u, true) ||
        !has_small_factors(p, l))
        return;
    struct matrix lu = matrix_product(l, AS_IS, u, AS_IS),
                  plu = matrix_product(&p->out[0], AS_IS, &lu, AS_IS);
    matrix_free(&lu);
    /* where elimination grows what it is applied to, that bounds the residual */
    long double norm =
        p->kind->formula == GROWTH ? matrix_norm(l) * matrix_norm(u) : matrix_norm(a);
    ratio[0] = relative(p, matrix_distance(plu, a), norm);
}

/* Against the triangle of R: Nx's expansion leaves what was rounded below it. */
static void qr(const struct problem *p, long double ratio[MOST_RATIOS])
{
    const struct matrix *a = &p->in[0], *q = &p->out[0];
    struct matrix r = triangle(&p->out[1], true);
    ratio[0] =
        relative(p, matrix_distance(matrix_product(q, ADJOINT, a, AS_IS), &r), matrix_norm(a));
    ratio[1] = skew(p, q, false);
    matrix_free(&r);
}

/* || B - op(A) X || / (||A|| ||X|| n u) */
static void solved(const struct problem *p, const struct matrix *a, enum turn turn,
                   long double ratio[MOST_RATIOS])
{
    const struct matrix *x = &p->out[0];
    ratio[0] = relative(p, matrix_distance(matrix_product(a, turn, x, AS_IS), &p->in[1]),
                        matrix_norm(a) * matrix_norm(x));
}

static void solve(const struct problem *p, long double ratio[MOST_RATIOS])
{
    solved(p, &p->in[0], AS_IS, ratio);
}

static void solved_triangle(const struct problem *p, bool is_upper, bool is_transposed,
                            long double ratio[MOST_RATIOS])
{
    struct matrix t = triangle(&p->in[0], is_upper);
    for (long i = 0; is_transposed && t.im && i < t.m * t.n; i++)
        t.im[i] = -t.im[i]; /* Nx transposes and does not conjugate */
    solved(p, &t, is_transposed ? ADJOINT : AS_IS, ratio);
    matrix_free(&t);
}

static void triangular_lower(const struct problem *p, long double ratio[MOST_RATIOS])
{
    solved_triangle(p, false, false, ratio);
}

static void triangular_upper(const struct problem *p, long double ratio[MOST_RATIOS])
{
    solved_triangle(p, true, false, ratio);
}

static void triangular_transposed(const struct problem *p, long double ratio[MOST_RATIOS])
{
    solved_triangle(p, false, true, ratio);
}

/* What a change of A by u, relative to its norm, does to its determinant: with pivots, its
   condition counts. Up to 3 x 3 Nx writes the sum of products out, which has the rounding of the
   largest. */
static long double determinant_moves(const struct matrix *a, long double size)
{
    long double written_out = a->n <= 3 ? powl(matrix_norm(a), (long double)a->n) : 0,
                condition = reference_condition(a);
    if (condition > 0.1L / DBL_EPSILON) /* above, it is what double makes of it */
        condition = INFINITY;
    return fmaxl(size * condition * (long double)a->n, written_out);
}

/* Nx divides the matrix by its determinant before, and the inverse after it, and says NaN where
   that is less than 1000 times the smallest normal number. */
static void invert(const struct problem *p, long double ratio[MOST_RATIOS])
{
    const struct matrix *a = &p->in[0], *x = &p->out[0];
    long double re, im;
    reference_determinant(a, &re, &im);
    long double size = hypotl(re, im), norm = matrix_norm(a), least = 2000 * p->precision->least,
                most = p->precision->most, inverse = reference_condition(a) * size / norm;
    bool is_known = size > 30 * p->precision->roundoff * determinant_moves(a, size);
    if (!(is_known && size > least && size < most && norm / size < most && norm / size > least &&
          inverse < most && inverse > least))
        return;
    ratio[0] = !matrix_is_finite(x)
                   ? INFINITY
                   : relative(p, matrix_distance(matrix_product(a, AS_IS, x, AS_IS), NULL),
                              norm * matrix_norm(x));
}

/* Relative to how much a change of A by n u moves it; not where the type cannot hold it. */
static void determinant(const struct problem *p, long double ratio[MOST_RATIOS])
{
    const struct matrix *a = &p->in[0], *d = &p->out[0];
    long double re, im;
    reference_determinant(a, &re, &im);
    long double size = hypotl(re, im);
    if (!(size < p->precision->most && size > p->precision->least / p->precision->roundoff))
        return;
    long double off = hypotl(d->re[0] - re, (d->im ? d->im[0] : 0) - im);
    ratio[0] = relative(p, off, determinant_moves(a, size));
}

/* Values in the order that Nx gives: by magnitude or from the largest, as they come; each is
   compared with LAPACK's, sorted. */
static int ascending(const void *x, const void *y)
{
    const long double a = *(const long double *)x, b = *(const long double *)y;
    return a < b ? -1 : a > b;
}

static long double values_ratio(const struct problem *p, const struct matrix *values,
                                const double *expected, long n)
{
    long double most = 0, off = 0, *sorted = malloc((size_t)n * sizeof *sorted);
    if (!sorted)
        return INFINITY;
    memcpy(sorted, values->re, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    for (long i = 0; i < n; i++) {
        long double distance = fabsl(sorted[i] - (long double)expected[i]);
        most = fmaxl(most, fabsl((long double)expected[i]));
        off = distance <= off ? off : distance;
    }
    free(sorted);
    return relative(p, off, most);
}

/* x times the diagonal matrix of values */
static struct matrix times_diagonal(const struct matrix *x, const struct matrix *values, long n)
{
    struct matrix y = matrix_new(x->m, n, x->im != NULL);
    for (long i = 0; i < x->m; i++)
        for (long j = 0; j < n; j++) {
            y.re[i * n + j] = x->re[i * x->n + j] * values->re[j];
            if (y.im)
                y.im[i * n + j] = x->im[i * x->n + j] * values->re[j];
        }
    return y;
}

static void eigh(const struct problem *p, long double ratio[MOST_RATIOS])
{
    const struct matrix *a = &p->in[0], *values = &p->out[0], *v = &p->out[1];
    long n = a->n;
    double *expected = reference_values(a, true);
    struct matrix vd = times_diagonal(v, values, n);
    ratio[0] =
        relative(p, matrix_distance(matrix_product(&vd, AS_IS, v, ADJOINT), a), matrix_norm(a));
    ratio[1] = skew(p, v, false);
    ratio[2] = values_ratio(p, values, expected, n);
    matrix_free(&vd);
    free(expected);
}

static void svd(const struct problem *p, long double ratio[MOST_RATIOS])
{
    const struct matrix *a = &p->in[0], *u = &p->out[0], *s = &p->out[1], *v = &p->out[2];
    long k = a->m < a->n ? a->m : a->n;
    struct matrix us = times_diagonal(u, s, k), v_k = matrix_new(k, a->n, false);
    memcpy(v_k.re, v->re, (size_t)(k * a->n) * sizeof *v_k.re);
    double *expected = reference_values(a, false);
    ratio[0] =
        relative(p, matrix_distance(matrix_product(&us, AS_IS, &v_k, AS_IS), a), matrix_norm(a));
    ratio[1] = skew(p, u, false);
    ratio[2] = skew(p, v, true);
    ratio[3] = values_ratio(p, s, expected, k);
    for (long i = 0; i < k; i++)
        if (!(s->re[i] >= 0) || (i && s->re[i] > s->re[i - 1]))
            ratio[3] = INFINITY;
    matrix_free(&us);
    matrix_free(&v_k);
    free(expected);
}

/* Penrose's four conditions, in units of the condition, which an inverse is off by. */
static void pinv(const struct problem *p, long double ratio[MOST_RATIOS])
{
    const struct matrix *a = &p->in[0], *x = &p->out[0];
    long double norm = matrix_norm(a), of_x = matrix_norm(x), condition = norm * of_x;
    struct matrix ax = matrix_product(a, AS_IS, x, AS_IS), xa = matrix_product(x, AS_IS, a, AS_IS),
                  ax_t = matrix_adjoint(&ax), xa_t = matrix_adjoint(&xa);
    ratio[0] =
        relative(p, matrix_distance(matrix_product(&ax, AS_IS, a, AS_IS), a), norm * condition);
    ratio[1] =
        relative(p, matrix_distance(matrix_product(x, AS_IS, &ax, AS_IS), x), of_x * condition);
    ratio[2] = relative(p, matrix_distance(ax_t, &ax), condition);
    ratio[3] = relative(p, matrix_distance(xa_t, &xa), condition);
    matrix_free(&ax);
    matrix_free(&xa);
}

const struct operation operations[] = {
#define OPERATION(name, class, is_solver, lowered_from, finite, measure, ...) \
    {#name, class, is_solver, lowered_from, finite, measure, {__VA_ARGS__}},
#include "operations.def"
#undef OPERATION
};
const int operation_count = sizeof operations / sizeof *operations;
