/* Programs compiled with --fast-math, which leaves out compensation and `precise`, and takes
   rewrites that round otherwise: a graph of each kernel family, for the device and as for a GPU,
   near what the interpreter says without it.

   The bound is wider than that of other tests, and by the tensor: FAST_EPS eps of the result's
   largest magnitude, on inputs between -1 and 1. Integers must be equal: in these graphs none
   depends on rounding. Sums of n have the bound of any plain sum, n u sum |x| (u half an eps),
   here of terms that a sum in another order rounds differently; without --fast-math they keep 3
   u sum |x| (reduce_test). Arguments name graphs of test/graphs to run instead. */
#include <math.h>
#include <string.h>

#include "../watch/load.h"
#include "e2e.h"
#include "import/import.h"
#include "interp/interp_impl.h"

enum { FAST_EPS = 256 };

static vkr_program *load(struct e2e *e, const char *name, const char *json, size_t size,
                         enum e2e_variant variant)
{
    struct e2e_options options;
    struct vkc_result result;
    vkr_program *program = NULL;
    vkr_error err = {VKR_OK, ""};
    e2e_options(e, variant, &options);
    options.compile.fast_math = true;
    if (check_that(&e->check, vkc_compile(json, size, NULL, 0, &options.compile, &result),
                   "%s: is not compiled: %s", name, result.error.message))
        check_that(&e->check,
                   test_load(e->device, result.bundle, result.bundle_size, &program, &err) ==
                       VKR_OK,
                   "%s: is not loaded: %s", name, err.message);
    vkc_result_free(&result);
    return program;
}

static int64_t parts_of(const struct tensor *t)
{
    return shape_size(&t->shape) * (type_is_complex(t->type) ? 2 : 1);
}

static enum vkc_type part_type(enum vkc_type t)
{
    return t == TYPE_C64 ? TYPE_F32 : t == TYPE_C128 ? TYPE_F64 : t;
}

static double part(enum vkc_type type, const void *data, int64_t i)
{
    return number_load(type, data, i).f;
}

static void check_output(struct e2e *e, const char *name, uint32_t output,
                         const struct array *wanted, const void *found)
{
    enum vkc_type type = part_type(wanted->tensor.type);
    int64_t size = parts_of(&wanted->tensor), wrong = -1;
    double most = 0, bound;
    if (!type_is_float(type)) {
        check_that(&e->check, memcmp(wanted->data, found, tensor_bytes(&wanted->tensor)) == 0,
                   "%s: output %u differs", name, output);
        return;
    }
    for (int64_t i = 0; i < size; i++)
        most = fmax(most, fabs(part(type, wanted->data, i)));
    bound = FAST_EPS * most * (type == TYPE_F64 ? 0x1p-52 : type == TYPE_F32 ? 0x1p-23 : 0x1p-8);
    for (int64_t i = 0; i < size && wrong < 0; i++)
        if (!(fabs(part(type, found, i) - part(type, wanted->data, i)) <= bound))
            wrong = i;
    check_that(&e->check, wrong < 0, "%s: output %u[%lld] is %.9g, expected %.9g within %.3g", name,
               output, (long long)wrong, wrong < 0 ? 0 : part(type, found, wrong),
               wrong < 0 ? 0 : part(type, wanted->data, wrong), bound);
    e->compared += size;
}

static void check_graph(struct e2e *e, const char *graph)
{
    static struct diag d;
    struct arena a;
    struct graph g;
    uint64_t random = 42;
    size_t size;
    char path[256], name[300];
    snprintf(path, sizeof path, "test/graphs/%s.json", graph);
    char *json = read_file(path, &size);
    d = (struct diag){0};
    arena_init(&a, 0);
    if (check_that(&e->check, json && import_json(&a, json, size, NULL, 0, &g, &d), "%s: %s", path,
                   d.message)) {
        const struct func *f = &g.funcs[g.entry];
        struct array *inputs = e2e_inputs(e, &a, f, 0, NULL, NULL, &random),
                     *wanted = ARENA_ARRAY(&a, struct array, f->nresults + 1);
        bool ok = check_that(&e->check,
                             inputs && wanted &&
                                 perturb_run(&g, &a, inputs, wanted, 0, PERTURB_KEEPS, &d),
                             "%s: the interpreter: %s", graph, d.message);
        for (int v = E2E_AS_TARGET; ok && v <= E2E_AS_GPU; v++) {
            void **outputs = calloc((size_t)f->nresults + 1, sizeof *outputs);
            snprintf(name, sizeof name, "%s, fast, %s", graph, e2e_variant_names[v]);
            vkr_program *program = load(e, name, json, size, (enum e2e_variant)v);
            bool ran = outputs && program && e2e_run(e, name, program, inputs, outputs);
            for (uint32_t i = 0; outputs && i < f->nresults; i++) {
                if (ran)
                    check_output(e, name, i, &wanted[i], outputs[i]);
                free(outputs[i]);
            }
            free(outputs);
            vkr_program_unload(program);
        }
    }
    arena_finish(&a);
    free(json);
}

/* Sums of n f32 of all magnitudes between 1 and 2^24, and their opposites: what is left is small
   beside the terms. */
static void check_sum(struct e2e *e, long n)
{
    char json[1024], name[64];
    float *x = malloc((size_t)n * sizeof *x);
    double sum = 0, magnitude = 0;
    uint32_t state = 12345;
    snprintf(name, sizeof name, "a fast sum of %ld", n);
    snprintf(
        json, sizeof json,
        "{\"schema\": \"nx.vulkan.graph/1\", \"name\": \"sum\", \"entry\": 0, \"funcs\": [{\"params\": "
        "[{\"type\": \"f32\", \"shape\": [%ld]}], "
        "\"nodes\": [{\"id\": 0, \"op\": \"parameter\", \"ins\": [], \"outs\": [{\"type\": \"f32\", \"shape\": "
        "[%ld]}], \"attrs\": {\"index\": 0}}, "
        "{\"id\": 1, \"op\": \"sum\", \"ins\": [[0, 0]], \"outs\": [{\"type\": \"f32\", \"shape\": []}], "
        "\"attrs\": {\"axes\": [0], \"keep\": false}}], "
        "\"results\": [[1, 0]]}], \"literals\": [], \"donations\": [], \"callbacks\": 0}",
        n, n);
    for (long i = 0; x && i < n; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] =
            ldexpf(1 + (float)(state >> 9) * 0x1p-23f, (int)(state % 24)) * (i % 2 ? -1.0f : 1.0f);
        sum += x[i];
        magnitude += fabsf(x[i]);
    }
    struct array input = {.data = x,
                          .tensor = {.type = TYPE_F32, .shape = {.rank = 1, .dim = {n}}}};
    for (int v = E2E_AS_TARGET; check_that(&e->check, x != NULL, "no memory") && v <= E2E_AS_GPU;
         v++) {
        void *out = NULL;
        vkr_program *program = load(e, name, json, strlen(json), (enum e2e_variant)v);
        if (program && e2e_run(e, name, program, &input, &out)) {
            float found;
            memcpy(&found, out, sizeof found);
            double bound = (double)n * 0x1p-24 * magnitude;
            check_that(&e->check, fabs(found - sum) <= bound,
                       "%s, %s: is %.9g, expected %.9g within %.3g", name, e2e_variant_names[v],
                       (double)found, sum, bound);
            e->compared++;
        }
        free(out);
        vkr_program_unload(program);
    }
    free(x);
}

int main(int argc, char **argv)
{
    /* maps, rows, products, convolutions, sorts, transforms, workgroup programs, training steps */
    static const char *const graphs[] = {"chain10",
                                         "sigmoid4",
                                         "softmax",
                                         "layer_norm",
                                         "logsumexp",
                                         "conv_relu",
                                         "mlp_value_and_grad",
                                         "sort_1024",
                                         "fft_atan_exp",
                                         "threefry_uniform",
                                         "heat",
                                         "while_sin",
                                         "cond_piecewise",
                                         "solve_8",
                                         "sgd_regression",
                                         "digits_step_sgd"};
    struct e2e e;
    bool is_open = e2e_open(&e);
    for (size_t i = 0; is_open && argc == 1 && i < sizeof graphs / sizeof *graphs; i++)
        check_graph(&e, graphs[i]);
    for (int i = 1; is_open && i < argc; i++)
        check_graph(&e, argv[i]);
    for (long n = 7; is_open && argc == 1 && n < 1000000; n *= 11)
        check_sum(&e, n);
    return e2e_close(&e);
}
