/* What the compiler makes of graphs that the project makes promises about: how many kernels,
   fewer bytes than op by op, which donated inputs are updated in place, and the same bytes out
   for the same bytes in, however many threads there are. Run from the root of the repository;
   needs a device only for its target, else the baseline is used. */
#include <string.h>

#include "driver/main.h"
#include "../../runtime/bundle.h"
#include "../front/check.h"
#include "vkc.h"

static const struct promise {
    const char *graph;
    uint32_t kernels, steps, in_place;
} promises[] = {
    {"sigmoid4", 1, 0, 0},
    {"chain10", 1, 0, 0},
    {"softmax", 1, 0, 0},
    {"logsumexp", 1, 0, 0},
    {"layer_norm", 1, 0, 0},
    {"softmax_4096", 1, 0, 0},
    {"layer_norm_4096", 1, 0, 0},
    {"sum_rows", 1, 0, 0},
    {"elementwise_2e28", 1, 0, 0},
    /* training steps: every parameter, and of AdamW all but the step count, which several
       kernels read */
    {"digits_step_adamw", 12, 0, 13},
    {"digits_step_sgd", 10, 0, 5},
    {"mnist_step_sgd", 9, 0, 4},
    {"sgd_regression", 9, 0, 4},
    {"conv_relu", 1, 1, 0},
    {"cnn_digits_step_adamw", 13, 0, 19},
    {"cnn_mnist_step_adamw", 16, 0, 19},
    /* loops, branches and small linear algebra: the host has one dispatch to submit, and steers
       nothing */
    {"collatz", 1, 1, 0},
    {"leapfrog_32", 1, 1, 0},
    /* of unknown length: in portions, which can be ended; a loop of unknown length in another is
       more than a dispatch */
    {"while_sin", 2, 3, 0},
    {"narrow", 2, 3, 0},
    {"count", 2, 3, 0},
    {"nested", 14, 17, 0},
    /* random bits of any number are made where they are used; a new key is a kernel of its own */
    {"random_uniform_1", 1, 1, 0},
    {"random_uniform_7", 1, 1, 0},
    {"random_uniform_1e6", 1, 1, 0},
    {"random_uniform_odd", 1, 1, 0},
    {"random_uniform_bf16", 1, 1, 0},
    {"threefry_uniform", 1, 1, 0},
    {"random_key", 1, 1, 0},
    {"random_split", 1, 1, 0},
    {"random_randint", 2, 2, 0},
    {"random_normal", 2, 2, 0},
    {"random_dropout", 2, 2, 0},
    {"random_shuffle", 4, 4, 0},
    /* larger ones: gates, and nothing for the host to look at but the ends of blocks; a round is
       there twice where carried values change places */
    {"rounds_10000", 8, 9, 0},
    {"collatz_20000", 11, 12, 0},
    {"heat", 4, 5, 0},
    {"branch_20000", 27, 28, 0},
    {"nested_9000", 36, 38, 0},
    /* small linear algebra */
    {"svd_16x8", 5, 5, 0},
    {"svd_3x3", 4, 4, 0},
    {"decoder_2", 1, 1, 0},
    {"eigh_8", 16, 16, 0},
    {"lu_8", 1, 1, 0},
    {"solve_8", 1, 1, 0},
    {"determinant_8", 1, 1, 0},
    {"cholesky_64", 5, 5, 0}, /* of f64, so it takes two panels */
    {"qr_16x8", 1, 1, 0},
    {"qr_16x16", 1, 1, 0},
    {"digits_init", 7, 0, 0},
    {"regime", 2, 2, 0},
    {"sort_1024", 1, 1, 0},
    {"cumulative_sum_4096", 1, 1, 0},
};

/* Other numbers on a CPU, and more than one kernel and step where more are allowed: its driver
   makes a coroutine of many phases that wait for each other, and takes long over it, 26 s for
   decoder_2 (lavapipe 22.3). In kernels of its own decoder_2 moves more than op by op, 784 to 565
   KB. Eigenvectors of a small matrix are a program there alone. For a million random numbers a CPU
   splits the key once, not in every thread. */
static const struct apart {
    const char *graph;
    uint32_t most;
    bool moves_more;
} on_cpu[] = {{"decoder_2", 25, true},
              {"svd_16x8", 32, false},
              {"svd_3x3", 33, false},
              {"eigh_8", 1, false},
              {"random_uniform_1e6", 2, false}};

static const struct apart *find_apart(const char *graph)
{
    for (size_t i = 0; i < sizeof on_cpu / sizeof *on_cpu; i++)
        if (strcmp(on_cpu[i].graph, graph) == 0)
            return &on_cpu[i];
    return NULL;
}

/* Outputs that take over the memory of an input. */
static uint32_t in_place(const struct vkc_result *result)
{
    struct vkb_view v;
    char error[256];
    uint32_t n = 0;
    if (!bundle_open(result->bundle, result->bundle_size, &v, error, sizeof error))
        return 0;
    for (uint32_t i = 0; i < v.program->noutputs; i++)
        n += v.tensors[v.program->ninputs + i].alias != VKB_NONE;
    return n;
}

static void check_promise(struct check *c, const struct promise *p, struct vkc_target *target,
                          const char *as)
{
    char path[256];
    struct vkc_result first, second;
    size_t size;
    snprintf(path, sizeof path, "test/graphs/%s.json", p->graph);
    char *json = read_file(path, &size);
    struct vkc_options options = {.target = target, .no_cache = true, .threads = 1};
    if (!check_that(c, json != NULL, "%s: cannot be read", path))
        return;
    if (check_that(c, vkc_compile(json, size, NULL, 0, &options, &first), "%s: %s", path,
                   first.error.message)) {
        const struct apart *apart = target->cpu ? find_apart(p->graph) : NULL;
        uint32_t kernels = apart ? apart->most : p->kernels, steps = apart ? apart->most : p->steps;
        check_that(c, first.stats.kernels <= kernels, "%s%s: %u kernels, at most %u were promised",
                   p->graph, as, first.stats.kernels, kernels);
        check_that(c, steps == 0 || first.stats.steps <= steps,
                   "%s%s: %u steps, at most %u were promised", p->graph, as, first.stats.steps,
                   steps);
        check_that(c, !apart || apart->most == 1 || first.stats.kernels > 1, "%s%s: one program",
                   p->graph, as);
        check_that(c, in_place(&first) == p->in_place,
                   "%s%s: %u outputs take over an input, %u were promised", p->graph, as,
                   in_place(&first), p->in_place);
        bool moves_less = first.stats.bytes_moved <= first.stats.bytes_unfused;
        check_that(c, moves_less || (apart && apart->moves_more),
                   "%s%s: moves %llu bytes, op by op %llu", p->graph, as,
                   (unsigned long long)first.stats.bytes_moved,
                   (unsigned long long)first.stats.bytes_unfused);
        check_that(c, first.stats.arena_bytes <= first.stats.unplanned_bytes,
                   "%s%s: an arena of %llu bytes for %llu", p->graph, as,
                   (unsigned long long)first.stats.arena_bytes,
                   (unsigned long long)first.stats.unplanned_bytes);
        options.threads = 4;
        check_that(c, vkc_compile(json, size, NULL, 0, &options, &second), "%s: %s", path,
                   second.error.message);
        check_that(c,
                   second.bundle && first.bundle_size == second.bundle_size &&
                       !memcmp(first.bundle, second.bundle, first.bundle_size),
                   "%s%s: compiled again, other bytes", p->graph, as);
        vkc_result_free(&second);
    }
    vkc_result_free(&first);
    free(json);
}

int main(void)
{
    struct check c = {0};
    struct vkc_target target;
    char error[512];
    if (!host_target(&target, error, sizeof error))
        vkc_target_baseline(&target);
    target.max_binding_bytes = UINT64_C(1) << 32;
    target.loop_limit = false;
    for (int cpu = 0; cpu < 2; cpu++) {
        target.cpu = cpu;
        for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
            if (check_wanted(&c, promises[i].graph))
                check_promise(&c, &promises[i], &target, cpu ? " on a CPU" : "");
    }
    return check_finish(&c);
}
