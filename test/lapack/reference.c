#include "reference.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, size_t, size_t);
void zheev_(const char *jobz, const char *uplo, const int *n, double complex *a, const int *lda,
            double *w, double complex *work, const int *lwork, double *rwork, int *info, size_t,
            size_t);
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *lwork, int *info, size_t, size_t);
void zgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double complex *a,
             const int *lda, double *s, double complex *u, const int *ldu, double complex *vt,
             const int *ldvt, double complex *work, const int *lwork, double *rwork, int *info,
             size_t, size_t);

static double *numbers(size_t count)
{
    double *x = calloc(count ? count : 1, sizeof *x);
    if (!x) {
        fputs("lapack: out of memory\n", stderr);
        exit(4);
    }
    return x;
}

/* By columns, as Fortran has them, in double. */
static double *columns_of(const struct matrix *a)
{
    size_t element = a->im ? 2 : 1;
    double *x = numbers((size_t)(a->m * a->n) * element);
    for (long i = 0; i < a->m; i++)
        for (long j = 0; j < a->n; j++) {
            size_t to = (size_t)(j * a->m + i) * element;
            x[to] = (double)a->re[i * a->n + j];
            if (a->im)
                x[to + 1] = (double)a->im[i * a->n + j];
        }
    return x;
}

static void reverse(double *x, int n)
{
    for (int i = 0; i < n / 2; i++) {
        double kept = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = kept;
    }
}

double *reference_values(const struct matrix *a, bool is_hermitian)
{
    int m = (int)a->m, n = (int)a->n, k = m < n ? m : n, info = 0, one = 1;
    int lwork = 8 * (m + n) + 64;
    double *x = columns_of(a), *values = numbers((size_t)k), *work = numbers(2 * (size_t)lwork),
           *real = numbers(5 * (size_t)(m + n));
    double complex *cx = (double complex *)(void *)x, *cwork = (double complex *)(void *)work,
                   *none = cwork;
    if (is_hermitian && a->im)
        zheev_("N", "L", &n, cx, &n, values, cwork, &lwork, real, &info, 1, 1);
    else if (is_hermitian)
        dsyev_("N", "L", &n, x, &n, values, work, &lwork, &info, 1, 1);
    else if (a->im)
        zgesvd_("N", "N", &m, &n, cx, &m, values, none, &one, none, &one, cwork, &lwork, real,
                &info, 1, 1);
    else
        dgesvd_("N", "N", &m, &n, x, &m, values, work, &one, work, &one, work, &lwork, &info, 1, 1);
    if (!is_hermitian)
        reverse(values, k);
    if (info)
        for (int i = 0; i < k; i++)
            values[i] = NAN;
    free(x);
    free(work);
    free(real);
    return values;
}

long double reference_condition(const struct matrix *a)
{
    long k = a->m < a->n ? a->m : a->n;
    double *values = reference_values(a, false);
    long double condition = (long double)values[k - 1] / (long double)values[0];
    free(values);
    return condition;
}

typedef long double complex wide;

void reference_determinant(const struct matrix *a, long double *out_re, long double *out_im)
{
    long n = a->n;
    wide *x = calloc((size_t)(n * n + 1), sizeof *x), product = 1;
    if (!x) {
        fputs("lapack: out of memory\n", stderr);
        exit(4);
    }
    for (long i = 0; i < n * n; i++)
        x[i] = a->re[i] + (a->im ? a->im[i] * I : 0);
    for (long k = 0; k < n; k++) {
        long p = k;
        for (long i = k + 1; i < n; i++)
            if (cabsl(x[i * n + k]) > cabsl(x[p * n + k]))
                p = i;
        for (long j = 0; p != k && j < n; j++) {
            wide kept = x[k * n + j];
            x[k * n + j] = x[p * n + j];
            x[p * n + j] = kept;
        }
        product *= p == k ? x[k * n + k] : -x[k * n + k];
        for (long i = k + 1; i < n && x[k * n + k] != 0; i++) {
            wide l = x[i * n + k] / x[k * n + k];
            for (long j = k + 1; j < n; j++)
                x[i * n + j] -= l * x[k * n + j];
        }
    }
    *out_re = creall(product);
    *out_im = cimagl(product);
    free(x);
}
