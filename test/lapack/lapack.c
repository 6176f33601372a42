/* LAPACK's test ratios of bundles, on a device: see README.md.  Usage: lapack [--device=NAME]
   [--seed=N] BUNDLE ... A bundle's file is named OPERATION-*.vkb; its inputs are a batch of
   matrices and, of solvers, one of right sides. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"
#include "ratios.h"
#include "vkr.h"

#define BOUND 30.0L /* TESTING/dtest.in of LAPACK */

static const struct type {
    const char *name, *part;
    struct precision precision;
} types[] = {
    {"f16", "f16", {0x1p-11L, 0x1p-14L, 65504.0L}},
    {"bf16", "bf16", {0x1p-8L, 0x1p-126L, 0x1.fep127L}},
    {"f32", "f32", {0x1p-24L, 0x1p-126L, 0x1.fffffep127L}},
    {"f64", "f64", {0x1p-53L, 0x1p-1022L, 0x1.fffffffffffffp1023L}},
    {"c64", "f32", {0x1p-24L, 0x1p-126L, 0x1.fffffep127L}},
    {"c128", "f64", {0x1p-53L, 0x1p-1022L, 0x1.fffffffffffffp1023L}},
};
enum { TYPES = sizeof types / sizeof *types };

/* What the table says of an operation and a type. */
struct row {
    long measured, failed;
    long double worst[MOST_RATIOS];
    char where[MOST_RATIOS][128];
};

/* A bundle with its device and buffers. */
struct bench {
    const char *path;
    const struct operation *operation;
    const struct type *type;
    vkr_device *device;
    vkr_program *program;
    uint32_t inputs, outputs;
    vkr_tensor_info in[MOST_INPUTS], out[MOST_RESULTS];
    vkr_buffer buffers[MOST_INPUTS + MOST_RESULTS];
    void *data[MOST_INPUTS + MOST_RESULTS], *again;
    struct row *row;
    uint32_t seed;
};

static void *bytes_new(uint64_t bytes)
{
    void *data = calloc(1, bytes ? (size_t)bytes : 1);
    if (!data) {
        fputs("lapack: out of memory\n", stderr);
        exit(4);
    }
    return data;
}

static bool said(const struct bench *b, vkr_status status, const vkr_error *err)
{
    if (status)
        printf("%s: %s: %s\n", b->path, vkr_status_name(status), err->message);
    return status == VKR_OK;
}

/* The shape of one matrix of a tensor; of one number, or row of numbers, 1 x n. */
static void matrix_shape(const vkr_tensor_info *t, long *out_m, long *out_n)
{
    *out_m = t->rank > 2 ? (long)t->dims[1] : 1;
    *out_n = t->rank > 1 ? (long)t->dims[t->rank - 1] : 1;
}

static struct matrix load(const vkr_tensor_info *t, const char *part, const void *data, long batch)
{
    long m, n;
    matrix_shape(t, &m, &n);
    bool is_complex = t->type[0] == 'c';
    if (!is_complex)
        part = t->type; /* values of a complex matrix are real */
    struct matrix a = matrix_new(m, n, is_complex);
    for (long i = 0; i < m * n; i++) {
        uint64_t at = (uint64_t)(batch * m * n + i) * (is_complex ? 2 : 1);
        a.re[i] = npy_get(part, data, at);
        if (is_complex)
            a.im[i] = npy_get(part, data, at + 1);
    }
    return a;
}

static void store(const struct matrix *a, const char *part, void *data, long batch)
{
    for (long i = 0; i < a->m * a->n; i++) {
        uint64_t at = (uint64_t)(batch * a->m * a->n + i) * (a->im ? 2 : 1);
        npy_set(part, data, at, (double)a->re[i]);
        if (a->im)
            npy_set(part, data, at + 1, (double)a->im[i]);
    }
}

/* ---- one run: a batch of matrices ---- */

static void fill(struct bench *b, const struct kind *const *chosen, long count)
{
    long m, n, sides, one;
    bool is_complex = b->type->name[0] == 'c';
    matrix_shape(&b->in[0], &m, &n);
    for (long i = 0; i < (long)b->in[0].dims[0]; i++) {
        struct matrix a = kind_make(chosen[i % count], b->operation->class, m, n, is_complex,
                                    &b->type->precision, b->seed++);
        store(&a, b->type->part, b->data[0], i);
        matrix_free(&a);
        if (b->inputs < 2)
            continue;
        matrix_shape(&b->in[1], &one, &sides);
        struct matrix x =
            kind_make(kind_random(), GENERAL, n, sides, is_complex, &b->type->precision, b->seed++);
        a = load(&b->in[0], b->type->part, b->data[0], i); /* as it was rounded */
        struct matrix right = matrix_product(&a, AS_IS, &x, AS_IS);
        store(&right, b->type->part, b->data[1], i);
        matrix_free(&a);
        matrix_free(&x);
        matrix_free(&right);
    }
}

/* Twice: the same bits. */
static bool run(struct bench *b)
{
    vkr_error err = {0};
    bool ok = true;
    for (uint32_t i = 0; i < b->inputs && ok; i++)
        ok =
            said(b, vkr_buffer_write(b->device, b->buffers[i], 0, b->data[i], b->in[i].bytes, &err),
                 &err);
    for (int round = 0; round < 2 && ok; round++) {
        vkr_buffer *outputs = b->buffers + b->inputs;
        ok = said(b, vkr_run(b->program, b->buffers, b->inputs, outputs, b->outputs, NULL, &err),
                  &err);
        for (uint32_t j = 0; j < b->outputs && ok; j++) {
            void *to = round ? b->again : b->data[b->inputs + j];
            ok =
                said(b, vkr_buffer_read(b->device, outputs[j], 0, to, b->out[j].bytes, &err), &err);
            if (ok && round && memcmp(b->again, b->data[b->inputs + j], b->out[j].bytes)) {
                printf("%s: output %u is another the second time\n", b->path, j);
                ok = false;
            }
        }
    }
    return ok;
}

static bool are_finite(const struct bench *b, const struct problem *p)
{
    for (uint32_t j = 0; j < b->outputs; j++)
        if (!matrix_is_finite(&p->out[j]))
            return false;
    return true;
}

static void judge(struct bench *b, const struct problem *p, long at)
{
    const struct operation *o = b->operation;
    struct row *row = b->row;
    long double ratio[MOST_RATIOS] = {-1, -1, -1, -1};
    bool finite = are_finite(b, p);
    if (!kind_is_finite(p->kind))
        ratio[0] = finite ? INFINITY : 0;
    else if (finite || o->finite == IF_IN_RANGE)
        o->measure(p, ratio);
    else if (o->finite != IF_DEFINITE || p->kind->condition < FULL)
        ratio[0] = INFINITY;
    for (int i = 0; i < MOST_RATIOS; i++) {
        if (ratio[i] < 0)
            continue;
        bool passed = ratio[i] <= BOUND;
        row->measured++;
        row->failed += !passed;
        if (!passed)
            printf("%s: matrix %ld, %s: %s is %.3Lg\n", b->path, at, p->kind->name, o->ratios[i],
                   ratio[i]);
        if (ratio[i] <= row->worst[i])
            continue;
        row->worst[i] = ratio[i];
        snprintf(row->where[i], sizeof row->where[i], "%ldx%ld %s", p->in[0].m, p->in[0].n,
                 p->kind->name);
    }
}

static void measure(struct bench *b, const struct kind *const *chosen, long count, long most)
{
    for (long i = 0; i < (long)b->in[0].dims[0] && i < most; i++) {
        struct problem p = {.kind = chosen[i % count], .precision = &b->type->precision};
        for (uint32_t k = 0; k < b->inputs; k++)
            p.in[k] = load(&b->in[k], b->type->part, b->data[k], i);
        for (uint32_t k = 0; k < b->outputs; k++)
            p.out[k] = load(&b->out[k], b->type->part, b->data[b->inputs + k], i);
        judge(b, &p, i);
        for (uint32_t k = 0; k < b->inputs; k++)
            matrix_free(&p.in[k]);
        for (uint32_t k = 0; k < b->outputs; k++)
            matrix_free(&p.out[k]);
    }
}

/* ---- one bundle ---- */

/* Whether Nx's expansion does it; `elements` of all matrices. */
static bool is_expansion(const struct bench *b, long n, long elements)
{
    enum { FEW = 8192 }; /* PROGRAM_ELEMENTS of the compiler */
    return b->type->name[0] != 'c' && n < b->operation->lowered_from && elements <= FEW;
}

/* Those that the operation is tested with. *Returns* how many. */
static long choose(const struct bench *b, long m, long n, const struct kind **chosen)
{
    const struct operation *o = b->operation;
    long count = 0, least = m < n ? m : n;
    bool plain = is_expansion(b, least, (long)b->in[0].dims[0] * m * n);
    for (int i = 0; i < kind_count; i++) {
        const struct kind *k = &kinds[i];
        bool fits = (k->classes & o->class) && !(k->most && n > k->most);
        if (o->is_solver && kind_is_singular(k))
            fits = false;
        if (o->class == DEFINITE && k->size == SMALL) /* Nx takes less than 1e-10 for 0 */
            fits = false;
        if (plain && !kind_is_plain(k))
            fits = false;
        if (fits)
            chosen[count++] = k;
    }
    return count;
}

static bool prepare(struct bench *b)
{
    vkr_error err = {0};
    uint64_t most = 0;
    b->inputs = vkr_program_inputs(b->program);
    b->outputs = vkr_program_outputs(b->program);
    if (b->inputs > MOST_INPUTS || b->outputs > MOST_RESULTS) {
        printf("%s: has %u inputs and %u outputs\n", b->path, b->inputs, b->outputs);
        return false;
    }
    for (uint32_t i = 0; i < b->inputs; i++) {
        vkr_program_input(b->program, i, &b->in[i], NULL);
        b->data[i] = bytes_new(b->in[i].bytes);
        if (!said(b, vkr_buffer_alloc(b->device, b->in[i].bytes, &b->buffers[i], &err), &err))
            return false;
    }
    for (uint32_t j = 0; j < b->outputs; j++) {
        vkr_program_output(b->program, j, &b->out[j], NULL);
        b->data[b->inputs + j] = bytes_new(b->out[j].bytes);
        most = b->out[j].bytes > most ? b->out[j].bytes : most;
    }
    b->again = bytes_new(most);
    for (b->type = types; strcmp(b->type->name, b->in[0].type) != 0;)
        if (++b->type == types + TYPES) {
            printf("%s: no matrices of %s\n", b->path, b->in[0].type);
            return false;
        }
    return true;
}

static bool test(struct bench *b, const void *bundle, size_t size, struct row rows[][TYPES])
{
    const struct kind **chosen = bytes_new((uint64_t)kind_count * sizeof *chosen);
    vkr_error err = {0};
    vkr_load_options options = {.trusted = true};
    bool ok = said(b, vkr_program_load_with(b->device, bundle, size, &options, &b->program, &err),
                   &err) &&
              prepare(b);
    if (ok) {
        long m, n, batch = (long)b->in[0].dims[0];
        matrix_shape(&b->in[0], &m, &n);
        long count = choose(b, m, n, chosen);
        b->row = &rows[b->operation - operations][b->type - types];
        for (long first = 0; first < count && ok; first += batch) {
            fill(b, chosen + first, batch < count ? count - first : count);
            ok = run(b);
            if (ok)
                measure(b, chosen + first, batch < count ? count - first : count,
                        batch < count ? count - first : batch);
        }
    }
    for (uint32_t i = 0; i < b->inputs + b->outputs && i < MOST_INPUTS + MOST_RESULTS; i++) {
        if (b->buffers[i])
            vkr_buffer_free(b->device, b->buffers[i], NULL);
        free(b->data[i]);
    }
    free(b->again);
    free(chosen);
    vkr_program_unload(b->program);
    return ok;
}

/* ---- all of them ---- */

static const struct operation *operation_of(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    size_t length = strcspn(name, "-");
    for (int i = 0; i < operation_count; i++)
        if (strlen(operations[i].name) == length && !memcmp(operations[i].name, name, length))
            return &operations[i];
    return NULL;
}

static bool test_file(vkr_device *device, const char *path, uint32_t seed, struct row rows[][TYPES])
{
    struct bench b = {
        .path = path, .operation = operation_of(path), .device = device, .seed = seed};
    FILE *f = fopen(path, "rb");
    long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    bool ok = b.operation && size > 0;
    void *bundle = bytes_new(size > 0 ? (uint64_t)size : 0);
    if (!ok)
        printf("%s: is no bundle of an operation that is known\n", path);
    ok = ok && !fseek(f, 0, SEEK_SET) && fread(bundle, 1, (size_t)size, f) == (size_t)size &&
         test(&b, bundle, (size_t)size, rows);
    if (f)
        fclose(f);
    free(bundle);
    return ok;
}

static void print_table(struct row rows[][TYPES])
{
    for (int i = 0; i < operation_count; i++)
        for (int t = 0; t < TYPES; t++)
            for (int r = 0; r < MOST_RATIOS && rows[i][t].measured; r++)
                if (operations[i].ratios[r])
                    printf("%-22s %-5s %8ld  %-14s %8.3Lg  %s\n", operations[i].name, types[t].name,
                           rows[i][t].measured, operations[i].ratios[r], rows[i][t].worst[r],
                           rows[i][t].where[r]);
}

int main(int argc, char **argv)
{
    vkr_device_options options = {.device = NULL};
    vkr_device *device;
    vkr_error err = {0};
    uint32_t seed = 1;
    int first = 1;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* what was seen so far, if it is stopped */
    for (; first < argc && !strncmp(argv[first], "--", 2); first++)
        if (!strncmp(argv[first], "--device=", 9))
            options.device = argv[first] + 9;
        else if (!strncmp(argv[first], "--seed=", 7))
            seed = (uint32_t)strtoul(argv[first] + 7, NULL, 10);
        else {
            fprintf(stderr, "lapack: %s: no such option\n", argv[first]);
            return 2;
        }
    if (vkr_device_open(&options, &device, &err)) {
        printf("lapack: no device: %s\n0 passed, 0 failed, 1 skipped\n", err.message);
        return 77;
    }
    struct row(*rows)[TYPES] = bytes_new((uint64_t)operation_count * sizeof *rows);
    long passed = 0, failed = 0;
    for (int i = first; i < argc; i++)
        failed += !test_file(device, argv[i], seed, rows);
    print_table(rows);
    for (int i = 0; i < operation_count; i++)
        for (int t = 0; t < TYPES; t++) {
            passed += rows[i][t].measured - rows[i][t].failed;
            failed += rows[i][t].failed;
        }
    free(rows);
    vkr_device_close(device);
    printf("%ld passed, %ld failed, 0 skipped\n", passed, failed);
    return failed ? 1 : 0;
}
