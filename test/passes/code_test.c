/* How much SPIR-V factors of matrices are on a CPU, whose driver compiles for seconds what is long.
   A product that computes an operand has as many copies of that as a thread has rows or columns: so
   LU was 1.7 times as long, and Cholesky 2.4 times. */
#include <string.h>

#include "base/arena.h"
#include "block_graph.h"
#include "check.h"
#include "vkc.h"

static const struct promise {
    const char *graph;    /* of block_graph.h */
    uint64_t spirv_bytes; /* of all kernels that differ, at most: a tenth more than it was */
} promises[] = {
    {"lu/f64/1x256x256/once", 222000},         {"lu/f32/1x512x512/once", 262000},
    {"lu/f16/1x700x700/once", 457000},         {"cholesky/f64/1x256x256/once", 207000},
    {"cholesky/f32/1x1000x1000/once", 217000}, {"qr/f64/1x256x256/once", 259000},
    {"svd/f64/1x128x128/once", 666000},
};

int main(void)
{
    struct vkc_target target;
    CHECK(vkc_target_named("lavapipe", &target), "no profile");
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        const struct promise *p = &promises[i];
        const struct vkc_options options = {.target = &target, .text_ir = true, .no_cache = true};
        struct vkc_result result = {0};
        struct arena a;
        if (!check_wanted(p->graph))
            continue;
        arena_init(&a, 0);
        const char *text = block_graph_text(&a, p->graph);
        bool ok = text && vkc_compile(text, strlen(text), NULL, 0, &options, &result);
        CHECK(ok, "%s: %s", p->graph, result.error.message);
        CHECK(result.stats.spirv_bytes <= p->spirv_bytes, "%s: %llu bytes of SPIR-V", p->graph,
              (unsigned long long)result.stats.spirv_bytes);
        vkc_result_free(&result);
        arena_finish(&a);
    }
    return check_report();
}
