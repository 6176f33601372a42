/* The graphs that test/graphs has, on random inputs, on edges that leave results finite, and
   with a row of infinities and NaN, which may well poison all of a loss and its gradients;
   compiled three ways. Those that would take the interpreter minutes are compiled only. Usage:
   graph_test test/graphs/softmax.json ... */
#include <string.h>

#include "e2e.h"
#include "import/import.h"

/* multiplications and elements that the interpreter is asked for */
enum { SETS = 3, MOST_WORK = 1 << 25 };

/* About how many operations a function takes, of a while one iteration. */
static double work_of(const struct graph *g, uint32_t func)
{
    const struct func *f = &g->funcs[func];
    double work = 0;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        const struct node *n = &f->nodes[i];
        double size = n->nouts ? (double)shape_size(&n->outs[0].shape) : 0;
        uint32_t count = 0;
        const int64_t *axes = n->op == OP_DOT ? attr_list(n, ATTR_contract_a, &count) : NULL;
        for (uint32_t k = 0; k < count; k++)
            size *= (double)func_tensor(f, n->ins[0])->shape.dim[axes[k]];
        if (n->op == OP_CONV) {
            const struct shape *kernel = &func_tensor(f, n->ins[1])->shape;
            size *= (double)shape_size(kernel) /
                    (double)kernel->dim[attr_list(n, ATTR_kernel_permutation, &count)[0]];
        }
        for (uint32_t k = 0; k < n->nins; k++)
            size += (double)shape_size(&func_tensor(f, n->ins[k])->shape);
        for (uint32_t k = 0; k < n->nregions; k++)
            size += work_of(g, n->regions[k]);
        work += size;
    }
    return work;
}

/* Decompositions of matrices with infinities and NaNs: what comes out where is not defined. */
static bool has_decomposition(const struct graph *g)
{
    for (uint32_t k = 0; k < g->nfuncs; k++)
        for (uint32_t i = 0; i < g->funcs[k].nnodes; i++)
            if (g->funcs[k].nodes[i].op == OP_BLOCK &&
                strncmp(attr_text(&g->funcs[k].nodes[i], ATTR_name), "LinAlg", 6) == 0)
                return true;
    return false;
}

static void fill(const void *context, const struct array *x, uint32_t input, uint32_t set,
                 uint64_t *random)
{
    static const enum e2e_values values[SETS] = {E2E_PLAIN, E2E_FINITE_EDGES, E2E_ROW_OF_EDGES};
    (void)context, (void)input;
    e2e_fill(x, random, values[set]);
}

/* Graphs of which more depends on rounding than E2E_CAPS allows, and why. */
static const struct {
    const char *name;
    struct e2e_caps caps;
} exceptions[] = {
    /* 14 results, half of them a mask: where a counter is above a sum in bf16, round after round */
    {"narrow.json", {0.1, 0.5}},
};

static struct e2e_caps caps_of(const char *name)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (strcmp(exceptions[i].name, name) == 0)
            return exceptions[i].caps;
    return E2E_CAPS;
}

/* Kernels for GPUs find eigenvectors and singular vectors in another way than Nx's expansion, with
   errors, signs and an order of their own: eigh_test and svd_test judge them by LAPACK's bounds. */
static unsigned variants_of(const char *name, const struct vkc_target *device)
{
    unsigned all = (1u << E2E_VARIANTS) - 1;
    if (strncmp(name, "eigh", 4) && strncmp(name, "svd", 3))
        return all;
    return device->cpu ? all & ~(1u << E2E_AS_GPU | 1u << E2E_ALSO) : 0;
}

static void check_graph(struct e2e *e, const char *path)
{
    static struct diag d;
    struct arena a;
    struct graph g;
    size_t size;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char *json = read_file(path, &size);
    d = (struct diag){0};
    arena_init(&a, 0);
    e->caps = caps_of(name);
    e->long_loops = strncmp(name, "cholesky", 8) == 0 || strncmp(name, "svd", 3) == 0;
    if (!check_that(&e->check, json && import_json(&a, json, size, NULL, 0, &g, &d), "%s: %s", path,
                    d.message))
        goto out;
    if (work_of(&g, g.entry) > MOST_WORK) {
        for (int v = 0; v < E2E_VARIANTS; v++) {
            struct e2e_options options;
            struct vkc_result result;
            e2e_options(e, (enum e2e_variant)v, &options);
            if (v != E2E_PARTS)
                options.target.max_binding_bytes = UINT64_C(1) << 32;
            check_that(&e->check, vkc_compile(json, size, NULL, 0, &options.compile, &result),
                       "%s, %s: is not compiled: %s", name, e2e_variant_names[v],
                       result.error.message);
            vkc_result_free(&result);
        }
        goto out;
    }
    uint64_t random[SETS] = {1234567890123u, 88172645463325252u, 6364136223846793005u};
    const struct array *sets[SETS];
    for (uint32_t set = 0; set < SETS; set++)
        sets[set] = e2e_inputs(e, &a, &g.funcs[g.entry], set, fill, NULL, &random[set]);
    if (check_that(&e->check, sets[0] && sets[1] && sets[2], "%s: no inputs", name))
        e2e_compare(e, name, json, size, &g, sets, has_decomposition(&g) ? 1 : SETS,
                    variants_of(name, &e->target));

out:
    arena_finish(&a);
    free(json);
}

int main(int argc, char **argv)
{
    struct e2e e;
    bool is_open = e2e_open(&e);
    e.check.turns = 3;
    for (int i = 1; is_open && i < argc; i++)
        if (check_wanted(&e.check, argv[i]))
            check_graph(&e, argv[i]);
    return e2e_close(&e);
}
