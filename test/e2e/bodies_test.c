/* Bundles with the bodies of two targets: which a device takes, that both compute what the
   interpreter does, and what is left out. Every graph is compared so in graph_test. */
#include <string.h>

#include "../../runtime/bundle.h"
#include "../../runtime/program.h"
#include "e2e.h"
#include "import/import.h"

static const char *const graphs[] = {"softmax", "layer_norm", "digits_step_sgd", "sort_1024"};

/* The baseline with second bodies for `also`; NULL: with none. */
static bool compile(struct e2e *e, const char *json, size_t size, const struct vkc_target *also,
                    struct vkc_result *out)
{
    struct vkc_target target;
    vkc_target_baseline(&target);
    const struct vkc_options options = {.target = &target, .also = also, .no_cache = true};
    return check_that(&e->check, vkc_compile(json, size, NULL, 0, &options, out),
                      "is not compiled: %s", out->error.message);
}

static uint32_t count_pairs(struct e2e *e, const struct vkc_result *r, const char *better)
{
    struct vkb_view v;
    char error[300];
    uint32_t pairs = 0;
    if (!check_that(&e->check, bundle_open(r->bundle, r->bundle_size, &v, error, sizeof error),
                    "%s", error))
        return 0;
    for (uint32_t i = 0; i < v.nkernels; i++) {
        const struct vkb_body *first = vkb_body_of(&v, i, 0);
        if (v.kernels[i].nbodies < 2)
            continue;
        pairs++;
        check_that(&e->check, strcmp(vkb_text(&v, first->profile), better) == 0, "%s comes first",
                   vkb_text(&v, first->profile));
        check_that(&e->check,
                   strcmp(vkb_text(&v, first[1].profile), "baseline") == 0 && !first[1].nneeds,
                   "%s comes second", vkb_text(&v, first[1].profile));
        check_that(&e->check, first->nneeds && v.needs[first->first_need].kind == VKB_NEED_CPU,
                   "no class of devices");
    }
    return pairs;
}

/* Which body each kernel with two takes, and the program's results. */
static void check_body(struct e2e *e, const char *name, const struct vkc_result *r, bool plain,
                       uint32_t wanted, const struct graph *g, const struct array *inputs)
{
    const vkr_load_options options = {.trusted = true, .plain = plain};
    vkr_program *program = NULL;
    vkr_error err = {VKR_OK, ""};
    if (!check_that(
            &e->check,
            !vkr_program_load_with(e->device, r->bundle, r->bundle_size, &options, &program, &err),
            "%s: %s", name, err.message))
        return;
    for (uint32_t i = 0; i < program->bundle.nkernels; i++)
        if (program->bundle.kernels[i].nbodies == 2)
            check_that(&e->check, program->taken[i] == wanted, "%s: kernel %u takes body %u", name,
                       i, program->taken[i]);
    e2e_compare_program(e, name, program, g, inputs);
    vkr_program_unload(program);
}

static void check_graph(struct e2e *e, const char *name)
{
    static struct diag d;
    struct arena a;
    struct graph g;
    struct vkc_result none, own, foreign;
    struct vkc_target gpu;
    char path[256];
    size_t size;
    uint64_t random = 88172645463325252u;
    snprintf(path, sizeof path, "test/graphs/%s.json", name);
    char *json = check_wanted(&e->check, name) ? read_file(path, &size) : NULL;
    if (!json)
        return;
    arena_init(&a, 0);
    vkc_target_named("nvidia", &gpu);
    bool ok = check_that(&e->check, import_json(&a, json, size, NULL, 0, &g, &d), "%s: %s", path,
                         d.message);
    const struct array *inputs =
        ok ? e2e_inputs(e, &a, &g.funcs[g.entry], 0, NULL, NULL, &random) : NULL;
    ok = compile(e, json, size, NULL, &none) && inputs;
    ok &= compile(e, json, size, &e->target, &own);
    ok &= compile(e, json, size, &gpu, &foreign);
    if (ok) {
        check_that(&e->check, count_pairs(e, &own, e->target.name) > 0,
                   "%s: no kernel has two bodies", name);
        check_that(&e->check, count_pairs(e, &foreign, "nvidia") > 0, "%s: none has one for NVIDIA",
                   name);
        check_that(&e->check, count_pairs(e, &none, "") == 0, "%s: two bodies for one target",
                   name);
        check_body(e, name, &own, false, 0, &g, inputs);
        check_body(e, name, &own, true, 1, &g, inputs);
        if (e->target.cpu)
            check_body(e, name, &foreign, false, 1, &g, inputs);
    }
    vkc_result_free(&none);
    vkc_result_free(&own);
    vkc_result_free(&foreign);
    arena_finish(&a);
    free(json);
}

/* A second target that is as the first adds nothing. */
static void check_same(struct e2e *e)
{
    struct vkc_target target;
    struct vkc_result once, twice;
    size_t size;
    char *json = read_file("test/graphs/softmax.json", &size);
    vkc_target_baseline(&target);
    if (json && compile(e, json, size, NULL, &once) && compile(e, json, size, &target, &twice))
        check_that(&e->check,
                   once.bundle_size == twice.bundle_size &&
                       !memcmp(once.bundle, twice.bundle, once.bundle_size),
                   "two bodies with the same code");
    vkc_result_free(&once);
    vkc_result_free(&twice);
    free(json);
}

int main(void)
{
    struct e2e e;
    if (e2e_open(&e)) {
        for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
            check_graph(&e, graphs[i]);
        check_same(&e);
    }
    return e2e_close(&e);
}
