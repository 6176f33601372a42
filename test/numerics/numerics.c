/* numerics [--device=native|vk:N|all] [--only=text] [--stride=N] [--count=N] [--table]
   [--no-controls] [--fma] A line per function and type: the largest error in ULP, where it was,
   and of how many inputs. With --table, at the end all of it as a table. */
#include "numerics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *where, *only;
    uint32_t stride;
    size_t count;
    bool controls, fma, table;
};

struct result {
    const struct row *row;
    double error; /* -1: not run */
    bool failed;
    bool unused; /* failed, and no kernel for this device relies on it */
};

static const char *type_of(const struct row *r)
{
    return r->narrow ? r->narrow->name : elems[r->in[0]].name;
}

/* ---- a line ---- */

static void print_value(enum elem t, const char *bytes, size_t i)
{
    uint64_t bits = 0;
    if (t == C64 || t == C128) {
        __complex128 z = plane_at(t, bytes, i);
        printf("(%.*g, %.*g)", t == C64 ? 9 : 17, (double)crealq(z), t == C64 ? 9 : 17,
               (double)cimagq(z));
        return;
    }
    memcpy(&bits, bytes + i * elems[t].bytes, elems[t].bytes > 8 ? 8 : elems[t].bytes);
    if (t == F32 || t == F64)
        printf(t == F32 ? "%.9g" : "%.17g", value_at(t, bytes, i));
    printf(t == F32 || t == F64 ? "[%llx]" : "0x%llx", (unsigned long long)bits);
}

/* The worst of what was run, with its operands and result. */
struct tally {
    double error;
    size_t count;
    char in[2][16], out[16];
};

static void run_and_compare(struct kernel *k, const struct row *r, const struct inputs *in,
                            struct tally *t)
{
    char *out = malloc(in->count * elems[r->out].bytes + 16);
    if (!out)
        exit(2);
    kernel_run(k, in->bytes[0], in->bytes[1], out, in->count);
    struct worst w = compare(r, in, out);
    t->count += in->count;
    if (w.error > t->error) {
        t->error = w.error;
        for (int i = 0; i < 2 && r->in[i]; i++)
            memcpy(t->in[i], in->bytes[i] + w.at * elems[r->in[i]].bytes, elems[r->in[i]].bytes);
        memcpy(t->out, out + w.at * elems[r->out].bytes, elems[r->out].bytes);
    }
    free(out);
}

static void print_line(const struct row *r, const struct tally *t, bool failed)
{
    printf("%-22s %-7s %9.3f%s ", r->name, type_of(r), t->error < 0 ? 0.0 : t->error,
           failed ? "!" : " ");
    if (t->error > 0) {
        print_value(r->in[0], t->in[0], 0);
        if (r->in[1]) {
            printf(", ");
            print_value(r->in[1], t->in[1], 0);
        }
        printf(" -> ");
        print_value(r->out, t->out, 0);
    }
    printf("  of %zu\n", t->count);
    fflush(stdout);
}

/* GLSL's own comparisons and abs(), which the compiler leaves alone where they take subnormals
   for 0. */
static bool is_unused(const struct device *d, const struct row *r)
{
    static const char *const forms[] = {"abs(a)",      "uint(a == b)", "uint(a != b)",
                                        "uint(a < b)", "uint(a <= b)", "uint(a >= b)"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (device_flushes(d) && (r->in[0] == F32 || r->narrow) && !strcmp(r->name, forms[i]))
            return true;
    return false;
}

static struct result run_row(struct device *d, const struct row *r, const struct options *o,
                             struct inputs *in)
{
    struct result result = {.row = r, .error = -1};
    struct kernel *k = device_has(d, r->in[0]) && device_has(d, r->in[1]) && device_has(d, r->out)
                           ? kernel_create(d, r)
                           : NULL;
    if (!k)
        return result;
    struct tally t = {.error = -1};
    draw(in, r, o->count);
    run_and_compare(k, r, in, &t);
    for (uint64_t next = 0; !isinf(t.error) && draw_sweep(in, r, &next, o->stride);)
        run_and_compare(k, r, in, &t);
    kernel_destroy(k);
    result.error = t.error < 0 ? 0 : t.error;
    double bound = regression_bound(r);
    result.failed = t.error > bound + 1e-3;
    result.unused = result.failed && is_unused(d, r);
    print_line(r, &t, result.failed);
    if (result.failed && t.error <= r->bound + 1e-3)
        printf(
            "worse than it was: %s of %s was within %.2f ULP, and is promised to be within %.2f\n",
            r->name, type_of(r), bound, r->bound);
    if (result.unused)
        printf("unused: %s of %s is not exact, and kernels for this driver do without it\n",
               r->name, type_of(r));
    return result;
}

/* ---- the table ---- */

enum { COLUMNS = 12 };
static const char *const columns[COLUMNS] = {"f64",  "f32", "bf16", "f16", "f8",  "f8e4m3fn",
                                             "c128", "c64", "s64",  "u64", "s32", "u32"};

static void print_cell(const struct result *results, size_t n, const char *name, const char *type)
{
    for (size_t i = 0; i < n; i++) {
        const struct result *x = &results[i];
        if (!x->row || strcmp(x->row->name, name) || strcmp(type_of(x->row), type))
            continue;
        if (x->error < 0)
            printf(" %8s", "not run");
        else if (isinf(x->error))
            printf(" %8s", x->unused ? "unused" : "WRONG");
        else
            printf(" %7.2f%s", x->error, x->failed ? "!" : " ");
        return;
    }
    printf(" %8s", "");
}

static void print_table(const struct device *d, const struct result *results, size_t n)
{
    printf(
        "\nWorst errors in ULP of the exact value (of its modulus for c64 and c128); 0 where the "
        "bits have to be the reference's.\n%s%s\n%-20s",
        device_name(d), device_fuses(d) ? ", with fma" : "", "");
    for (int c = 0; c < COLUMNS; c++)
        printf(" %8s", columns[c]);
    printf("\n");
    for (size_t i = 0; i < n; i++) {
        const char *name = results[i].row->name;
        bool first = true;
        for (size_t j = 0; j < i && first; j++)
            first = strcmp(results[j].row->name, name) != 0;
        if (!first)
            continue;
        printf("%-20s", name + (strncmp(name, "nx_", 3) ? 0 : 3));
        for (int c = 0; c < COLUMNS; c++)
            print_cell(results, n, name, columns[c]);
        printf("\n");
    }
    for (size_t i = 0; i < n; i++)
        if (results[i].unused)
            printf("%s of %s is not exact here and no kernel uses it: nx_abs, nx_equal, "
                   "nx_less and nx_less_equal stand for it.\n",
                   results[i].row->name, type_of(results[i].row));
    printf("\n");
}

/* ---- the command ---- */

struct counts {
    int passed, failed, skipped;
};

static void run_device(const char *where, const struct options *o, struct counts *c)
{
    struct device *d = device_open(where, o->controls, o->fma);
    struct inputs in = {0};
    size_t n, ran = 0;
    const struct row *rows = all_rows(&n);
    struct result *results = calloc(n, sizeof *results);
    if (!results)
        exit(2);
    printf("%-22s %-7s %9s  at (%s)\n", "function", "type", "max_ulp", device_name(d));
    for (size_t i = 0; i < n; i++) {
        char key[96];
        snprintf(key, sizeof key, "%s %s", rows[i].name, type_of(&rows[i]));
        if (!strstr(key, o->only))
            continue;
        struct result *x = &results[ran++];
        *x = run_row(d, &rows[i], o, &in);
        if (!x->unused) /* no claim is made about it */
            x->error < 0 ? c->skipped++ : x->failed ? c->failed++ : c->passed++;
        if (c->failed && getenv("FAIL_FAST"))
            break;
    }
    if (o->table)
        print_table(d, results, ran);
    free(results);
    free(in.bytes[0]);
    free(in.bytes[1]);
    device_close(d);
}

int main(int argc, char **argv)
{
    struct options o = {
        .where = "vk:0", .only = "", .stride = 4099, .count = 20000, .controls = true};
    for (int i = 1; i < argc; i++) {
        const char *eq = strchr(argv[i], '=');
        if (!strncmp(argv[i], "--device=", 9))
            o.where = eq + 1;
        else if (!strncmp(argv[i], "--only=", 7))
            o.only = eq + 1;
        else if (!strncmp(argv[i], "--stride=", 9))
            o.stride = (uint32_t)strtoul(eq + 1, NULL, 0);
        else if (!strncmp(argv[i], "--count=", 8))
            o.count = strtoul(eq + 1, NULL, 0);
        else if (!strcmp(argv[i], "--no-controls"))
            o.controls = false;
        else if (!strcmp(argv[i], "--fma"))
            o.fma = true;
        else if (!strcmp(argv[i], "--table"))
            o.table = true;
        else
            return fprintf(stderr,
                           "usage: numerics [--device=native|vk:N|all] [--only=text] [--stride=N] "
                           "[--count=N] [--table] [--no-controls] [--fma]\n"),
                   2;
    }
    struct counts c = {0};
    unsigned devices = strcmp(o.where, "all") ? 1 : device_count();
    if (devices == 0)
        return puts("no Vulkan device"), 77;
    for (unsigned i = 0; i < devices; i++) {
        char name[32];
        snprintf(name, sizeof name, "vk:%u", i);
        run_device(strcmp(o.where, "all") ? o.where : name, &o, &c);
    }
    printf("%d passed, %d failed, %d skipped\n", c.passed, c.failed, c.skipped);
    return c.failed ? 1 : 0;
}
