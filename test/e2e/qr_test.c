/* QR factors of matrices around the sizes of a panel and of several, tall, wide and square, of
   every type, alone and in batches: Q R is A and the columns of Q are orthogonal within LAPACK's
   bounds, R is triangular, of real matrices with a diagonal that is not negative where the column
   was reflected, of complex ones with minus the phase of the column's first element; triangular
   matrices stay as they are, or change their sign; and a matrix has the same bits wherever it
   stands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interp/interp_impl.h"

#include "e2e.h"
#include "wide.h"

/* LAPACK's threshold for ||A - Q R|| / (m ||A|| u) and ||I - Q* Q|| / (m u), in the norm of sums
   of columns (TESTING/dtest.in). */
enum { RATIO = 30 };

/* of A: */
enum kind {
    RANDOM,
    GRADED,     /* columns from 1 to 1e-6 */
    TRIANGULAR, /* its diagonal of both signs */
    ONES,       /* of rank 1 */
    STEEP,      /* of rank 1: what is left of it is rounding, of rounding, until it underflows */
    ZEROS,
    HUGE_ONES, /* random, near the type's greatest number */
    TINY,      /* random, near its least */
    HOLE,      /* random, with a NaN */
    NKINDS
};
static const char *const kinds[NKINDS] = {"random", "graded", "triangular", "ones",      "steep",
                                          "zeros",  "huge",   "tiny",       "with a NaN"};

struct problem {
    enum vkc_type type;
    long batch, m, n;
    bool complete;
    enum kind kind;
};

static long columns_of_q(const struct problem *p)
{
    return p->complete || p->m < p->n ? p->m : p->n;
}

static void tensor_text(char *out, size_t size, const struct problem *p, long rows, long columns)
{
    snprintf(out, size, "{\"type\": \"%s\", \"shape\": [%ld, %ld, %ld]}", vkc_types[p->type].name,
             p->batch, rows, columns);
}

static void graph_text(char *out, size_t size, const struct problem *p)
{
    char a[96], q[96], r[96], parameter[256];
    tensor_text(a, sizeof a, p, p->m, p->n);
    tensor_text(q, sizeof q, p, p->m, columns_of_q(p));
    tensor_text(r, sizeof r, p, columns_of_q(p), p->n);
    snprintf(
        parameter, sizeof parameter,
        "{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [%s], \"attrs\": {\"index\": 0}}",
        a);
    snprintf(out, size,
             "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"qr\", \"entry\": 0, \"funcs\": ["
             "{\"params\": [%s], \"nodes\": [%s, {\"id\": 1, \"op\": \"block\", \"ins\": [[0, 0]], "
             "\"outs\": [%s, %s], \"attrs\": {\"name\": \"LinAlg.QR\"}, \"regions\": [1]}], "
             "\"results\": [[1, 0], [1, 1]]}, "
             "{\"params\": [%s], \"nodes\": [%s, {\"id\": 1, \"op\": \"iota\", \"ins\": [], "
             "\"outs\": [%s], \"attrs\": {\"axis\": 0}}, {\"id\": 2, \"op\": \"iota\", "
             "\"ins\": [], \"outs\": [%s], \"attrs\": {\"axis\": 0}}], "
             "\"results\": [[1, 0], [2, 0]]}], "
             "\"literals\": [], \"donations\": [], \"callbacks\": 0}",
             a, parameter, q, r, a, parameter, q, r);
}

static wide element(const struct problem *p, long i, long j, uint64_t *random)
{
    const bool narrow = p->type == TYPE_F16 || p->type == TYPE_BF16,
               is_double = type_part(p->type) == TYPE_F64;
    wide x = unit(random);
    if (type_is_complex(p->type))
        x += (wide)I * unit(random);
    switch (p->kind) {
    case GRADED: return x * powl(narrow ? 1e-2L : 1e-6L, (long double)j / (long double)p->n);
    case TRIANGULAR: return i > j ? 0 : i == j ? x + (creall(x) < 0 ? -1 : 1) : x;
    case ONES: return 1;
    case STEEP: return (long double)(i + 1) / (long double)(j + 1);
    case ZEROS: return 0;
    case HUGE_ONES: return x * (is_double ? 0x1p1015L : 0x1p120L);
    case TINY: return x * (is_double ? 0x1p-1000L : 0x1p-110L);
    case HOLE: return i == p->m / 2 && j == p->n / 3 ? (wide)NAN : x;
    default: return x;
    }
}

/* Matrices row by row, as wide numbers. */
struct wide_matrix {
    long rows, columns;
    wide *x;
};

static struct wide_matrix read_matrix(const struct problem *p, const void *data, int64_t matrix,
                                      long rows, long columns)
{
    struct wide_matrix m = {rows, columns, malloc((size_t)(rows * columns) * sizeof *m.x)};
    for (long i = 0; m.x && i < rows * columns; i++)
        m.x[i] = load(p->type, data, matrix * rows * columns + i);
    return m;
}

/* x += f y, n of each */
static void add(wide *x, const wide *y, wide f, long n)
{
    for (long i = 0; i < n; i++)
        x[i] += f * y[i];
}

/* The greatest sum of magnitudes of a column; infinity if one is not a number. */
static long double norm_of(const struct wide_matrix *m)
{
    long double worst = 0;
    for (long j = 0; j < m->columns; j++) {
        long double sum = 0;
        for (long i = 0; i < m->rows; i++)
            sum += cabsl(m->x[i * m->columns + j]);
        if (!(sum <= worst))
            worst = sum;
    }
    return isnan(worst) ? INFINITY : worst;
}

/* Whether R is upper triangular, of real numbers with a diagonal that is not negative but in the
   last row. */
static bool is_triangular(const struct problem *p, const struct wide_matrix *r)
{
    const bool any_sign = p->kind == TRIANGULAR || p->kind == ONES || type_is_complex(p->type);
    for (long i = 0; i < r->rows; i++)
        for (long j = 0; j <= i && j < r->columns; j++) {
            wide x = r->x[i * r->columns + j];
            if (j < i ? x != 0 : creall(x) < 0 && i + 1 < p->m && !any_sign)
                return false;
        }
    return true;
}

/* |r00 + phase norm| of the first column, in m u of its norm. */
static long double turned(const struct problem *p, const struct wide_matrix *a, wide corner)
{
    long double squares = 0, size = cabsl(a->x[0]);
    for (long i = 0; i < a->rows; i++)
        squares += powl(cabsl(a->x[i * a->columns]), 2);
    long double norm = sqrtl(squares);
    if (norm == 0 || size == 0)
        return cabsl(corner) - norm;
    return cabsl(corner + a->x[0] / size * norm) /
           (norm * roundoff_of(p->type) * (long double)p->m);
}

/* ||A - Q R|| / (m ||A|| u); changes a. */
static long double residual(const struct problem *p, struct wide_matrix *a,
                            const struct wide_matrix *q, const struct wide_matrix *r)
{
    long double norm = norm_of(a);
    for (long i = 0; i < a->rows; i++)
        for (long l = 0; l < r->rows; l++)
            add(a->x + i * a->columns, r->x + l * r->columns, -q->x[i * q->columns + l],
                a->columns);
    return norm_of(a) / ((norm > 0 ? norm : 1) * roundoff_of(p->type) * (long double)p->m);
}

/* ||I - Q* Q|| / (m u) */
static long double skewness(const struct problem *p, const struct wide_matrix *q)
{
    long k = q->columns;
    struct wide_matrix off = {k, k, calloc((size_t)(k * k), sizeof *off.x)};
    for (long l = 0; off.x && l < k; l++)
        off.x[l * k + l] = 1;
    for (long i = 0; off.x && i < q->rows; i++)
        for (long l = 0; l < k; l++)
            add(off.x + l * k, q->x + i * k, -conjl(q->x[i * k + l]), k);
    long double worst =
        off.x ? norm_of(&off) / (roundoff_of(p->type) * (long double)p->m) : INFINITY;
    free(off.x);
    return worst;
}

static void check_matrix(struct e2e *e, const char *name, const struct problem *p, const void *data,
                         void *const *outs, int64_t matrix)
{
    long k = columns_of_q(p);
    struct wide_matrix a = read_matrix(p, data, matrix, p->m, p->n),
                       q = read_matrix(p, outs[0], matrix, p->m, k),
                       r = read_matrix(p, outs[1], matrix, k, p->n);
    if (!check_that(&e->check, a.x && q.x && r.x, "%s: no memory", name))
        goto out;
    if (p->kind == HOLE) {
        long double x = creall(r.x[p->n / 3]);
        check_that(&e->check, isnan(x), "%s: the NaN's column of R begins with %Lg", name, x);
        goto out;
    }
    bool is_kept = true;
    for (long i = 0; i < k * p->n && p->kind == TRIANGULAR; i++)
        is_kept &= r.x[i] == (type_is_complex(p->type) ? -a.x[i] : a.x[i]);
    check_that(&e->check, is_kept, "%s: A is triangular, and R another", name);
    check_that(&e->check, is_triangular(p, &r), "%s: R is not triangular as it should be", name);
    long double off = type_is_complex(p->type) ? turned(p, &a, r.x[0]) : 0;
    check_that(&e->check, off <= RATIO, "%s: R begins %.1Lf m u from where it should", name, off);
    off = residual(p, &a, &q, &r);
    check_that(&e->check, off <= RATIO, "%s: ||A - Q R|| is %.1Lf m u ||A||", name, off);
    off = skewness(p, &q);
    check_that(&e->check, off <= RATIO, "%s: ||I - Q* Q|| is %.1Lf m u", name, off);
out:
    free(a.x);
    free(q.x);
    free(r.x);
}

static void check(struct e2e *e, struct problem p, enum e2e_variant variant)
{
    char json[4096], name[128];
    if ((p.m < p.n ? p.m : p.n) <= 16) /* Nx's expansion, unless there are many */
        p.batch += 8192 / (p.m * p.n);
    long k = columns_of_q(&p);
    int64_t size = (int64_t)p.m * p.n;
    size_t bytes[2] = {(size_t)(p.m * k) * type_bytes(p.type),
                       (size_t)(k * p.n) * type_bytes(p.type)};
    uint64_t random = (uint64_t)(p.m * 1000 + p.n * 100 + p.batch * 10 + (long)p.kind);
    struct array in = {
        .tensor = {.type = p.type, .shape = shape_of(3, (int64_t[3]){p.batch, p.m, p.n})}};
    void *outs[2] = {NULL};
    snprintf(name, sizeof name, "qr of %s[%ld,%ld,%ld], %s%s, %s", vkc_types[p.type].name, p.batch,
             p.m, p.n, kinds[p.kind], p.complete ? ", complete" : "", e2e_variant_names[variant]);
    if (!check_wanted(&e->check, name))
        return;
    graph_text(json, sizeof json, &p);
    in.data = calloc((size_t)(p.batch * size), type_bytes(p.type));
    vkr_program *program = e2e_load(e, name, json, strlen(json), variant);
    for (long b = 0; b < p.batch && in.data; b++) { /* the last is the first again */
        uint64_t again = 7, *from = b == 0 || b + 1 == p.batch ? &again : &random;
        for (int64_t i = 0; i < size; i++)
            save(p.type, in.data, b * size + i,
                 element(&p, (long)(i / p.n), (long)(i % p.n), from));
    }
    if (in.data && program && e2e_run(e, name, program, &in, outs)) {
        for (long b = 0; b < p.batch && b < 4; b++)
            check_matrix(e, name, &p, in.data, outs, b);
        for (int i = 0; i < 2 && p.kind != HOLE; i++)
            check_that(
                &e->check,
                memcmp(outs[i], (char *)outs[i] + (size_t)(p.batch - 1) * bytes[i], bytes[i]) == 0,
                "%s: a matrix has other bits at another place", name);
    }
    for (int i = 0; i < 2; i++)
        free(outs[i]);
    free(in.data);
    vkr_program_unload(program);
}

int main(void)
{
    static const enum vkc_type types[] = {TYPE_F32,  TYPE_F64, TYPE_F16,
                                          TYPE_BF16, TYPE_C64, TYPE_C128};
    /* around a column of threads with four rows, a panel, and several */
    static const long sizes[][2] = {
        {1, 1},   {2, 2},    {3, 5},     {5, 3},    {16, 16},   {17, 16},   {16, 17}, {31, 31},
        {32, 32}, {33, 33},  {33, 32},   {40, 33},  {64, 64},   {65, 64},   {64, 65}, {100, 70},
        {128, 5}, {129, 96}, {127, 129}, {257, 33}, {1000, 16}, {1024, 20}, {40, 300}};
    struct e2e e;
    if (!e2e_open(&e))
        return 77;
    e.check.turns = 8;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            if (t > 0 && i % 3 != t % 3) /* f32 has all, the others some each */
                continue;
            bool complete = i % 4 == 1 && sizes[i][0] < 500;
            struct problem p = {types[t],    1 + (long)(i % 3), sizes[i][0],
                                sizes[i][1], complete,          i % 2 ? GRADED : RANDOM};
            check(&e, p, E2E_AS_TARGET);
            p.kind = RANDOM;
            p.complete = !complete && p.m < 500;
            if (i % 3 == t % 3)
                check(&e, p, E2E_AS_GPU);
        }
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int kind = TRIANGULAR; kind < NKINDS && t != 2 && t != 3; kind++) {
            check(&e, (struct problem){types[t], 2, 40, 40, false, (enum kind)kind}, E2E_AS_TARGET);
            check(&e, (struct problem){types[t], 1, 70, 36, kind % 2, (enum kind)kind}, E2E_AS_GPU);
        }
    check(&e, (struct problem){TYPE_F32, 102, 16, 16, false, RANDOM}, E2E_AS_TARGET);
    check(&e, (struct problem){TYPE_F64, 3, 48, 40, false, RANDOM}, E2E_UNFUSED);
    /* columns that no workgroup has: trees of two and three levels; with a square Q; columns that
       go out in two parts */
    check(&e, (struct problem){TYPE_F32, 2, 5000, 20, false, GRADED}, E2E_AS_TARGET);
    check(&e, (struct problem){TYPE_F32, 1, 20000, 17, false, RANDOM}, E2E_ALSO);
    check(&e, (struct problem){TYPE_F64, 2, 650, 40, true, RANDOM}, E2E_ALSO);
    check(&e, (struct problem){TYPE_F32, 1, 530, 300, false, RANDOM}, E2E_ALSO);
    check(&e, (struct problem){TYPE_F32, 1, 600, 40, false, HOLE}, E2E_ALSO);
    /* more steps than complex matrices have with sizes of their own */
    /* more panels than sizes of them, on CPUs: a square Q, and a wide R */
    check(&e, (struct problem){TYPE_F64, 2, 150, 137, true, GRADED}, E2E_AS_TARGET);
    check(&e, (struct problem){TYPE_F64, 1, 131, 160, false, RANDOM}, E2E_AS_TARGET);
    check(&e, (struct problem){TYPE_C64, 1, 100, 100, true, RANDOM}, E2E_AS_TARGET);
    check(&e, (struct problem){TYPE_C64, 1, 280, 270, false, RANDOM}, E2E_AS_TARGET);
    return e2e_close(&e);
}
