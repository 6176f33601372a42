#include "../watch/load.h"
#include "e2e.h"

#include <math.h>
#include <string.h>

#include "driver/main.h"
#include "../../runtime/bundle.h"
#include "../watch/guard.h"
#include "../watch/modes.h"
#include "../watch/watch.h"
#include "perturb_samples.h"
#include "import/import.h"
#include "interp/interp_impl.h"
#include "passes/passes.h"

/* An allocation has three parts: the table of the addresses of all parts is in one piece. */
enum { PART_BYTES = 65536, MOST_IN_ONE_PIECE = 3 * PART_BYTES };

const char *const e2e_variant_names[E2E_VARIANTS] = {"as compiled for the device", "as for a GPU",
                                                     "unfused", "in parts",
                                                     "planned for the baseline"};

static void on_message(void *context, int severity, const char *message)
{
    struct e2e *e = context;
    if (severity < 2)
        check_that(&e->check, false, "the driver or a layer says: %s", message);
}

bool e2e_open(struct e2e *e)
{
    const char *validate = getenv("VALIDATE"), *parts = getenv("PARTS");
    const bool in_parts = parts && *parts;
    const vkr_device_options options = {.pipeline_cache = "",
                                        .validate = validate && *validate,
                                        .log = on_message,
                                        .log_context = e,
                                        .max_allocation = in_parts ? MOST_IN_ONE_PIECE : 0};
    vkr_error err = {VKR_OK, ""};
    char error[512] = "";
    *e = (struct e2e){.caps = E2E_CAPS};
    vkr_status status = vkr_device_open(&options, &e->device, &err);
    if (status == VKR_NO_DEVICE || (status == VKR_UNSUPPORTED && options.validate)) {
        printf("skipped: %s\n", err.message);
        e->check.skipped++;
        return false;
    }
    if (!check_that(&e->check, status == VKR_OK, "the device: %s", err.message))
        return false;
    watch_attach(e->device);
    guard_device(e->device);
    if (!check_that(&e->check, modes_apply(e->device, &err) == VKR_OK, "the mode: %s",
                    err.message) ||
        !check_that(&e->check, host_target(&e->target, error, sizeof error), "the target: %s",
                    error))
        return false;
    if (in_parts)
        e->target.max_binding_bytes = PART_BYTES;
    return true;
}

int e2e_close(struct e2e *e)
{
    vkr_device_close(e->device);
    check_that(&e->check, !watch_findings(), "the watch found %u faults", watch_findings());
    if (e->compared)
        printf("%lld elements compared; %lld more depend on rounding\n", (long long)e->compared,
               (long long)e->loose);
    return check_finish(&e->check);
}

void e2e_options(const struct e2e *e, enum e2e_variant variant, struct e2e_options *out)
{
    *out = (struct e2e_options){.target = e->target};
    out->compile = (struct vkc_options){.target = &out->target,
                                        .no_cache = true,
                                        .no_fusion = variant == E2E_UNFUSED,
                                        .text_ir = e->text_ir};
    if (variant == E2E_PARTS)
        out->target.max_binding_bytes = PART_BYTES;
    if (variant == E2E_ALSO) {
        vkc_target_baseline(&out->target);
        vkc_target_run_on(&out->target, &e->target);
        out->target.features |= e->target.features & VKB_FEATURE_ADDRESSES; /* to bind parts */
        out->target.loop_limit &= e->long_loops;
        out->compile.also = &e->target;
    }
    if (variant != E2E_AS_GPU)
        return;
    out->compile.apart = true;
    /* NVIDIA's: fma rounds once, and comparisons take subnormals for 0 */
    vkc_target_named("nvidia", &out->target);
    vkc_target_run_on(&out->target, &e->target);
    /* small loops of unknown length are the shader's too */
    out->target.loop_limit &= e->long_loops;
}

bool e2e_compile(struct e2e *e, const char *name, const char *json, size_t size,
                 enum e2e_variant variant, struct vkc_result *out)
{
    struct e2e_options options;
    e2e_options(e, variant, &options);
    options.compile.want_plan = true;
    *out = (struct vkc_result){0};
    if (!check_wanted(&e->check, name))
        return false;
    return check_that(&e->check, vkc_compile(json, size, NULL, 0, &options.compile, out),
                      "%s, %s: is not compiled: %s", name, e2e_variant_names[variant],
                      out->error.message);
}

void e2e_check_plan(struct e2e *e, const char *name, const char *json, const char *word,
                    bool wanted)
{
    struct vkc_result result;
    if (e2e_compile(e, name, json, strlen(json), E2E_AS_GPU, &result))
        check_that(&e->check, (strstr(result.plan, word) != NULL) == wanted, "%s: %s\"%s\" in\n%s",
                   name, wanted ? "no " : "", word, result.plan);
    vkc_result_free(&result);
}

vkr_program *e2e_load(struct e2e *e, const char *name, const char *json, size_t size,
                      enum e2e_variant variant)
{
    struct vkc_result result;
    vkr_program *program = NULL;
    vkr_error err = {VKR_OK, ""};
    if (e2e_compile(e, name, json, size, variant, &result)) {
        guard_bundle(e->device, result.bundle, result.bundle_size);
        check_that(&e->check,
                   test_load(e->device, result.bundle, result.bundle_size, &program, &err) ==
                       VKR_OK,
                   "%s, %s: is not loaded: %s", name, e2e_variant_names[variant], err.message);
    }
    vkc_result_free(&result);
    return program;
}

vkr_program *e2e_load_graph(struct e2e *e, const char *name, enum e2e_variant variant)
{
    char path[256];
    size_t size;
    snprintf(path, sizeof path, "test/graphs/%s.json", name);
    char *json = read_file(path, &size);
    vkr_program *program = check_that(&e->check, json != NULL, "%s: cannot be read", path)
                               ? e2e_load(e, name, json, size, variant)
                               : NULL;
    free(json);
    return program;
}

bool e2e_run(struct e2e *e, const char *name, vkr_program *program, const struct array *inputs,
             void **outputs)
{
    uint32_t nin = vkr_program_inputs(program), nout = vkr_program_outputs(program);
    vkr_buffer *in = calloc((size_t)nin + 1, sizeof *in),
               *out = calloc((size_t)nout + 1, sizeof *out);
    vkr_error err = {VKR_OK, ""};
    vkr_tensor_info info;
    struct guard guard;
    char found[256];
    bool ok = in && out;
    for (uint32_t i = 0; ok && i < nin; i++)
        ok = vkr_buffer_create(e->device, inputs[i].data, tensor_bytes(&inputs[i].tensor), &in[i],
                               &err) == VKR_OK;
    if (ok) {
        guard_before(&guard, program, in);
        ok = vkr_run(program, in, nin, out, nout, NULL, &err) == VKR_OK;
        check_that(&e->check, guard_after(&guard, program, found, sizeof found), "%s: %s", name,
                   found);
    }
    for (uint32_t i = 0; ok && i < nout; i++) {
        ok = vkr_program_output(program, i, &info, &err) == VKR_OK &&
             (outputs[i] = malloc(info.bytes + 1)) != NULL &&
             vkr_buffer_read(e->device, out[i], 0, outputs[i], info.bytes, &err) == VKR_OK;
    }
    for (uint32_t i = 0; out && i < nout; i++)
        vkr_buffer_free(e->device, out[i], NULL);
    for (uint32_t i = 0; in && i < nin; i++)
        vkr_buffer_free(e->device, in[i], NULL); /* says so where it was donated */
    free(in);
    free(out);
    return check_that(&e->check, ok, "%s: does not run: %s", name, err.message);
}

void e2e_compare_untrusted(struct e2e *e, const char *name, const char *json,
                           enum e2e_variant variant, const struct array *inputs,
                           void *const *wanted)
{
    struct vkc_result result;
    vkr_program *program = NULL;
    vkr_error err = {VKR_OK, ""};
    vkr_tensor_info info;
    if (e2e_compile(e, name, json, strlen(json), variant, &result)) {
        guard_bundle(e->device, result.bundle, result.bundle_size);
        vkr_status status =
            vkr_program_load(e->device, result.bundle, result.bundle_size, &program, &err);
        bool may_be_refused = variant == E2E_PARTS || e->target.max_binding_bytes == PART_BYTES;
        check_that(&e->check,
                   status == VKR_OK || (may_be_refused && strstr(err.message, "uses addresses")),
                   "%s: is not loaded as untrusted: %s", name, err.message);
    }
    vkc_result_free(&result);
    uint32_t nout = program ? vkr_program_outputs(program) : 0;
    void **found = calloc((size_t)nout + 1, sizeof *found);
    if (program && found && e2e_run(e, name, program, inputs, found))
        for (uint32_t i = 0; i < nout; i++)
            check_that(&e->check,
                       vkr_program_output(program, i, &info, &err) == VKR_OK &&
                           memcmp(found[i], wanted[i], info.bytes) == 0,
                       "%s: output %u has other bits where it is untrusted", name, i);
    for (uint32_t i = 0; found && i < nout; i++)
        free(found[i]);
    free(found);
    vkr_program_unload(program);
}

/* ---- inputs ---- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

void e2e_fill(const struct array *x, uint64_t *random, enum e2e_values values)
{
    static const double special[] = {0.0,   -0.0,   1,        -1,        0.5, 2,     1e-20,
                                     3e-39, -1e-45, INFINITY, -INFINITY, NAN, -1e10, 1e10};
    enum { NORMAL = 7, FINITE = 9, ALL = sizeof special / sizeof *special };
    enum vkc_type type = x->tensor.type;
    int64_t size = shape_size(&x->tensor.shape),
            rows = x->tensor.shape.rank > 1 ? x->tensor.shape.dim[0] : 1;
    bool edges = values != E2E_PLAIN;
    for (int64_t i = 0; i < size; i++) {
        uint64_t bits = next_random(random);
        double unit = (double)(bits >> 11) * 0x1p-53;
        bool is_special = edges && next_random(random) % 8 == 0;
        bool in_row = rows > 1 ? i / (size / rows) == rows / 2 : bits >> 32 & 1 && bits >> 33 & 1;
        unsigned kinds =
            values == E2E_EDGES || (values == E2E_ROW_OF_EDGES && in_row) ? ALL : FINITE;
        bool is_subnormal = bits % kinds >= NORMAL && bits % kinds < FINITE;
        double value =
            is_special
                ? special[is_subnormal && values == E2E_ROW_OF_EDGES ? bits % NORMAL : bits % kinds]
                : 2 * unit - 1;
        /* a scalar may count iterations */
        union number n = {.u = edges && size > 1 ? bits : bits % 7};
        if (type_is_float(type))
            n.f = value;
        if (type_is_complex(type))
            n.c = complex_of(value, 2 * (double)(next_random(random) >> 11) * 0x1p-53 - 1);
        number_store(type, x->data, i, n);
    }
}

struct array *e2e_inputs(struct e2e *e, struct arena *a, const struct func *f, uint32_t set,
                         e2e_fill_fn *fill, const void *context, uint64_t *random)
{
    struct array *inputs = ARENA_ARRAY(a, struct array, f->nparams + 1);
    for (uint32_t i = 0; inputs && i < f->nparams; i++) {
        inputs[i] = (struct array){f->params[i], arena_alloc(a, tensor_bytes(&f->params[i]), 1)};
        if (!check_that(&e->check, inputs[i].data != NULL, "no memory"))
            return NULL;
        if (fill)
            fill(context, &inputs[i], i, set, random);
        else
            e2e_fill(&inputs[i], random, E2E_PLAIN);
    }
    return inputs;
}

/* ---- comparison ---- */

/* *Returns* how many elements were not compared. */
static int64_t compare_output(struct e2e *e, const char *name, const char *variant, uint32_t set,
                              uint32_t output, struct perturb_samples *samples, const void *found)
{
    const struct tensor *exact = &perturb_samples_of(samples, output)->tensor;
    struct perturb_result r;
    if (!check_that(&e->check, perturb_check(samples, output, 0, found, &r),
                    "%s: the interpreter: %s", name, samples->diag.message))
        return 0;
    e->compared += shape_size(&exact->shape) - r.loose;
    e->loose += r.loose;
    check_that(&e->check, r.wrong < 0,
               "%s, %s, inputs %u: output %u[%lld] %s is %.17g, expected %.17g within %.3g", name,
               variant, set, output, (long long)r.wrong, type_name(exact->type), r.found, r.wanted,
               r.bound);
    return r.loose;
}

/* What depends on rounding follows from graph and inputs, not from the variant. */
static void check_loose(struct e2e *e, const char *name, uint32_t set, int64_t loose,
                        int64_t elements)
{
    double most = set ? e->caps.edges : e->caps.plain;
    check_that(&e->check, (double)loose <= most * (double)elements,
               "%s, inputs %u: %lld of %lld elements are not compared, %g %% may be", name, set,
               (long long)loose, (long long)elements, 100 * most);
}

static bool sample(struct e2e *e, const char *name, const struct graph *g, struct arena *a,
                   const struct array *inputs, struct perturb_samples *samples)
{
    return check_that(
        &e->check,
        perturb_sample(samples, g, a, inputs, PERTURB_KEEPS, PERTURB_SAMPLES, PERTURB_SUITE),
        "%s: the interpreter: %s", name, samples->diag.message);
}

static bool has_block(const struct graph *g, const char *block)
{
    for (uint32_t f = 0; f < g->nfuncs; f++)
        for (uint32_t i = 0; i < g->funcs[f].nnodes; i++) {
            const struct node *n = &g->funcs[f].nodes[i];
            if (n->op == OP_BLOCK && strcmp(attr_text(n, ATTR_name), block) == 0)
                return true;
        }
    return false;
}

/* What a graph is compared with: itself, unless a block means other numbers than its expansion.
   Cholesky's adds 1e-10 to every divisor, which an f64 shows; then the panels that take its
   place are the reference, and cholesky_test is what holds them to account. */
static bool reference(struct e2e *e, const char *name, const char *json, size_t size,
                      const struct graph *g, struct arena *a, struct graph *out)
{
    static struct diag d;
    const struct pass_options options = {.target = &e->target, .stop_after = "inline"};
    d = (struct diag){0};
    *out = *g;
    if (!has_block(g, "LinAlg.Cholesky"))
        return true;
    bool ok = (e->text_ir ? ir_parse(a, json, size, out, &d)
                          : import_json(a, json, size, NULL, 0, out, &d)) &&
              passes_run(out, &options, &d);
    return check_that(&e->check, ok, "%s: %s", name, d.message);
}

void e2e_compare_program(struct e2e *e, const char *name, vkr_program *program,
                         const struct graph *g, const struct array *inputs)
{
    uint32_t nout = g->funcs[g->entry].nresults;
    struct arena a;
    arena_init(&a, 0);
    static struct perturb_samples samples;
    void **outputs = arena_alloc(&a, (size_t)nout + 1, sizeof *outputs);
    bool ok = outputs && sample(e, name, g, &a, inputs, &samples) &&
              e2e_run(e, name, program, inputs, outputs);
    for (uint32_t i = 0; outputs && i < nout; i++) {
        if (ok)
            compare_output(e, name, "loaded", 0, i, &samples, outputs[i]);
        free(outputs[i]);
    }
    arena_finish(&a);
}

void e2e_compare(struct e2e *e, const char *name, const char *json, size_t size,
                 const struct graph *g, const struct array *const *sets, uint32_t nsets,
                 unsigned variants)
{
    uint32_t nout = g->funcs[g->entry].nresults;
    vkr_program *programs[E2E_VARIANTS] = {NULL};
    if (!check_wanted(&e->check, name))
        return;
    for (int v = 0; v < E2E_VARIANTS; v++)
        if (variants & 1u << v)
            programs[v] = e2e_load(e, name, json, size, (enum e2e_variant)v);
    struct arena all;
    struct graph meant;
    arena_init(&all, 0);
    if (!reference(e, name, json, size, g, &all, &meant))
        nsets = 0;
    for (uint32_t set = 0; set < nsets; set++) {
        struct arena a;
        arena_init(&a, 0);
        static struct perturb_samples samples;
        if (!sample(e, name, &meant, &a, sets[set], &samples)) {
            arena_finish(&a);
            continue;
        }
        int64_t loose = 0, elements = 0;
        for (int v = 0; v < E2E_VARIANTS; v++) {
            void **outputs = calloc((size_t)nout + 1, sizeof *outputs);
            bool ok = outputs && programs[v] && e2e_run(e, name, programs[v], sets[set], outputs);
            for (uint32_t i = 0; outputs && i < nout; i++) {
                if (ok) {
                    const struct tensor *exact = &perturb_samples_of(&samples, i)->tensor;
                    loose +=
                        compare_output(e, name, e2e_variant_names[v], set, i, &samples, outputs[i]);
                    elements += shape_size(&exact->shape) * (type_is_complex(exact->type) ? 2 : 1);
                }
                free(outputs[i]);
            }
            free(outputs);
        }
        check_loose(e, name, set, loose, elements);
        arena_finish(&a);
    }
    arena_finish(&all);
    for (int v = 0; v < E2E_VARIANTS; v++)
        vkr_program_unload(programs[v]);
}

void e2e_compare_json(struct e2e *e, const char *name, const char *json, uint32_t nsets,
                      e2e_fill_fn *fill, const void *context, unsigned variants)
{
    static struct diag d;
    const struct array *sets[2];
    struct arena a;
    struct graph g;
    uint64_t random = 42;
    uint32_t made = 0;
    if (!check_wanted(&e->check, name))
        return;
    d = (struct diag){0};
    arena_init(&a, 0);
    bool ok = e->text_ir ? ir_parse(&a, json, strlen(json), &g, &d)
                         : import_json(&a, json, strlen(json), NULL, 0, &g, &d);
    if (check_that(&e->check, ok, "%s: %s\n%s", name, d.message, json)) {
        while (made < nsets &&
               (sets[made] = e2e_inputs(e, &a, &g.funcs[g.entry], made, fill, context, &random)))
            made++;
        if (check_that(&e->check, made == nsets, "%s: no inputs", name))
            e2e_compare(e, name, json, strlen(json), &g, sets, nsets, variants);
    }
    arena_finish(&a);
}
