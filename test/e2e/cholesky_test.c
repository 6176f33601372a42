/* Cholesky factors of every type, of orders around those of a panel and of several, alone and in
   batches: L L* is A within LAPACK's bound, zero above the diagonal, and a matrix has the same
   bits wherever it stands. The upper triangle of A is garbage, which nobody may read. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interp/interp_impl.h"

#include "e2e.h"
#include "wide.h"

/* LAPACK's threshold for ||A - L L*|| / (n ||A|| u), in the norm of sums of columns
   (TESTING/dtest.in). */
enum { RATIO = 30 };

static void graph_text(char *out, size_t size, const char *type, long batch, long n)
{
    char tensor[96], parameter[256];
    snprintf(tensor, sizeof tensor, "{\"type\": \"%s\", \"shape\": [%ld, %ld, %ld]}", type, batch,
             n, n);
    snprintf(
        parameter, sizeof parameter,
        "{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [%s], \"attrs\": {\"index\": 0}}",
        tensor);
    snprintf(
        out, size,
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"cholesky\", \"entry\": 0, \"funcs\": ["
        "{\"params\": [%s], \"nodes\": [%s, {\"id\": 1, \"op\": \"block\", \"ins\": [[0, 0]], \"outs\": [%s], "
        "\"attrs\": {\"name\": \"LinAlg.Cholesky\"}, \"regions\": [1]}], \"results\": [[1, 0]]}, "
        "{\"params\": [%s], \"nodes\": [%s], \"results\": [[0, 0]]}], "
        "\"literals\": [], \"donations\": [], \"callbacks\": 0}",
        tensor, parameter, tensor, tensor, parameter);
}

/* A positive definite matrix, rounded to the type, in the lower triangle. `how` 0: of condition
   about 10; 1: graded, the last row 1e-6 (1e-2 for f16) of the first; 2: all ones; 3: as 0, with
   a negative pivot in row n / 2. */
static bool make(enum vkc_type t, void *data, int64_t at, long n, int how, uint64_t *random)
{
    wide *m = malloc((size_t)(n * n) * sizeof *m);
    double least = t == TYPE_F16 || t == TYPE_BF16 ? 1e-2 : 1e-6;
    if (!m)
        return false;
    for (long i = 0; i < n * n; i++)
        m[i] = unit(random) + (type_is_complex(t) ? I * (wide)unit(random) : 0);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            wide sum = i == j;
            for (long k = 0; k < n; k++)
                sum += m[i * n + k] * conjl(m[j * n + k]) / n;
            if (how == 1)
                sum *= powl(least, (long double)(i + j) / (long double)(2 * n));
            if (how == 2)
                sum = 1;
            if (how == 3 && i == j && i == n / 2)
                sum = -1;
            save(t, data, at + i * n + j, j > i ? 1e30L : i == j ? creall(sum) : sum);
        }
    free(m);
    return true;
}

/* ||A - L L*|| / (n ||A|| u), or infinity where L has something above the diagonal. */
static long double ratio(enum vkc_type t, const void *a, const void *l, int64_t at, long n,
                         long double u)
{
    long double worst = 0, norm = 0;
    for (long j = 0; j < n; j++) {
        long double column = 0, off = 0;
        for (long i = 0; i < n; i++) {
            wide sum = i >= j ? load(t, a, at + i * n + j) : conjl(load(t, a, at + j * n + i));
            column += cabsl(sum);
            for (long k = 0; k <= (i < j ? i : j); k++)
                sum -= load(t, l, at + i * n + k) * conjl(load(t, l, at + j * n + k));
            off += cabsl(sum);
            if (j > i && load(t, l, at + i * n + j) != 0)
                return INFINITY;
        }
        norm = column > norm ? column : norm;
        if (!(off <= worst))
            worst = off;
    }
    return worst / (norm * u * (long double)n);
}

/* Columns before the bad pivot are those of the leading matrix, the pivot and what is below it
   are not numbers. */
static bool stops_at(enum vkc_type t, const void *l, int64_t at, long n, long bad)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++) {
            wide x = load(t, l, at + i * n + j);
            bool finite = isfinite(creall(x)) && isfinite(cimagl(x));
            if (finite != (j < bad) && (j < bad || i == j))
                return false;
        }
    return true;
}

static void check(struct e2e *e, const char *type, long batch, long n, int how,
                  enum e2e_variant variant)
{
    enum vkc_type t = type_parse(type);
    char json[4096], name[96];
    int64_t square = (int64_t)n * n, elements = batch * square;
    uint64_t random = (uint64_t)(n * 1000 + batch * 10 + how);
    struct array in = {.tensor = {.type = t, .shape = shape_of(3, (int64_t[3]){batch, n, n})}};
    void *out = NULL;
    snprintf(name, sizeof name, "cholesky of %s[%ld,%ld,%ld], kind %d, %s", type, batch, n, n, how,
             e2e_variant_names[variant]);
    if (!check_wanted(&e->check, name))
        return;
    graph_text(json, sizeof json, type, batch, n);
    in.data = calloc((size_t)elements, type_bytes(t));
    vkr_program *program = e2e_load(e, name, json, strlen(json), variant);
    bool ok = in.data && program;
    for (long b = 0; b < batch && ok; b++) /* the last is the first again */
        ok = make(t, in.data, b * square, n, how,
                  b + 1 == batch ? &(uint64_t){7}
                  : b == 0       ? &(uint64_t){7}
                                 : &random);
    if (ok && e2e_run(e, name, program, &in, &out)) {
        long double u = roundoff_of(t), worst = 0;
        bool is_right = true;
        for (long b = 0; b < batch; b++) {
            long double r = how < 2 ? ratio(t, in.data, out, b * square, n, u) : 0;
            worst = r > worst || isnan(r) ? r : worst;
            if (how == 3)
                is_right = is_right && stops_at(t, out, b * square, n, n / 2);
            for (int64_t i = 0; how == 2 && i < square; i++)
                is_right = is_right && load(t, out, b * square + i) == (i % n == 0);
        }
        size_t bytes = (size_t)square * type_bytes(t);
        check_that(&e->check, worst <= RATIO, "%s: ||A - L L*|| is %.1Lf n u ||A||", name, worst);
        check_that(&e->check, is_right, "%s: not what a matrix of this kind has", name);
        check_that(&e->check, memcmp(out, (char *)out + (size_t)(batch - 1) * bytes, bytes) == 0,
                   "%s: a matrix has other bits at another place", name);
    }
    free(out);
    free(in.data);
    vkr_program_unload(program);
}

int main(void)
{
    static const char *const types[] = {"f32", "f64", "c64", "c128", "f16", "bf16"};
    static const long orders[] = {1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 129, 200};
    struct e2e e;
    if (!e2e_open(&e))
        return 77;
    e.check.turns = 5;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
            if (t > 0 && i % 5 != t % 5) /* f32 has all, the others some each */
                continue;
            check(&e, types[t], 1 + (long)(i % 3), orders[i], t < 4 && i % 2 ? 1 : 0,
                  E2E_AS_TARGET);
            if (i % 3 == t % 3)
                check(&e, types[t], 2, orders[i], 0, E2E_AS_GPU);
        }
    for (size_t t = 0; t < 4; t++)
        for (int how = 2; how < 4; how++)
            check(&e, types[t], 2, (long[4]){80, 33, 4, 1}[(t + (size_t)how) % 4], how,
                  E2E_AS_TARGET);
    check(&e, "f32", 102, 16, 0, E2E_AS_TARGET);
    check(&e, "f32", 37, 5, 0, E2E_AS_GPU);
    check(&e, "f64", 5, 96, 0, E2E_UNFUSED);
    check(&e, "f32", 1, 530, 0, E2E_ALSO);  /* panels of 32: more than 16 steps */
    check(&e, "c128", 1, 530, 0, E2E_ALSO); /* panels of 16: more than 32, so cut in two */
    return e2e_close(&e);
}
