/* Singular values and vectors of matrices of every type and shape, in batches: U S V* is A, U and V
   have orthogonal columns, also where A has fewer directions than they have columns, and values
   descend, within LAPACK's bounds; NaN for a matrix that is not finite, and for it alone; the same
   bits where the program is not trusted; and a matrix of few directions takes no more sweeps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "e2e.h"
#include "wide.h"

/* LAPACK's threshold is 35, in units of max(m, n) u (TESTING/svd.in). */
enum { RATIO = 30 };

enum kind {
    RANDOM,
    EQUAL,
    GRADED,
    LOW_RANK,
    HILBERT,
    ZEROS,
    ONES,
    HUGE,
    TINY,
    NOT_FINITE,
    NOT_A_NUMBER,
    KINDS
};
static const char *const kinds[] = {"random",
                                    "of equal values",
                                    "graded",
                                    "of rank 3",
                                    "Hilbert's",
                                    "zeros",
                                    "ones",
                                    "of large elements",
                                    "of small elements",
                                    "with an infinity",
                                    "with a NaN"};

struct problem {
    const char *type;
    long batch, m, n;
    bool full; /* matrix b is of kind b */
};

static void graph_text(char *out, size_t size, const struct problem *p)
{
    long k = p->m < p->n ? p->m : p->n;
    char a[96], u[96], s[96], v[96], parameter[256];
    snprintf(a, sizeof a, "{\"type\": \"%s\", \"shape\": [%ld, %ld, %ld]}", p->type, p->batch, p->m,
             p->n);
    snprintf(u, sizeof u, "{\"type\": \"%s\", \"shape\": [%ld, %ld, %ld]}", p->type, p->batch, p->m,
             p->full ? p->m : k);
    snprintf(s, sizeof s, "{\"type\": \"%s\", \"shape\": [%ld, %ld]}", p->type, p->batch, k);
    snprintf(v, sizeof v, "{\"type\": \"%s\", \"shape\": [%ld, %ld, %ld]}", p->type, p->batch,
             p->full ? p->n : k, p->n);
    snprintf(
        parameter, sizeof parameter,
        "{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [%s], \"attrs\": {\"index\": 0}}",
        a);
    /* an expansion of the right types, which nobody runs */
    snprintf(
        out, size,
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"svd\", \"entry\": 0, \"funcs\": ["
        "{\"params\": [%s], \"nodes\": [%s, {\"id\": 1, \"op\": \"block\", \"ins\": [[0, 0]], "
        "\"outs\": [%s, %s, %s], \"attrs\": {\"name\": \"LinAlg.SVD\"}, \"regions\": [1]}], "
        "\"results\": [[1, 0], [1, 1], [1, 2]]}, "
        "{\"params\": [%s], \"nodes\": [%s, "
        "{\"id\": 1, \"op\": \"constant\", \"ins\": [], \"outs\": [%s], \"attrs\": {\"bits\": \"%.*s\"}}, "
        "{\"id\": 2, \"op\": \"constant\", \"ins\": [], \"outs\": [%s], \"attrs\": {\"bits\": \"%.*s\"}}, "
        "{\"id\": 3, \"op\": \"constant\", \"ins\": [], \"outs\": [%s], \"attrs\": {\"bits\": \"%.*s\"}}], "
        "\"results\": [[1, 0], [2, 0], [3, 0]]}], "
        "\"literals\": [], \"donations\": [], \"callbacks\": 0}",
        a, parameter, u, s, v, a, parameter, u, 2 * (int)type_bytes(type_parse(p->type)),
        "0000000000000000", s, 2 * (int)type_bytes(type_parse(p->type)), "0000000000000000", v,
        2 * (int)type_bytes(type_parse(p->type)), "0000000000000000");
}

/* Subtracts 2 v v* / |v|^2 of m's rows or columns. */
static void reflect(long double *x, long m, long n, bool columns, uint64_t *random)
{
    long length = columns ? m : n, others = columns ? n : m;
    long double *v = calloc((size_t)length, sizeof *v), norm = 0;
    for (long i = 0; v && i < length; i++) {
        v[i] = unit(random);
        norm += v[i] * v[i];
    }
    for (long j = 0; v && j < others; j++) {
        long double sum = 0;
        for (long i = 0; i < length; i++)
            sum += v[i] * x[columns ? i * n + j : j * n + i];
        for (long i = 0; i < length; i++)
            x[columns ? i * n + j : j * n + i] -= 2 * sum * v[i] / norm;
    }
    free(v);
}

static long double element(const struct problem *p, enum kind kind, long i, long j,
                           uint64_t *random)
{
    long k = p->m < p->n ? p->m : p->n;
    switch (kind) {
    case EQUAL: return i == j;
    case GRADED: return i == j ? powl(1e-6L, (long double)i / (long double)k) : 0;
    case LOW_RANK: return i == j && i < 3 ? 3 - i : 0;
    case HILBERT: return 1 / (long double)(i + j + 1);
    case ZEROS: return 0;
    case ONES: return 1;
    default: return unit(random);
    }
}

static bool make(const struct problem *p, enum vkc_type t, void *data, int64_t at, enum kind kind,
                 uint64_t *random)
{
    long double *x = malloc((size_t)(p->m * p->n) * sizeof *x);
    bool is_double = type_bytes(t) == 8, is_wide = type_bytes(t) > 2;
    if (!x)
        return false;
    for (long i = 0; i < p->m * p->n; i++)
        x[i] = element(p, kind, i / p->n, i % p->n, random);
    for (int r = 0; (kind == EQUAL || kind == GRADED || kind == LOW_RANK) && r < 4; r++)
        reflect(x, p->m, p->n, r % 2, random);
    for (long i = 0; i < p->m * p->n; i++) {
        x[i] *= kind == HUGE   ? (is_double ? 1e200L
                                  : is_wide ? 1e30L
                                            : 1e3L)
                : kind == TINY ? (is_double ? 1e-200L
                                  : is_wide ? 1e-30L
                                            : 1e-3L)
                               : 1;
        if (i == p->n + 1 && kind == NOT_FINITE)
            x[i] = -INFINITY;
        if (i == p->n + 1 && kind == NOT_A_NUMBER)
            x[i] = NAN;
        number_store(t, data, at + i, (union number){.f = (double)x[i]});
    }
    free(x);
    return true;
}

static long double real_at(enum vkc_type t, const void *data, int64_t i)
{
    return number_load(t, data, i).f;
}

/* ||I - X X*|| / (max(m, n) u) of the rows, or columns, of x. */
static long double skew(enum vkc_type t, const void *x, int64_t at, long rows, long columns,
                        bool of_columns)
{
    long count = of_columns ? columns : rows, length = of_columns ? rows : columns;
    long double worst = 0;
    for (long i = 0; i < count; i++) {
        long double sum = 0;
        for (long j = 0; j < count; j++) {
            long double product = -(long double)(i == j);
            for (long k = 0; k < length; k++)
                product += real_at(t, x, at + (of_columns ? k * columns + i : i * columns + k)) *
                           real_at(t, x, at + (of_columns ? k * columns + j : j * columns + k));
            sum += fabsl(product);
        }
        worst = sum <= worst ? worst : sum;
    }
    return worst;
}

/* The largest of the three ratios, not yet over max(m, n) u; infinity where values do not descend
   from a positive one. */
static long double ratio(const struct problem *p, enum vkc_type t, const void *a,
                         void *const out[3], int64_t b, long double u)
{
    long k = p->m < p->n ? p->m : p->n, left = p->full ? p->m : k, right = p->full ? p->n : k;
    long double norm = 0, residual = 0;
    for (long j = 0; j < k; j++)
        if (!(real_at(t, out[1], b * k + j) >= 0) ||
            (j > 0 && real_at(t, out[1], b * k + j) > real_at(t, out[1], b * k + j - 1)))
            return INFINITY;
    for (long j = 0; j < p->n; j++) {
        long double column = 0, off = 0;
        for (long i = 0; i < p->m; i++) {
            long double sum = real_at(t, a, (b * p->m + i) * p->n + j);
            column += fabsl(sum);
            for (long r = 0; r < k; r++)
                sum -= real_at(t, out[0], (b * p->m + i) * left + r) *
                       real_at(t, out[1], b * k + r) *
                       real_at(t, out[2], (b * right + r) * p->n + j);
            off += fabsl(sum);
        }
        norm = column > norm ? column : norm;
        residual = off <= residual ? residual : off;
    }
    long double worst = norm > 0 ? residual / norm : residual,
                of_u = skew(t, out[0], b * p->m * left, p->m, left, true),
                of_v = skew(t, out[2], b * right * p->n, right, p->n, false);
    worst = of_u <= worst ? worst : of_u;
    worst = of_v <= worst ? worst : of_v;
    return worst / (u * (long double)(p->m > p->n ? p->m : p->n));
}

static bool is_nan(enum vkc_type t, const void *data, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++)
        if (!isnan(real_at(t, data, i)))
            return false;
    return true;
}

static void compare(struct e2e *e, const char *name, const struct problem *p, enum vkc_type t,
                    const void *a, void *const out[3])
{
    long k = p->m < p->n ? p->m : p->n;
    long double u = roundoff_of(t);
    for (long b = 0; b < p->batch; b++)
        if (b % KINDS >= NOT_FINITE)
            check_that(&e->check,
                       is_nan(t, out[0], b * p->m * (p->full ? p->m : k), p->m * k) &&
                           is_nan(t, out[1], b * k, k) &&
                           is_nan(t, out[2], b * (p->full ? p->n : k) * p->n, k * p->n),
                       "%s: a matrix %s has singular values", name, kinds[b % KINDS]);
        else {
            long double r = ratio(p, t, a, out, b, u);
            check_that(&e->check, r <= RATIO, "%s: matrix %ld, %s, is off by %.1Lf n u", name, b,
                       kinds[b % KINDS], r);
        }
}

static void check(struct e2e *e, struct problem p, enum e2e_variant variant)
{
    enum vkc_type t = type_parse(p.type);
    char json[4096], name[160];
    uint64_t random = (uint64_t)(p.m * 1000 + p.n);
    struct array in = {
        .tensor = {.type = t, .shape = shape_of(3, (int64_t[3]){p.batch, p.m, p.n})}};
    void *out[3] = {NULL, NULL, NULL};
    snprintf(name, sizeof name, "svd of %s[%ld,%ld,%ld], %s, %s", p.type, p.batch, p.m, p.n,
             p.full ? "full" : "thin", e2e_variant_names[variant]);
    if (!check_wanted(&e->check, name))
        return;
    graph_text(json, sizeof json, &p);
    in.data = calloc((size_t)(p.batch * p.m * p.n), type_bytes(t));
    vkr_program *program = e2e_load(e, name, json, strlen(json), variant);
    bool ok = in.data && program;
    for (long b = 0; b < p.batch && ok; b++)
        ok = make(&p, t, in.data, b * p.m * p.n, (enum kind)(b % KINDS), &random);
    if (ok && e2e_run(e, name, program, &in, out)) {
        compare(e, name, &p, t, in.data, out);
        e2e_compare_untrusted(e, name, json, variant, &in, out);
    }
    for (int i = 0; i < 3; i++)
        free(out[i]);
    free(in.data);
    vkr_program_unload(program);
}

/* Dispatches of a run on a matrix of the kind. */
static uint64_t dispatches_of(struct e2e *e, const struct problem *p, vkr_program *program,
                              enum kind kind)
{
    uint64_t random = 1;
    vkr_counters before = {0}, after = {0};
    struct array in = {
        .tensor = {.type = TYPE_F32, .shape = shape_of(3, (int64_t[3]){p->batch, p->m, p->n})}};
    void *out[3] = {NULL, NULL, NULL};
    in.data = calloc((size_t)(p->batch * p->m * p->n), sizeof(float));
    vkr_device_counters(e->device, &before);
    check_that(&e->check,
               in.data && make(p, TYPE_F32, in.data, 0, kind, &random) &&
                   e2e_run(e, kinds[kind], program, &in, out),
               "sweeps: a matrix %s does not run", kinds[kind]);
    vkr_device_counters(e->device, &after);
    for (int i = 0; i < 3; i++)
        free(out[i]);
    free(in.data);
    return after.dispatches - before.dispatches;
}

/* Where sweeps go on until nothing turns, rows without a direction do not keep them going. */
static void check_sweeps(struct e2e *e)
{
    static const struct problem p = {"f32", 1, 100, 100, false};
    char json[4096];
    if (!check_wanted(&e->check, "sweeps"))
        return;
    graph_text(json, sizeof json, &p);
    vkr_program *program = e2e_load(e, "sweeps", json, strlen(json), E2E_AS_TARGET);
    if (program) {
        uint64_t usual = dispatches_of(e, &p, program, RANDOM),
                 of_few = dispatches_of(e, &p, program, LOW_RANK);
        check_that(&e->check, of_few < 2 * usual,
                   "sweeps: %llu dispatches of a matrix of rank 3, %llu of a random one",
                   (unsigned long long)of_few, (unsigned long long)usual);
    }
    vkr_program_unload(program);
}

int main(void)
{
    static const struct {
        struct problem problem;
        enum e2e_variant variant;
    } cases[] = {
        {{"f32", KINDS, 16, 16, true}, E2E_AS_TARGET},
        {{"f32", KINDS, 33, 33, false}, E2E_AS_TARGET},
        {{"f32", KINDS, 40, 17, true}, E2E_AS_TARGET},
        {{"f32", 2, 66, 65, false}, E2E_AS_TARGET},
        {{"f32", KINDS, 17, 40, false}, E2E_AS_TARGET},
        {{"f64", KINDS, 20, 33, true}, E2E_AS_TARGET},
        /* on CPUs most rotations are found in 32 bits */
        {{"f64", 4, 131, 130, false}, E2E_AS_TARGET},
        {{"f32", KINDS, 32, 32, true}, E2E_AS_GPU},
        {{"f32", 4, 65, 65, true}, E2E_AS_GPU},
        {{"f64", 5, 40, 24, false}, E2E_AS_GPU},
        {{"f16", 4, 20, 16, true}, E2E_AS_TARGET},
        {{"bf16", 4, 18, 24, false}, E2E_AS_GPU},
        {{"f32", 4, 300, 16, false}, E2E_AS_TARGET},
        {{"f32", 30, 16, 16, true}, E2E_UNFUSED},
        /* few columns: several matrices of them are done side by side, one of less than 4 columns
           on CPUs by Nx's expansion */
        {{"f32", KINDS, 5, 3, true}, E2E_AS_TARGET},
        {{"f64", KINDS, 2, 7, false}, E2E_AS_TARGET},
        {{"f32", KINDS, 15, 15, true}, E2E_AS_GPU},
        {{"f32", 2, 2, 2, true}, E2E_AS_GPU},
        {{"f32", 1, 16, 8, true}, E2E_AS_GPU},
        /* of which a kernel has all on GPUs */
        {{"f32", 1, 3, 3, true}, E2E_AS_GPU},
        {{"f32", KINDS, 5, 3, true}, E2E_AS_GPU},
        {{"f32", 2 * KINDS, 7, 20, false}, E2E_AS_GPU},
        {{"f64", KINDS, 31, 17, true}, E2E_AS_GPU},
        {{"f32", 1, 4, 4, true}, E2E_AS_TARGET},
        {{"f64", 1, 5, 14, false}, E2E_AS_TARGET},
        {{"f64", 1, 9, 7, true}, E2E_AS_GPU},
    };
    struct e2e e;
    if (!e2e_open(&e))
        return 77;
    e.check.turns = 6;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&e, cases[i].problem, cases[i].variant);
    check_sweeps(&e);
    return e2e_close(&e);
}
