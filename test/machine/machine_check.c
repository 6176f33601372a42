#include "machine_check.h"

#include <string.h>

#include "../../runtime/bundle.h"
#include "../e2e/e2e.h"
#include "../e2e/perturb_samples.h"
#include "guarded.h"
#include "import/import.h"
#include "machine.h"

enum { UNSUPPORTED = 3 };

/* For one profile the machine runs the guarded shaders of the untrusted door, in place of those
   that were compiled. */
static bool through_the_door(struct machine_check *m, const char *what, struct vkc_result *r)
{
    char error[400];
    size_t size = 0;
    struct vkb_view v;
    bool is_open = bundle_open(r->bundle, r->bundle_size, &v, error, sizeof error);
    if (is_open && v.program->features & VKB_FEATURE_ADDRESSES)
        return true;
    void *guarded = guarded_bundle(r->bundle, r->bundle_size, &size, error, sizeof error);
    if (!check_that(&m->check, guarded != NULL, "%s: %s", what, error))
        return false;
    free(r->bundle);
    r->bundle = guarded;
    r->bundle_size = size;
    return true;
}

bool machine_target(const char *name, struct vkc_target *out)
{
    if (!vkc_target_named(name, out))
        return false;
    out->emulated |= out->features & VKB_FEATURE_BALLOT_32;
    return true;
}

/* Arithmetic as the target's hardware is known to do it. */
static struct machine_options options_for(const struct vkc_target *target, uint64_t seed)
{
    return (struct machine_options){.fma = target->features & VKB_FEATURE_FMA,
                                    .flushes = !(target->features & VKB_FEATURE_COMPARE_32),
                                    .contracts = true,
                                    .subgroup_size = target->subgroup_size,
                                    .matrices = target->matrices,
                                    .seed = seed};
}

/* One run with the bodies that the options choose, against the samples of each result. */
static bool run_once(struct machine_check *m, const char *what, const struct func *f,
                     const struct vkc_result *bundle, const struct machine_options *options,
                     struct perturb_samples *samples, const void *const *in, void **out)
{
    char error[512];
    if (!check_that(
            &m->check,
            machine_run(bundle->bundle, bundle->bundle_size, in, out, options, error, sizeof error),
            "%s: %s", what, error))
        return false;
    bool ok = true;
    for (uint32_t i = 0; i < f->nresults; i++) {
        const struct tensor *exact = &perturb_samples_of(samples, i)->tensor;
        struct perturb_result r;
        bool compared = check_that(&m->check, perturb_check(samples, i, 0, out[i], &r),
                                   "%s: the interpreter: %s", what, samples->diag.message);
        if (!compared)
            r = (struct perturb_result){.wrong = -1};
        m->compared += shape_size(&exact->shape) - r.loose;
        m->loose += r.loose;
        ok &=
            compared && check_that(&m->check, r.wrong < 0,
                                   "%s%s: output %u[%lld] %s is %.17g, expected %.17g within %.3g",
                                   what, options->plain ? ", plain" : "", i, (long long)r.wrong,
                                   type_name(exact->type), r.found, r.wanted, r.bound);
        free(out[i]);
    }
    return ok;
}

static bool run_and_compare(struct machine_check *m, const char *what, const struct graph *g,
                            const struct vkc_result *bundle, const struct vkc_target *target,
                            const struct machine_case *c, const struct array *inputs,
                            struct arena *a)
{
    const struct func *f = &g->funcs[g->entry];
    static struct perturb_samples samples;
    if (!check_that(&m->check,
                    perturb_sample(&samples, g, a, inputs, PERTURB_KEEPS,
                                   c->exact ? 1 : PERTURB_SAMPLES, c->exact ? 1 : PERTURB_SUITE),
                    "%s: the interpreter: %s", what, samples.diag.message))
        return false;
    const void **in = arena_alloc(a, f->nparams + 1, sizeof *in);
    void **out = arena_alloc(a, f->nresults + 1, sizeof *out);
    if (!check_that(&m->check, in && out, "%s: no memory", what))
        return false;
    for (uint32_t i = 0; i < f->nparams; i++)
        in[i] = inputs[i].data;
    struct machine_options options = options_for(target, m->seed++);
    options.counts = c->counts;
    bool ok = run_once(m, what, f, bundle, &options, &samples, in, out);
    options.plain = true;
    options.counts = NULL;
    return ok && (!c->plain || run_once(m, what, f, bundle, &options, &samples, in, out));
}

void machine_compare_all(struct machine_check *m, const struct machine_case *c)
{
    static const char *const targets[] = {"baseline", "lavapipe", "nvidia",
                                          "amd",      "intel",    "apple"};
    struct machine_case of = *c;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        of.target = targets[t];
        machine_compare(m, &of);
    }
}

char *machine_code(struct machine_check *m, const char *name, const char *graph)
{
    struct vkc_target target;
    struct vkc_result r;
    vkc_target_named("nvidia", &target);
    struct vkc_options o = {
        .text_ir = true, .no_cache = true, .want_glsl = true, .target = &target};
    bool ok = vkc_compile(graph, strlen(graph), NULL, 0, &o, &r) && r.glsl;
    char *text = ok ? strdup(r.glsl) : NULL;
    check_that(&m->check, text != NULL, "%s: %s", name, r.error.message);
    vkc_result_free(&r);
    return text;
}

unsigned machine_count(const char *text, const char *what)
{
    unsigned found = 0;
    for (; (text = strstr(text, what)); text++)
        found++;
    return found;
}

void machine_graph_text(char *out, size_t size, const char *name, const char *params,
                        const char *nodes, bool donates)
{
    size_t at = 0;
    uint32_t count = 0;
    char lines[512] = "", head[256] = "";
    for (const char *p = params; *p; count++) {
        int n = (int)strcspn(p, " ");
        snprintf(lines + at, sizeof lines - at, "  n%u = parameter index=%u : %.*s\n", count, count,
                 n, p);
        at += strlen(lines + at);
        snprintf(head + strlen(head), sizeof head - strlen(head), "%s%.*s", count ? ", " : "", n,
                 p);
        p += n + (p[n] == ' ');
    }
    snprintf(out, size, "graph \"%s\" entry=f0 callbacks=0\n%sfunc f0(%s) {\n%s  %s\n}\n", name,
             donates ? "donate 0 -> 0\n" : "", head, lines, nodes);
}

/* Whether the body of a kernel that the machine runs needs matrix units. */
static bool has_matrices(const struct vkc_result *bundle)
{
    struct vkb_view v;
    char error[256];
    bool found = false;
    if (!bundle_open(bundle->bundle, bundle->bundle_size, &v, error, sizeof error))
        return false;
    for (uint32_t i = 0; i < v.nkernels; i++) {
        const struct vkb_body *b = vkb_body_of(&v, i, machine_body(&v, i));
        for (uint32_t k = 0; k < b->nneeds; k++)
            found |= v.needs[b->first_need + k].kind == VKB_NEED_MATRIX;
    }
    return found;
}

/* Workgroups of the first dispatch; 0: there is none. */
static uint64_t groups_of(const struct vkc_result *bundle)
{
    struct vkb_view v;
    char error[256];
    if (!bundle_open(bundle->bundle, bundle->bundle_size, &v, error, sizeof error))
        return 0;
    for (uint32_t i = 0; i < v.nsteps; i++)
        if (v.steps[i].kind == VKB_STEP_DISPATCH) {
            const uint32_t *n =
                vkb_group_counts(&v, &v.steps[i], machine_body(&v, v.steps[i].kernel));
            return (uint64_t)n[0] * n[1] * n[2];
        }
    return 0;
}

bool machine_compare(struct machine_check *m, const struct machine_case *c)
{
    static struct diag d;
    struct vkc_target target;
    struct vkc_result result;
    struct arena a;
    struct graph g;
    char what[256];
    uint64_t random = 42;
    d = (struct diag){0};
    arena_init(&a, 0);
    snprintf(what, sizeof what, "%s, %s%s%s", c->name, c->target, c->no_fusion ? ", unfused" : "",
             c->fast_math ? ", fast math" : "");
    bool read = c->json ? import_json(&a, c->graph, strlen(c->graph), NULL, 0, &g, &d)
                        : ir_parse(&a, c->graph, strlen(c->graph), &g, &d) && ir_verify(&g, &d);
    bool ok = check_that(&m->check, read && machine_target(c->target, &target), "%s: %s", what,
                         d.message);
    if (!ok) {
        arena_finish(&a);
        return false;
    }
    target.units = c->units;
    const struct vkc_options options = {.target = &target,
                                        .text_ir = !c->json,
                                        .no_cache = true,
                                        .no_fusion = c->no_fusion,
                                        .fast_math = c->fast_math,
                                        .skip_passes = c->skip_passes,
                                        .threads = 1};
    if (!vkc_compile(c->graph, strlen(c->graph), NULL, 0, &options, &result)) {
        m->refused += result.error.code == UNSUPPORTED;
        ok = result.error.code == UNSUPPORTED ||
             check_that(&m->check, false, "%s: is not compiled: %s", what, result.error.message);
    }
    if (result.bundle && !strcmp(c->target, "amd"))
        ok = through_the_door(m, what, &result);
    if (result.bundle && ok && (c->matrices || c->no_matrices))
        ok = check_that(&m->check, has_matrices(&result) == c->matrices,
                        "%s: %s body on matrix units", what, c->matrices ? "no" : "a");
    if (result.bundle && ok && c->groups)
        ok =
            check_that(&m->check, groups_of(&result) == c->groups, "%s: %llu workgroups, not %llu",
                       what, (unsigned long long)groups_of(&result), (unsigned long long)c->groups);
    for (uint32_t set = 0; result.bundle && ok && set < (c->sets ? c->sets : 1); set++) {
        const struct func *f = &g.funcs[g.entry];
        struct array *inputs = ARENA_ARRAY(&a, struct array, f->nparams + 1);
        for (uint32_t i = 0; inputs && i < f->nparams; i++) {
            inputs[i] =
                (struct array){f->params[i], arena_alloc(&a, tensor_bytes(&f->params[i]), 1)};
            if (c->fill)
                c->fill(c->context, &inputs[i], i, set, &random);
            else
                e2e_fill(&inputs[i], &random, set % 2 == 1);
        }
        ok = inputs && run_and_compare(m, what, &g, &result, &target, c, inputs, &a);
    }
    vkc_result_free(&result);
    arena_finish(&a);
    return ok;
}
