#include "run.h"

#include <math.h>
#include <string.h>

#include "../../runtime/bundle.h"
#include "../e2e/perturb_samples.h"
#include "../watch/load.h"
#include "import/import.h"
#include "interp/interp_impl.h"

struct run {
    struct e2e *e;
    const struct sweep_case *c;
    char name[CASE_NAME];
    struct arena arena;
    struct graph graph;
    const struct func *entry;
    struct array *inputs;
    struct perturb_samples samples;
    struct diag diag;
};

/* ---- inputs ---- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* Half of the inputs begin and end with -0, which sums must keep, on profiles that promise to
   keep signs of zeros; a quarter have one infinity, whose low part no sum may take in. Few, so
   that what they spoil is little. */
static void add_edges(const struct array *x, int64_t size, bool zeros, uint64_t *random)
{
    enum vkc_type t = x->tensor.type;
    uint64_t bits = next_random(random);
    if (zeros && bits & 1) {
        number_store(t, x->data, 0, (union number){.f = -0.0});
        number_store(t, x->data, size - 1, (union number){.f = -0.0});
    }
    if ((bits & 6) == 6 && size >= 64)
        number_store(t, x->data, (int64_t)(next_random(random) % (uint64_t)size),
                     (union number){.f = bits & 8 ? INFINITY : -INFINITY});
}

/* Products of many numbers would be 0, whatever is left out or comes in; so would a 0 that a
   greatest takes in go unseen among numbers of both signs. Factors are next to 1, or odd; what a
   greatest is looked for in is negative. */
static void fill_for(const struct sweep_case *c, const struct array *x, int64_t size)
{
    enum vkc_type t = x->tensor.type;
    bool product = strcmp(case_op(c), "product") == 0,
         greatest = strcmp(case_op(c), "reduce_max") == 0;
    for (int64_t i = 0; i < size && (product || (greatest && !type_is_complex(t))); i++) {
        union number n = number_load(t, x->data, i);
        if (type_is_complex(t))
            n.c = 1 + n.c / 1024;
        else if (type_is_float(t))
            n.f = product ? 1 + n.f / 1024 : -fabs(n.f) - 0.5;
        else if (product)
            n.u |= 1;
        number_store(t, x->data, i, n);
    }
}

static void fill(const struct array *x, const struct gt_param *p, bool zeros, uint64_t *random)
{
    int64_t size = shape_size(&x->tensor.shape);
    enum vkc_type t = x->tensor.type;
    if (p->fill != GT_INDICES)
        e2e_fill(x, random, false);
    if (p->fill == GT_VALUES && type_is_float(t))
        add_edges(x, size, zeros, random);
    for (int64_t i = 0; p->fill == GT_INDICES && i < size; i++) {
        int64_t below = vkc_types[t].kind == KIND_SINT ? 2 : 0;
        number_store(
            t, x->data, i,
            (union number){.s = (int64_t)(next_random(random) % (uint64_t)(p->bound + 2 + below)) -
                                below});
    }
    int64_t n = x->tensor.shape.rank ? x->tensor.shape.dim[0] : 1;
    for (int64_t i = 0; p->fill == GT_TRIANGLE && i < n; i++) {
        union number diagonal = number_load(t, x->data, i * n + i);
        if (type_is_complex(t))
            diagonal.c += 4;
        else
            diagonal.f += diagonal.f < 0 ? -4 : 4;
        number_store(t, x->data, i * n + i, diagonal);
    }
}

static bool make_inputs(struct run *r, const struct graph_text *text)
{
    uint64_t random = 42;
    for (const char *at = r->name; *at; at++)
        random = random * 31 + (uint8_t)*at;
    r->inputs = ARENA_ARRAY(&r->arena, struct array, r->entry->nparams + 1);
    for (uint32_t i = 0; r->inputs && i < r->entry->nparams; i++) {
        r->inputs[i] = (struct array){
            r->entry->params[i], arena_alloc(&r->arena, tensor_bytes(&r->entry->params[i]), 1)};
        if (!r->inputs[i].data)
            return false;
        fill(&r->inputs[i], &text->params[i],
             r->c->profile->features & VKB_FEATURE_SIGNED_ZERO_INF_NAN_32, &random);
        if (text->params[i].fill == GT_VALUES)
            fill_for(r->c, &r->inputs[i], shape_size(&r->inputs[i].tensor.shape));
    }
    return r->inputs != NULL;
}

/* ---- a case ---- */

static bool failed(const struct run *r, const char *what, const char *message)
{
    printf("FAILED %s: %s: %s\n", r->name, what, message);
    return false;
}

static bool compare(struct run *r, uint32_t output, const void *found)
{
    const struct tensor *exact = &perturb_samples_of(&r->samples, output)->tensor;
    struct perturb_result x;
    if (!perturb_check(&r->samples, output, 0, found, &x))
        return failed(r, "the interpreter", r->samples.diag.message);
    r->e->compared += shape_size(&exact->shape) - x.loose;
    r->e->loose += x.loose;
    if (x.wrong < 0)
        return true;
    printf("FAILED %s: output %u[%lld] %s is %.9g, expected %.9g within %.2g\n", r->name, output,
           (long long)x.wrong, type_name(exact->type), x.found, x.wanted, x.bound);
    return false;
}

static bool run_on(struct run *r, vkr_program *program)
{
    uint32_t nout = r->entry->nresults;
    void **found = ARENA_ARRAY(&r->arena, void *, nout + 1);
    if (!found)
        return failed(r, "memory", "there is none");
    bool ok = e2e_run(r->e, r->name, program, r->inputs, found) &&
              (perturb_sample(&r->samples, &r->graph, &r->arena, r->inputs,
                              perturb_least_kept(r->c->profile->features), PERTURB_SAMPLES,
                              PERTURB_SUITE) ||
               failed(r, "the interpreter", r->samples.diag.message));
    for (uint32_t i = 0; i < nout; i++) {
        ok = ok && compare(r, i, found[i]);
        free(found[i]);
    }
    return ok;
}

enum outcome run_case(struct e2e *e, const struct sweep_case *c)
{
    static struct run r;
    struct graph_text text;
    struct vkc_result compiled = {0};
    struct vkc_options options = {.target = c->profile, .no_cache = true, .threads = 1};
    vkr_program *program = NULL;
    vkr_error err = {VKR_OK, ""};
    enum { UNSUPPORTED = 3 };
    r = (struct run){.e = e, .c = c};
    /* of the runtime's checks and of the words around buffers, too */
    uint32_t failures = e->check.failed;
    case_name(c, r.name);
    arena_init(&r.arena, 0);
    const char *json = case_graph(c, &r.arena, &text);
    bool ok = import_json(&r.arena, json, strlen(json), NULL, 0, &r.graph, &r.diag) ||
              failed(&r, r.diag.where, r.diag.message);
    r.entry = ok ? &r.graph.funcs[r.graph.entry] : NULL;
    ok = ok && (make_inputs(&r, &text) || failed(&r, "memory", "there is none"));
    bool supported = !ok || vkc_compile(json, strlen(json), NULL, 0, &options, &compiled) ||
                     compiled.error.code != UNSUPPORTED;
    if (ok && supported)
        ok = compiled.error.code == 0 ? test_load(e->device, compiled.bundle, compiled.bundle_size,
                                                  &program, &err) == VKR_OK ||
                                            failed(&r, "is not loaded", err.message)
                                      : failed(&r, "is not compiled", compiled.error.message);
    if (ok && supported)
        ok = run_on(&r, program);
    vkr_program_unload(program);
    vkc_result_free(&compiled);
    arena_finish(&r.arena);
    return !supported                          ? CASE_SKIPPED
           : ok && e->check.failed == failures ? CASE_PASSED
                                               : CASE_FAILED;
}
