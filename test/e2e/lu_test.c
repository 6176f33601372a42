/* LU factors of orders around those of a panel and of several, of every type, alone and in
   batches: P L U is A within LAPACK's bound, the factors are triangular and P a permutation, ties
   and zeros are taken as Nx's expansion does, and a matrix has the same bits wherever it stands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interp/interp_impl.h"

#include "e2e.h"
#include "wide.h"

/* LAPACK's threshold for ||A - P L U|| / (n ||A|| u), in the norm of sums of columns
   (TESTING/dtest.in). */
enum { RATIO = 30 };

/* of A: */
enum kind {
    RANDOM,
    GRADED,   /* rows from 1 to 1e-6 */
    HADAMARD, /* of +-1, or complex units, exact in any type: all of a column tie, or are 0 */
    ONES,     /* of rank 1 */
    HOLE,     /* random, with a NaN in row n / 2 of column n / 3 */
    NKINDS
};
static const char *const kinds[NKINDS] = {"random", "graded", "Hadamard's", "ones", "with a NaN"};

static void graph_text(char *out, size_t size, const char *type, long batch, long n)
{
    char tensor[96], parameter[256];
    snprintf(tensor, sizeof tensor, "{\"type\": \"%s\", \"shape\": [%ld, %ld, %ld]}", type, batch,
             n, n);
    snprintf(
        parameter, sizeof parameter,
        "{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [%s], \"attrs\": {\"index\": 0}}",
        tensor);
    snprintf(out, size,
             "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"lu\", \"entry\": 0, \"funcs\": ["
             "{\"params\": [%s], \"nodes\": [%s, {\"id\": 1, \"op\": \"block\", \"ins\": [[0, 0]], "
             "\"outs\": [%s, %s, %s], \"attrs\": {\"name\": \"LinAlg.LU\"}, \"regions\": [1]}], "
             "\"results\": [[1, 0], [1, 1], [1, 2]]}, "
             "{\"params\": [%s], \"nodes\": [%s], \"results\": [[0, 0], [0, 0], [0, 0]]}], "
             "\"literals\": [], \"donations\": [], \"callbacks\": 0}",
             tensor, parameter, tensor, tensor, tensor, tensor, parameter);
}

static bool odd_bits(long x)
{
    bool odd = false;
    for (; x; x &= x - 1)
        odd = !odd;
    return odd;
}

static void make(enum vkc_type t, void *data, int64_t at, long n, enum kind kind, uint64_t *random)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            wide x = unit(random);
            if (type_is_complex(t))
                x += (wide)I * unit(random);
            if (kind == GRADED)
                x *= powl(t == TYPE_F16 || t == TYPE_BF16 ? 1e-2L : 1e-6L,
                          (long double)i / (long double)n);
            if (kind == HADAMARD)
                x = (odd_bits(i & j) ? -1 : 1) *
                    (type_is_complex(t) && i % 2 ? (wide)I * (i % 4 == 1 ? 1 : -1) : 1);
            if (kind == ONES)
                x = 1;
            if (kind == HOLE && i == n / 2 && j == n / 3)
                x = NAN;
            save(t, data, at + i * n + j, x);
        }
}

/* As Nx.LinAlg.lu: rows are exchanged. Gives where each row of A stands. */
static bool reference(enum vkc_type t, const void *data, int64_t at, long n, long *order)
{
    wide *a = malloc((size_t)(n * n) * sizeof *a);
    if (!a)
        return false;
    for (long i = 0; i < n * n; i++)
        a[i] = load(t, data, at + i);
    for (long i = 0; i < n; i++)
        order[i] = i;
    for (long k = 0; k < n; k++) {
        long p = k;
        for (long i = k + 1; i < n && !isnan(cabsl(a[p * n + k])); i++)
            if (isnan(cabsl(a[i * n + k])) || cabsl(a[i * n + k]) > cabsl(a[p * n + k]))
                p = i;
        for (long j = 0; j < n; j++) {
            wide x = a[k * n + j];
            a[k * n + j] = a[p * n + j];
            a[p * n + j] = x;
        }
        long row = order[k];
        order[k] = order[p];
        order[p] = row;
        for (long i = k + 1; i < n; i++) {
            wide l = a[k * n + k] == 0 ? a[i * n + k] : a[i * n + k] / a[k * n + k];
            for (long j = k + 1; j < n; j++)
                a[i * n + j] -= l * a[k * n + j];
        }
    }
    free(a);
    return true;
}

/* Fills order: column j of P has its single 1 in row order[j]. False if P is not a permutation. */
static bool order_of(enum vkc_type t, const void *p, int64_t at, long n, long *order)
{
    for (long j = 0; j < n; j++) {
        long ones = 0;
        for (long i = 0; i < n; i++) {
            wide x = load(t, p, at + i * n + j);
            if (x == 1) {
                order[j] = i;
                ones++;
            } else if (x != 0)
                return false;
        }
        if (ones != 1)
            return false;
    }
    for (long i = 0; i < n; i++)
        for (long j = 0; j < i; j++)
            if (order[i] == order[j])
                return false;
    return true;
}

/* ||A - P L U|| / (n ||A|| u), or infinity where a factor is not as it should be. */
static long double ratio(enum vkc_type t, const void *a, const void *l, const void *u, int64_t at,
                         long n, const long *order, long double eps)
{
    long double worst = 0, norm = 0;
    for (long j = 0; j < n; j++) {
        long double column = 0, off = 0;
        for (long i = 0; i < n; i++) {
            wide lower = load(t, l, at + i * n + j), rest = load(t, a, at + order[i] * n + j);
            /* of complex numbers two magnitudes are rounded, and a quotient */
            if ((j > i && lower != 0) || (j == i && lower != 1) ||
                cabsl(lower) > 1 + (type_is_complex(t) ? 8 : 1) * eps ||
                (j < i && load(t, u, at + i * n + j) != 0))
                return INFINITY;
            column += cabsl(rest);
            for (long k = 0; k <= (i < j ? i : j); k++)
                rest -= load(t, l, at + i * n + k) * load(t, u, at + k * n + j);
            off += cabsl(rest);
        }
        norm = column > norm ? column : norm;
        if (!(off <= worst))
            worst = off;
    }
    return worst / (norm * eps * (long double)n);
}

static void check_matrix(struct e2e *e, const char *name, enum vkc_type t, const void *a,
                         void *const *outs, int64_t at, long n, enum kind kind)
{
    long *order = malloc((size_t)(2 * n) * sizeof *order), *want = order + n;
    long double eps = roundoff_of(t);
    if (!order || !reference(t, a, at, n, want)) {
        check_that(&e->check, false, "%s: no memory", name);
    } else if (!order_of(t, outs[0], at, n, order)) {
        check_that(&e->check, false, "%s: P is no permutation", name);
    } else {
        bool is_same = memcmp(order, want, (size_t)n * sizeof *order) == 0;
        long double worst = kind == HOLE ? 0 : ratio(t, a, outs[1], outs[2], at, n, order, eps);
        check_that(&e->check, worst <= RATIO, "%s: ||A - P L U|| is %.1Lf n u ||A||", name, worst);
        /* of other matrices rounding may decide between two rows; columns before a NaN are exact */
        if (kind == HADAMARD || kind == ONES || (kind == HOLE && n / 3 < 2))
            check_that(&e->check, is_same, "%s: other rows are pivots than Nx takes", name);
    }
    free(order);
}

static void check(struct e2e *e, const char *type, long batch, long n, enum kind kind,
                  enum e2e_variant variant)
{
    enum vkc_type t = type_parse(type);
    char json[4096], name[96];
    int64_t square = (int64_t)n * n;
    if (n < 16) /* fewer are Nx's expansion, which the graph here does not have */
        batch += 8192 / (n * n);
    uint64_t random = (uint64_t)(n * 1000 + batch * 10 + (long)kind);
    struct array in = {.tensor = {.type = t, .shape = shape_of(3, (int64_t[3]){batch, n, n})}};
    void *outs[3] = {NULL};
    snprintf(name, sizeof name, "lu of %s[%ld,%ld,%ld], %s, %s", type, batch, n, n, kinds[kind],
             e2e_variant_names[variant]);
    if (!check_wanted(&e->check, name))
        return;
    graph_text(json, sizeof json, type, batch, n);
    in.data = calloc((size_t)(batch * square), type_bytes(t));
    vkr_program *program = e2e_load(e, name, json, strlen(json), variant);
    for (long b = 0; b < batch && in.data; b++) /* the last is the first again */
        make(t, in.data, b * square, n, kind, b == 0 || b + 1 == batch ? &(uint64_t){7} : &random);
    if (in.data && program && e2e_run(e, name, program, &in, outs)) {
        size_t bytes = (size_t)square * type_bytes(t);
        for (long b = 0; b < batch && b < 4; b++)
            check_matrix(e, name, t, in.data, outs, b * square, n, kind);
        for (int i = 0; i < 3; i++)
            check_that(&e->check,
                       memcmp(outs[i], (char *)outs[i] + (size_t)(batch - 1) * bytes, bytes) == 0,
                       "%s: a matrix has other bits at another place", name);
    }
    for (int i = 0; i < 3; i++)
        free(outs[i]);
    free(in.data);
    vkr_program_unload(program);
}

int main(void)
{
    static const char *const types[] = {"f32", "f64", "f16", "bf16", "c64", "c128"};
    static const long orders[] = {1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 129, 200};
    struct e2e e;
    if (!e2e_open(&e))
        return 77;
    e.check.turns = 4;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
            if (t > 0 && i % 3 != t % 3) /* f32 has all, the others some each */
                continue;
            check(&e, types[t], 1 + (long)(i % 3), orders[i], i % 2 ? GRADED : RANDOM,
                  E2E_AS_TARGET);
            /* whose kernels take the CPU's driver long: large ones in f32 alone */
            if (i % 3 == t % 3 && (t == 0 || orders[i] <= (t == 1 ? 65 : 17)))
                check(&e, types[t], 2, orders[i], RANDOM, E2E_AS_GPU);
        }
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        if (t == 2 || t == 3)
            continue;
        for (long n = 2; n <= 64; n *= 2)
            check(&e, types[t], 2, n, HADAMARD, n == 16 ? E2E_AS_GPU : E2E_AS_TARGET);
        check(&e, types[t], 1, 40, ONES, E2E_AS_TARGET);
        check(&e, types[t], 1, 5, HOLE, E2E_AS_TARGET);
        check(&e, types[t], 1, 70, HOLE, E2E_AS_TARGET);
    }
    check(&e, "f32", 102, 16, RANDOM, E2E_AS_TARGET);
    check(&e, "f64", 3, 48, RANDOM, E2E_UNFUSED);
    /* panels of the baseline's workgroups get narrower: the rest is cut by rows, too */
    check(&e, "f32", 2, 600, GRADED, E2E_ALSO);
    check(&e, "f64", 1, 270, RANDOM, E2E_ALSO);
    check(&e, "f32", 1, 256, HADAMARD, E2E_ALSO);
    return e2e_close(&e);
}
