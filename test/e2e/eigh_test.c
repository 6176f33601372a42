/* Eigenvalues and eigenvectors of Hermitian matrices of every type, alone and in batches, of orders
   around those that a workgroup takes: the residual, the orthogonality of the vectors and the order
   of the values within LAPACK's bounds, for spectra that are hard to separate; NaN for a matrix
   that is not finite, and for it alone; the same bits where the program is not trusted. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interp/interp_impl.h"

#include "e2e.h"
#include "wide.h"

/* LAPACK's threshold for symmetric problems is 60, in units of n u (TESTING/sep.in). */
enum { RATIO = 30 };

enum kind { RANDOM, SIGNS, GRADED, CLUSTER, HILBERT, ZEROS, ONES, HUGE, NOT_FINITE, KINDS };
static const char *const kinds[] = {
    "random", "of eigenvalues 1 and -1", "graded",    "a cluster", "Hilbert's", "zeros",
    "ones",   "of large elements",       "not finite"};

static void graph_text(char *out, size_t size, const char *type, long batch, long n)
{
    char matrices[96], values[96], parameter[256];
    snprintf(matrices, sizeof matrices, "{\"type\": \"%s\", \"shape\": [%ld, %ld, %ld]}", type,
             batch, n, n);
    snprintf(values, sizeof values, "{\"type\": \"%s\", \"shape\": [%ld, %ld]}", type, batch, n);
    snprintf(
        parameter, sizeof parameter,
        "{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [%s], \"attrs\": {\"index\": 0}}",
        matrices);
    snprintf(
        out, size,
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"eigh\", \"entry\": 0, \"funcs\": ["
        "{\"params\": [%s], \"nodes\": [%s, {\"id\": 1, \"op\": \"block\", \"ins\": [[0, 0]], "
        "\"outs\": [%s, %s], \"attrs\": {\"name\": \"LinAlg.Eigh\"}, \"regions\": [1]}], "
        "\"results\": [[1, 0], [1, 1]]}, "
        "{\"params\": [%s], \"nodes\": [%s, {\"id\": 1, \"op\": \"sum\", \"ins\": [[0, 0]], \"outs\": [%s], "
        "\"attrs\": {\"axes\": [2], \"keep\": false}}], \"results\": [[1, 0], [0, 0]]}], "
        "\"literals\": [], \"donations\": [], \"callbacks\": 0}",
        matrices, parameter, values, matrices, matrices, parameter, values);
}

static long double value_of(enum kind kind, long i, long n, long double u)
{
    switch (kind) {
    case SIGNS: return i % 2 ? 1 : -1;
    case GRADED: return (i % 2 ? 1 : -1) * powl(u, (long double)i / (long double)n);
    case CLUSTER: return 1 + 1e-6L * (long double)i;
    default: return 0;
    }
}

/* Q diag(values) Q* for a product Q of reflections: as many as leave nothing of the order that the
   values stand in, which clusters would be found by. */
static void with_spectrum(wide *m, long n, enum kind kind, enum vkc_type t, uint64_t *random)
{
    bool is_complex = type_is_complex(t);
    wide *v = calloc((size_t)n, sizeof *v);
    for (long i = 0; i < n * n; i++)
        m[i] = i / n == i % n ? value_of(kind, i / n, n, roundoff_of(t)) : 0;
    for (long r = 0; v && r < n; r++) {
        long double norm = 0;
        for (long i = 0; i < n; i++) {
            v[i] = unit(random) + (is_complex ? I * (wide)unit(random) : 0);
            norm += creall(v[i] * conjl(v[i]));
        }
        for (long side = 0; side < 2; side++) /* (I - 2 v v* / norm) m, then m of the same */
            for (long j = 0; j < n; j++) {
                wide sum = 0;
                for (long i = 0; i < n; i++)
                    sum += side ? m[j * n + i] * v[i] : conjl(v[i]) * m[i * n + j];
                for (long i = 0; i < n; i++)
                    m[side ? j * n + i : i * n + j] -= 2 * sum * (side ? conjl(v[i]) : v[i]) / norm;
            }
    }
    free(v);
}

static bool make(enum vkc_type t, void *data, int64_t at, long n, enum kind kind, uint64_t *random)
{
    wide *m = malloc((size_t)(n * n) * sizeof *m);
    bool is_complex = type_is_complex(t);
    if (!m)
        return false;
    if (kind == SIGNS || kind == GRADED || kind == CLUSTER)
        with_spectrum(m, n, kind, t, random);
    else
        for (long i = 0; i < n * n; i++)
            m[i] = kind == HILBERT ? 1 / (long double)(i / n + i % n + 1)
                   : kind == ZEROS ? 0
                   : kind == ONES  ? 1
                                   : unit(random) + (is_complex ? I * (wide)unit(random) : 0);
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++) {
            wide x = i == j ? creall(m[i * n + i]) : (m[i * n + j] + conjl(m[j * n + i])) / 2;
            if (kind == HUGE)
                x *= type_bytes(type_part(t)) == 8 ? 1e200L : 1e30L;
            if (kind == NOT_FINITE && i == n - 1 && j == 0)
                x = INFINITY;
            save(t, data, at + i * n + j, x);
            save(t, data, at + j * n + i, conjl(x));
        }
    free(m);
    return true;
}

/* ||A V - V W|| / (n ||A|| u) and ||I - V* V|| / (n u), the larger one; infinity where values are
   not sorted, or not real. */
static long double ratio(enum vkc_type t, const void *a, const void *w, const void *v, int64_t b,
                         long n, long double u)
{
    int64_t at = b * n * n;
    long double norm = 0, residual = 0, skew = 0;
    for (long j = 0; j < n; j++) {
        long double column = 0, off = 0, angle = 0;
        wide value = load(t, w, b * n + j);
        if (cimagl(value) != 0 ||
            (j > 0 && cabsl(value) > cabsl(load(t, w, b * n + j - 1)) * (1 + 4 * u)))
            return INFINITY;
        for (long i = 0; i < n; i++) {
            wide sum = -value * load(t, v, at + i * n + j), product = -(wide)(i == j);
            column += cabsl(load(t, a, at + i * n + j));
            for (long k = 0; k < n; k++) {
                sum += load(t, a, at + i * n + k) * load(t, v, at + k * n + j);
                product += conjl(load(t, v, at + k * n + i)) * load(t, v, at + k * n + j);
            }
            off += cabsl(sum);
            angle += cabsl(product);
        }
        norm = column > norm ? column : norm;
        residual = off <= residual ? residual : off;
        skew = angle <= skew ? skew : angle;
    }
    residual = norm > 0 ? residual / norm : residual;
    return (skew <= residual ? residual : skew) / (u * (long double)n);
}

static bool is_nan(enum vkc_type t, const void *data, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++)
        if (!isnan(creall(load(t, data, i))))
            return false;
    return true;
}

static void check(struct e2e *e, const char *type, long batch, long n, enum e2e_variant variant)
{
    enum vkc_type t = type_parse(type);
    char json[4096], name[128];
    int64_t square = (int64_t)n * n;
    uint64_t random = (uint64_t)(n * 1000 + batch);
    struct array in = {.tensor = {.type = t, .shape = shape_of(3, (int64_t[3]){batch, n, n})}};
    void *out[2] = {NULL, NULL};
    snprintf(name, sizeof name, "eigh of %s[%ld,%ld,%ld], %s", type, batch, n, n,
             e2e_variant_names[variant]);
    if (!check_wanted(&e->check, name))
        return;
    graph_text(json, sizeof json, type, batch, n);
    in.data = calloc((size_t)(batch * square), type_bytes(t));
    vkr_program *program = e2e_load(e, name, json, strlen(json), variant);
    bool ok = in.data && program;
    for (long b = 0; b < batch && ok; b++) /* matrix b is of kind b */
        ok = make(t, in.data, b * square, n, (enum kind)(b % KINDS), &random);
    if (ok && e2e_run(e, name, program, &in, out)) {
        for (long b = 0; b < batch; b++) {
            if (b % KINDS == NOT_FINITE) {
                check_that(&e->check,
                           is_nan(t, out[0], b * n, n) && is_nan(t, out[1], b * square, square),
                           "%s: a matrix that is not finite has eigenvalues", name);
                continue;
            }
            long double r = ratio(t, in.data, out[0], out[1], b, n, roundoff_of(t));
            check_that(&e->check, r <= RATIO, "%s: matrix %ld, %s, is off by %.1Lf n u", name, b,
                       kinds[b % KINDS], r);
        }
        e2e_compare_untrusted(e, name, json, variant, &in, out);
    }
    free(out[0]);
    free(out[1]);
    free(in.data);
    vkr_program_unload(program);
}

/* The first matrix of a batch, which takes fewer sweeps than some second ones, has the same bits
   beside any: what is done for the other does not touch it. */
static void check_beside(struct e2e *e, const char *type, long n)
{
    enum vkc_type t = type_parse(type);
    char json[4096], name[128];
    size_t bytes = (size_t)(n * n) * type_bytes(t);
    void *out[2][2] = {{NULL}};
    snprintf(name, sizeof name, "eigh of %s[2,%ld,%ld], the first beside others", type, n, n);
    if (!check_wanted(&e->check, name))
        return;
    struct array in = {.tensor = {.type = t, .shape = shape_of(3, (int64_t[3]){2, n, n})},
                       .data = calloc(2, bytes)};
    graph_text(json, sizeof json, type, 2, n);
    vkr_program *program = e2e_load(e, name, json, strlen(json), E2E_AS_TARGET);
    bool ok = in.data && program;
    for (int i = 0; i < 2 && ok; i++) {
        uint64_t random = 1;
        ok = make(t, in.data, 0, n, SIGNS, &random) &&
             make(t, in.data, n * n, n, i ? GRADED : ZEROS, &random) &&
             e2e_run(e, name, program, &in, out[i]);
    }
    vkr_program_unload(program);
    free(in.data);
    if (ok)
        check_that(&e->check, !memcmp(out[0][1], out[1][1], bytes), "%s: other vectors", name);
    for (int i = 0; i < 4; i++)
        free(out[i / 2][i % 2]);
}

int main(void)
{
    static const struct {
        const char *type;
        long batch, order;
        enum e2e_variant variant;
    } cases[] = {
        {"f32", KINDS, 16, E2E_AS_TARGET},
        {"f32", KINDS, 33, E2E_AS_TARGET},
        {"f32", KINDS, 64, E2E_AS_TARGET},
        {"f32", 3, 70, E2E_AS_TARGET},
        {"f64", KINDS, 31, E2E_AS_TARGET},
        {"c64", KINDS, 24, E2E_AS_TARGET},
        {"c128", 4, 17, E2E_AS_TARGET},
        /* clusters, and values down to rounding, take twice as many sweeps in 64 bits */
        {"f64", KINDS, 64, E2E_AS_TARGET},
        {"c128", 3, 65, E2E_AS_TARGET},
        /* on CPUs most rotations are found in 32 bits */
        {"f64", 4, 130, E2E_AS_TARGET},
        /* so many are turned across by straight code */
        {"c64", 11, 40, E2E_AS_TARGET},
        {"f16", 4, 32, E2E_AS_TARGET},
        {"f32", KINDS, 63, E2E_AS_GPU},
        {"f64", 3, 65, E2E_AS_GPU},
        {"f32", 3, 130, E2E_AS_GPU},
        {"c64", 2, 70, E2E_AS_GPU},
        {"c64", 3, 40, E2E_AS_GPU},
        {"c128", KINDS, 20, E2E_AS_GPU},
        {"bf16", 4, 24, E2E_AS_GPU},
        {"f32", 40, 16, E2E_UNFUSED},
        /* small: several are done side by side, one by Nx's expansion on a CPU, and below 4 */
        {"f32", KINDS, 3, E2E_AS_TARGET},
        {"f64", KINDS, 2, E2E_AS_TARGET},
        {"f32", KINDS, 15, E2E_AS_GPU},
        {"c64", 2, 5, E2E_AS_GPU},
        {"c64", 1, 6, E2E_AS_GPU},
        {"f32", 1, 4, E2E_AS_GPU},
        {"f64", 1, 13, E2E_AS_GPU},
        {"f32", 1, 17, E2E_AS_GPU},
    };
    struct e2e e;
    if (!e2e_open(&e))
        return 77;
    e.check.turns = 6;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&e, cases[i].type, cases[i].batch, cases[i].order, cases[i].variant);
    check_beside(&e, "f64", 50);
    return e2e_close(&e);
}
