#include "matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long double *zeros(long count)
{
    long double *x = calloc((size_t)(count ? count : 1), sizeof *x);
    if (!x) {
        fputs("lapack: out of memory\n", stderr);
        exit(4);
    }
    return x;
}

struct matrix matrix_new(long m, long n, bool is_complex)
{
    return (struct matrix){m, n, zeros(m * n), is_complex ? zeros(m * n) : NULL};
}

void matrix_free(struct matrix *a)
{
    free(a->re);
    free(a->im);
    *a = (struct matrix){0};
}

struct matrix matrix_adjoint(const struct matrix *a)
{
    struct matrix t = matrix_new(a->n, a->m, a->im != NULL);
    for (long i = 0; i < a->m; i++)
        for (long j = 0; j < a->n; j++) {
            t.re[j * a->m + i] = a->re[i * a->n + j];
            if (a->im)
                t.im[j * a->m + i] = -a->im[i * a->n + j];
        }
    return t;
}

/* c += sign * a b */
static void add_product(long double *restrict c, const long double *restrict a,
                        const long double *restrict b, long m, long k, long n, int sign)
{
    for (long i = 0; i < m; i++)
        for (long l = 0; l < k; l++) {
            long double x = (long double)sign * a[i * k + l];
            if (x != 0) /* a zero times an infinity is not looked for here */
                for (long j = 0; j < n; j++)
                    c[i * n + j] += x * b[l * n + j];
        }
}

struct matrix matrix_product(const struct matrix *a, enum turn turn_a, const struct matrix *b,
                             enum turn turn_b)
{
    struct matrix left = turn_a == ADJOINT ? matrix_adjoint(a) : *a,
                  right = turn_b == ADJOINT ? matrix_adjoint(b) : *b;
    struct matrix c = matrix_new(left.m, right.n, left.im || right.im);
    add_product(c.re, left.re, right.re, left.m, left.n, right.n, 1);
    if (left.im && right.im)
        add_product(c.re, left.im, right.im, left.m, left.n, right.n, -1);
    if (left.im)
        add_product(c.im, left.im, right.re, left.m, left.n, right.n, 1);
    if (right.im)
        add_product(c.im, left.re, right.im, left.m, left.n, right.n, 1);
    if (turn_a == ADJOINT)
        matrix_free(&left);
    if (turn_b == ADJOINT)
        matrix_free(&right);
    return c;
}

void matrix_subtract(struct matrix *a, const struct matrix *b)
{
    for (long i = 0; i < a->m * a->n; i++) {
        a->re[i] -= b ? b->re[i] : (long double)(i / a->n == i % a->n);
        if (a->im && b && b->im)
            a->im[i] -= b->im[i];
    }
}

long double matrix_magnitude(const struct matrix *a, long i, long j)
{
    long at = i * a->n + j;
    return a->im ? hypotl(a->re[at], a->im[at]) : fabsl(a->re[at]);
}

long double matrix_norm(const struct matrix *a)
{
    long double most = 0;
    for (long j = 0; j < a->n; j++) {
        long double sum = 0;
        for (long i = 0; i < a->m; i++)
            sum += matrix_magnitude(a, i, j);
        if (isnan(sum))
            return sum;
        most = sum > most ? sum : most;
    }
    return most;
}

long double matrix_distance(struct matrix a, const struct matrix *b)
{
    matrix_subtract(&a, b);
    long double norm = matrix_norm(&a);
    matrix_free(&a);
    return norm;
}

bool matrix_is_finite(const struct matrix *a)
{
    for (long i = 0; i < a->m * a->n; i++)
        if (!isfinite(a->re[i]) || (a->im && !isfinite(a->im[i])))
            return false;
    return true;
}
