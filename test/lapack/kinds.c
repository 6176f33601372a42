#include "kinds.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* libtmglib, in Fortran: the lengths of strings come last. */
void dlatms_(const int *m, const int *n, const char *dist, int *seed, const char *sym, double *d,
             const int *mode, const double *cond, const double *dmax, const int *kl, const int *ku,
             const char *pack, double *a, const int *lda, double *work, int *info, size_t, size_t,
             size_t);
void zlatms_(const int *m, const int *n, const char *dist, int *seed, const char *sym, double *d,
             const int *mode, const double *cond, const double *dmax, const int *kl, const int *ku,
             const char *pack, double complex *a, const int *lda, double complex *work, int *info,
             size_t, size_t, size_t);

#define ANY (GENERAL | HERMITIAN | DEFINITE)
#define SQUARE (GENERAL | HERMITIAN)
#define EITHER (GENERAL | TRIANGULAR)

const struct kind kinds[] = {
#define SPECTRUM(name, classes, mode, condition, size, part, hole) \
    {name, classes, mode, condition, size, part, hole, NO_FORMULA, 0},
#define FORMULA(name, classes, size, formula, most) \
    {name, classes, 0, ONE, size, WHOLE, NONE, formula, most},
#include "kinds.def"
#undef SPECTRUM
#undef FORMULA
};
const int kind_count = sizeof kinds / sizeof *kinds;

const struct kind *kind_random(void)
{
    static const struct kind random = {.name = "random", .classes = SQUARE, .formula = RANDOM};
    return &random;
}

bool kind_is_finite(const struct kind *k)
{
    return k->hole != A_NAN && k->hole != INFINITE;
}

bool kind_is_singular(const struct kind *k)
{
    return k->hole != NONE || k->condition == ULP || k->mode == 6 || k->formula == HILBERT ||
           k->formula == SIGNS || k->formula == ALL_ONES || k->formula == RANK_1 ||
           k->formula == ZERO || k->formula == FRANK || k->formula == WILKINSON ||
           k->formula == KAHAN;
}

bool kind_is_plain(const struct kind *k)
{
    return k->size == UNIT && k->condition <= TWO && !kind_is_singular(k) &&
           (k->formula == NO_FORMULA || k->formula == RANDOM);
}

static long double condition_of(const struct kind *k, const struct precision *p)
{
    long double full = 0.1L / (2 * p->roundoff);
    switch (k->condition) {
    case ONE: return 1;
    case TWO: return 2;
    case ROOT: return sqrtl(full);
    case FULL: return full;
    case ULP: return 1 / (2 * p->roundoff);
    }
    return 1;
}

static long double size_of(const struct kind *k, const struct precision *p)
{
    long double small = 0.25L * p->least / (2 * p->roundoff),
                root = sqrtl(p->least / (2 * p->roundoff));
    switch (k->size) {
    case UNIT: return 1;
    case SMALL: return small;
    case LARGE: return 1 / small;
    case SQRT_SMALL: return root;
    case SQRT_LARGE: return 1 / root;
    }
    return 1;
}

/* -1 to 1 */
static long double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (long double)(*state >> 11) / 0x1p52L - 1;
}

static long double element(enum formula f, long i, long j, long m, long n, uint64_t *random)
{
    long k = m < n ? m : n;
    switch (f) {
    case NO_FORMULA: break;
    case RANDOM: return uniform(random);
    case HILBERT: return 1 / (long double)(i + j + 1);
    case WILKINSON:
        return i == j ? fabsl((long double)i - (long double)(k - 1) / 2) : labs(i - j) == 1 ? 1 : 0;
    case KAHAN: /* upper triangular */
        return (i < j ? -cosl(1.2L) : (long double)(i == j)) * powl(sinl(1.2L), (long double)i);
    case FRANK: return j >= i - 1 ? (long double)(k - (i > j ? i : j)) : 0;
    case SIGNS: return uniform(random) < 0 ? -1 : 1;
    case ALL_ONES: return 1;
    case RANK_1: return (long double)(i + 1) / (long double)(j + 1);
    case ZERO: return 0;
    case IDENTITY: return i == j;
    case GROWTH: return j == n - 1 || i == j ? 1 : i > j ? -1 : 0;
    case GRCAR: return i == j + 1 ? -1 : j >= i && j <= i + 3 ? 1 : 0;
    }
    return 0;
}

static void by_formula(struct matrix *a, enum formula f, bool is_hermitian, uint32_t seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
    for (long i = 0; i < a->m; i++)
        for (long j = 0; j < a->n; j++) {
            long at = i * a->n + j, mirror = j * a->n + i;
            if (is_hermitian && j < i) {
                a->re[at] = a->re[mirror];
                if (a->im)
                    a->im[at] = -a->im[mirror];
                continue;
            }
            a->re[at] = is_hermitian && f == RANK_1 ? 1 / (long double)((i + 1) * (j + 1))
                                                    : element(f, i, j, a->m, a->n, &random);
            if (a->im && (f == RANDOM || f == SIGNS) && !(is_hermitian && i == j))
                a->im[at] = element(f, i, j, a->m, a->n, &random);
        }
}

static void by_spectrum(struct matrix *a, const struct kind *k, enum class class,
                        const struct precision *p, uint32_t seed)
{
    int m = (int)a->m, n = (int)a->n, least = m < n ? m : n, info = 0;
    int iseed[4] = {(int)(seed >> 24 & 4095), (int)(seed >> 12 & 4095), (int)(seed & 4095), 1};
    int kl = k->part == DIAGONAL || k->part == UPPER ? 0 : m - 1,
        ku = k->part == DIAGONAL || k->part == LOWER ? 0 : n - 1;
    double cond = (double)condition_of(k, p), most = 1;
    const char *sym = class == DEFINITE ? "P" : class == HERMITIAN ? (a->im ? "H" : "S") : "N";
    double *d = calloc((size_t)least, sizeof *d);
    size_t work = 3 * (size_t)(m > n ? m : n) + 3, element = a->im ? 2 : 1;
    double *x = calloc(((size_t)(m * n) + work) * element, sizeof *x);
    if (!d || !x) {
        fputs("lapack: out of memory\n", stderr);
        exit(4);
    }
    for (int i = 0; i < least; i++) /* what mode 0 takes */
        d[i] = i % 3 == 0 ? 1 : i % 3 == 1 ? 0.5 : class == HERMITIAN ? -0.3 : 0.3;
    if (a->im)
        zlatms_(&m, &n, "S", iseed, sym, d, &k->mode, &cond, &most, &kl, &ku, "N",
                (double complex *)(void *)x, &m,
                (double complex *)(void *)(x + 2 * (size_t)(m * n)), &info, 1, 1, 1);
    else
        dlatms_(&m, &n, "S", iseed, sym, d, &k->mode, &cond, &most, &kl, &ku, "N", x, &m,
                x + (size_t)(m * n), &info, 1, 1, 1);
    if (info) {
        fprintf(stderr, "lapack: dlatms of %s: info %d\n", k->name, info);
        exit(4);
    }
    for (long i = 0; i < a->m; i++)
        for (long j = 0; j < a->n; j++) {
            size_t from = (size_t)(j * a->m + i) * element;
            a->re[i * a->n + j] = x[from];
            if (a->im)
                a->im[i * a->n + j] = x[from + 1];
        }
    free(d);
    free(x);
}

static void clear(struct matrix *a, long first, long end)
{
    for (long i = 0; i < a->m; i++)
        for (long j = first; j < end; j++) {
            a->re[i * a->n + j] = 0;
            if (a->im)
                a->im[i * a->n + j] = 0;
        }
}

/* Makes one element a NaN or an infinity, and of a Hermitian matrix its mirror image, too. */
static void spoil(struct matrix *a, enum hole hole, bool is_hermitian, uint32_t seed)
{
    long i = (long)(seed % (uint32_t)a->m), j = (long)(seed / 7 % (uint32_t)a->n);
    long double x = hole == A_NAN ? NAN : INFINITY;
    a->re[i * a->n + j] = x;
    if (is_hermitian)
        a->re[j * a->n + i] = x;
}

struct matrix kind_make(const struct kind *k, enum class class, long m, long n, bool is_complex,
                        const struct precision *p, uint32_t seed)
{
    struct matrix a = matrix_new(m, n, is_complex);
    bool is_hermitian = class == HERMITIAN || class == DEFINITE;
    if (k->formula)
        by_formula(&a, k->formula, is_hermitian, seed);
    else
        by_spectrum(&a, k, class, p, seed);
    if (k->hole == FIRST || k->hole == LAST || k->hole == HALF)
        clear(&a, k->hole == FIRST ? 0 : k->hole == LAST ? n - 1 : n / 2, k->hole == FIRST ? 1 : n);
    long double size = size_of(k, p);
    for (long i = 0; i < m * n; i++) {
        a.re[i] *= size;
        if (a.im)
            a.im[i] *= size;
    }
    if (!kind_is_finite(k))
        spoil(&a, k->hole, is_hermitian, seed);
    return a;
}
