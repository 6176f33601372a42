/* Triangular systems around the orders at which they are cut in blocks: sides, halves, transforms,
   types and batches. The residual is within LAPACK's bound, nothing beyond the diagonal is read,
   and a system has the same bits wherever it stands in a batch. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interp/interp_impl.h"

#include "e2e.h"
#include "wide.h"

/* LAPACK's threshold for ||b - M x|| / (||M|| ||x|| u), norms of sums of columns
   (TESTING/dtest.in). */
enum { RATIO = 30 };

struct system {
    const char *type, *transform;
    bool left, lower;
    long batch, n, columns; /* of the right side; 0: vectors */
    int how; /* 0: a Cholesky factor's like; 1: graded; 2: diagonal of ones, the rest of +-1/2 */
};

static void graph_text(char *out, size_t size, const struct system *s)
{
    char a[96], x[96];
    snprintf(a, sizeof a, "{\"type\": \"%s\", \"shape\": [%ld, %ld, %ld]}", s->type, s->batch, s->n,
             s->n);
    if (s->columns == 0)
        snprintf(x, sizeof x, "{\"type\": \"%s\", \"shape\": [%ld, %ld]}", s->type, s->batch, s->n);
    else
        snprintf(x, sizeof x, "{\"type\": \"%s\", \"shape\": [%ld, %ld, %ld]}", s->type, s->batch,
                 s->left ? s->n : s->columns, s->left ? s->columns : s->n);
    snprintf(
        out, size,
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"triangular\", \"entry\": 0, \"funcs\": ["
        "{\"params\": [%s, %s], \"nodes\": ["
        "{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [%s], \"attrs\": {\"index\": 0}}, "
        "{\"id\": 1, \"op\": \"parameter\", \"ins\": [], \"outs\": [%s], \"attrs\": {\"index\": 1}}, "
        "{\"id\": 2, \"op\": \"triangular_solve\", \"ins\": [[0, 0], [1, 0]], \"outs\": [%s], "
        "\"attrs\": {\"left_side\": %s, \"lower\": %s, \"transform\": \"%s\"}}], "
        "\"results\": [[2, 0]]}], \"literals\": [], \"donations\": [], \"callbacks\": 0}",
        a, x, a, x, x, s->left ? "true" : "false", s->lower ? "true" : "false", s->transform);
}

static void make(const struct system *s, enum vkc_type t, void *data, int64_t at, uint64_t *random)
{
    for (long i = 0; i < s->n; i++)
        for (long j = 0; j < s->n; j++) {
            wide x = (unit(random) + (type_is_complex(t) ? I * (wide)unit(random) : 0)) /
                     sqrtl((long double)s->n);
            if (i == j)
                x = 1 + unit(random) / 4;
            if (s->how == 1)
                x *= powl(1e-6L, (long double)i / (long double)s->n);
            if (s->how == 2)
                x = i == j ? 1 : unit(random) < 0 ? -0.5L : 0.5L;
            if (i != j && (j < i) != s->lower)
                x = NAN;
            save(t, data, at + i * s->n + j, x);
        }
}

/* Element (i, k) of op(a), of the left form. */
static wide element(const struct system *s, enum vkc_type t, const void *a, int64_t at, long i,
                    long k)
{
    bool swap = (strcmp(s->transform, "transpose") == 0) != !s->left;
    long row = swap ? k : i, column = swap ? i : k;
    if (row != column && (column < row) != s->lower)
        return 0;
    wide x = load(t, a, at + row * s->n + column);
    return strcmp(s->transform, "conjugate") == 0 ? conjl(x) : x;
}

static long double ratio(const struct system *s, enum vkc_type t, const void *a, const void *b,
                         const void *x, long which, long double u)
{
    long columns = s->columns ? s->columns : 1;
    int64_t square = (int64_t)which * s->n * s->n, side = (int64_t)which * s->n * columns;
    long double norm = 0, worst = 0;
    for (long k = 0; k < s->n; k++) {
        long double sum = 0;
        for (long i = 0; i < s->n; i++)
            sum += cabsl(element(s, t, a, square, i, k));
        norm = sum > norm ? sum : norm;
    }
    for (long c = 0; c < columns; c++) {
        long double off = 0, size = 0;
        long step = s->left || !s->columns ? columns : 1,
             first = step == 1 && s->columns ? c * s->n : c;
        for (long i = 0; i < s->n; i++) {
            wide rest = load(t, b, side + first + i * step);
            for (long k = 0; k < s->n; k++)
                rest -= element(s, t, a, square, i, k) * load(t, x, side + first + k * step);
            off += cabsl(rest);
            size += cabsl(load(t, x, side + first + i * step));
        }
        long double r = off / (norm * size * u);
        if (!(r <= worst))
            worst = r;
    }
    return worst;
}

static void check(struct e2e *e, const struct system *s, enum e2e_variant variant)
{
    enum vkc_type t = type_parse(s->type);
    char json[4096], name[160];
    long columns = s->columns ? s->columns : 1;
    int64_t square = (int64_t)s->n * s->n, side = (int64_t)s->n * columns;
    uint64_t random = (uint64_t)(s->n * 1000 + s->columns * 10 + s->how);
    snprintf(name, sizeof name, "%s %s of a %s triangle, %s, %s[%ld,%ld,%ld] of %ld, kind %d, %s",
             s->left ? "left" : "right", s->transform, s->lower ? "lower" : "upper",
             s->columns ? "matrices" : "vectors", s->type, s->batch, s->n, s->n, columns, s->how,
             e2e_variant_names[variant]);
    if (!check_wanted(&e->check, name))
        return;
    graph_text(json, sizeof json, s);
    struct array ins[2] = {
        {.tensor = {.type = t, .shape = shape_of(3, (int64_t[3]){s->batch, s->n, s->n})}},
        {.tensor = {.type = t, .shape = shape_of(2, (int64_t[2]){s->batch, side})}}};
    size_t bytes = type_bytes(t), each = (size_t)side * bytes;
    void *out = NULL;
    for (int i = 0; i < 2; i++)
        ins[i].data = calloc((size_t)s->batch * (size_t)(i ? side : square), bytes);
    vkr_program *program = e2e_load(e, name, json, strlen(json), variant);
    if (ins[0].data && ins[1].data && program) {
        for (long b = 0; b < s->batch; b++) {
            uint64_t first = 7; /* the last is the first again */
            uint64_t *r = b == 0 || b + 1 == s->batch ? &first : &random;
            make(s, t, ins[0].data, b * square, r);
            for (int64_t i = 0; i < side; i++)
                save(t, ins[1].data, b * side + i,
                     unit(r) + (type_is_complex(t) ? I * (wide)unit(r) : 0));
        }
        if (e2e_run(e, name, program, ins, &out)) {
            long double u = roundoff_of(t), worst = 0;
            for (long b = 0; b < s->batch; b++) {
                long double r = ratio(s, t, ins[0].data, ins[1].data, out, b, u);
                worst = r > worst || isnan(r) ? r : worst;
            }
            check_that(&e->check, worst <= RATIO, "%s: ||b - M x|| is %.1Lf u ||M|| ||x||", name,
                       worst);
            check_that(&e->check,
                       memcmp(out, (char *)out + (size_t)(s->batch - 1) * each, each) == 0,
                       "%s: a system has other bits at another place", name);
        }
    }
    free(out);
    free(ins[0].data);
    free(ins[1].data);
    vkr_program_unload(program);
}

int main(void)
{
    static const char *const types[] = {"f32", "f64", "c64", "c128", "f16", "bf16"};
    static const char *const transforms[] = {"none", "transpose", "conjugate"};
    static const long orders[] = {5, 31, 32, 33, 63, 64, 65, 95, 128, 129, 200, 256, 257, 300, 513};
    struct e2e e;
    int n = 0;
    if (!e2e_open(&e))
        return 77;
    e.check.turns = 2;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++, n++) {
            if (t > 0 && i % 5 != t % 5) /* f32 has all, the others some each */
                continue;
            for (int half = 0; half < (t == 0 ? 4 : 2); half++) {
                struct system s = {.type = types[t],
                                   .left = half != 2,
                                   .lower = half % 2 == 0,
                                   .transform = transforms[(n + half) % 3],
                                   .batch = 1 + (long)(i % 3),
                                   .n = orders[i],
                                   .columns = (long[4]){3, 0, 17, 1}[half],
                                   .how = t < 4 ? (int)(i % 2) : 0};
                check(&e, &s, half == 1 && i % 3 == 0 ? E2E_AS_GPU : E2E_AS_TARGET);
            }
        }
    for (int upper = 0; upper < 2; upper++) {
        struct system s = {"f32", "none", true, !upper, 2, 300, 9, 2};
        check(&e, &s, E2E_AS_TARGET);
        s = (struct system){"f64", "transpose", false, !upper, 2, 100, 70, 0};
        check(&e, &s, E2E_UNFUSED);
    }
    return e2e_close(&e);
}
