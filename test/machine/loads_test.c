/* How often kernels touch memory, counted by the machine of this folder: neighbours are loaded and
   stored four at a time wherever they lie so, packed ones by the word, and nothing is loaded twice
   that fits registers or shared memory. Usage: loads_test [NAME], where names may be parts. */
#include <stdlib.h>
#include <string.h>

#include "../e2e/e2e.h"
#include "import/import.h"
#include "machine.h"
#include "machine_check.h"

/* Loads and stores by all invocations, as the shader has them. Without parameters the nodes are the
   name of a graph in test/graphs. */
static const struct loads_case {
    const char *name, *target, *params, *nodes;
    uint64_t loads, stores;
} cases[] = {
#define DOT(a, b) "n2 = dot n0, n1 contract_a=[" #a "] batch_a=[] contract_b=[" #b "] batch_b=[] : "
#define LESS_SUM(shape, rows)                            \
    "n1 = sum n0 axes=[1] keep=true : f32[" rows ",1]\n" \
    " n2 = broadcast n1 axes=[0,1] : f32[" shape "]\n"   \
    " n3 = subtract n0, n2 : f32[" shape "]\n return n3"
    /* four elements a thread, as a vector; one a thread where that keeps more of a GPU busy */
    {"many elements", "nvidia", "f32[131072]", "n1 = negate n0 : f32[131072]\n return n1", 32768,
     32768},
    {"elements", "nvidia", "f32[64,80]", "n1 = exp n0 : f32[64,80]\n return n1", 5120, 5120},
    {"elements", "lavapipe", "f32[64,80]", "n1 = exp n0 : f32[64,80]\n return n1", 1280, 1280},
    {"an element more", "lavapipe", "f32[5121]", "n1 = exp n0 : f32[5121]\n return n1", 5121, 5121},
    {"doubles", "nvidia", "f64[64,80]", "n1 = negate n0 : f64[64,80]\n return n1", 5120, 5120},
    {"two operands", "lavapipe", "f32[64,80] f32[64,80]",
     "n2 = add n0, n1 : f32[64,80]\n return n2", 2560, 1280},
    {"a row for all", "lavapipe", "f32[64,80] f32[80]",
     "n2 = broadcast n1 axes=[1] : f32[64,80]\n n3 = add n0, n2 : f32[64,80]\n return n3", 2560,
     1280},
    {"a number for all", "lavapipe", "f32[64,80] f32[]",
     "n2 = broadcast n1 axes=[] : f32[64,80]\n n3 = add n0, n2 : f32[64,80]\n return n3", 2560,
     1280},
    /* what is packed, by the word */
    {"halves", "nvidia", "f16[64,80]", "n1 = negate n0 : f16[64,80]\n return n1", 5120, 2560},
    {"bytes", "nvidia", "u8[64,80]", "n1 = add n0, n0 : u8[64,80]\n return n1", 1280, 1280},
    {"bytes", "lavapipe", "u8[64,80]", "n1 = add n0, n0 : u8[64,80]\n return n1", 1280, 1280},
    /* slices are vectors where their rows begin at fours */
    {"sliced by fours", "lavapipe", "f32[64,80]",
     "n1 = slice n0 starts=[3,8] lengths=[50,64] strides=[1,1] : f32[50,64]\n"
     " n2 = exp n1 : f32[50,64]\n return n2",
     800, 800},
    {"sliced", "lavapipe", "f32[64,80]",
     "n1 = slice n0 starts=[3,7] lengths=[50,64] strides=[1,1] : f32[50,64]\n"
     " n2 = exp n1 : f32[50,64]\n return n2",
     3200, 800},
    {"transposed", "nvidia", "f32[64,80]",
     "n1 = transpose n0 axes=[1,0] : f32[80,64]\n n2 = exp n1 : f32[80,64]\n return n2", 5120,
     5120},
    {"transposed", "lavapipe", "f32[64,80]",
     "n1 = transpose n0 axes=[1,0] : f32[80,64]\n n2 = exp n1 : f32[80,64]\n return n2", 5120,
     1280},
    /* rows: vectors along memory; registers keep a row of which a thread has a few vectors */
    {"sums of rows", "nvidia", "f32[64,256]",
     "n1 = sum n0 axes=[1] keep=false : f32[64]\n return n1", 4096, 64},
    {"sums of odd rows", "nvidia", "f32[64,255]",
     "n1 = sum n0 axes=[1] keep=false : f32[64]\n return n1", 16320, 64},
    {"sums of columns", "nvidia", "f32[256,64]",
     "n1 = sum n0 axes=[0] keep=false : f32[64]\n return n1", 16384, 64},
    {"rows less their sums", "nvidia", "f32[64,256]", LESS_SUM("64,256", "64"), 8192, 4096},
    {"many rows less their sums", "nvidia", "f32[4096,128]", LESS_SUM("4096,128", "4096"), 131072,
     131072},
    {"rows less their sums", "lavapipe", "f32[64,256]", LESS_SUM("64,256", "64"), 8192, 4096},
    /* one thread does what is done once */
    {"sums of rows and a number", "nvidia", "f32[64,256] f32[]",
     "n2 = sum n0 axes=[1] keep=false : f32[64]\n n3 = exp n1 : f32[]\n return n2, n3", 4097, 65},
    {"elements and a number", "lavapipe", "f32[64,80] f32[]",
     "n2 = exp n0 : f32[64,80]\n n3 = exp n1 : f32[]\n return n2, n3", 1281, 1281},
    /* products: 24 tiles of 32 x 32, of which each thread loads some elements; on a CPU tiles of
       8 x 4, a thread each, in vectors, and columns that no vectors fit */
    {"a product", "nvidia", "f32[128,16] f32[16,192]", DOT(1, 0) "f32[128,192]\n return n2", 49152,
     24576},
    {"a product", "lavapipe", "f32[32,64] f32[64,48]", DOT(1, 0) "f32[32,48]\n return n2", 9216,
     384},
    {"a product, left turned", "lavapipe", "f32[64,32] f32[64,48]",
     DOT(0, 0) "f32[32,48]\n return n2", 9216, 384},
    {"a product, right turned", "lavapipe", "f32[32,64] f32[48,64]",
     DOT(1, 1) "f32[32,48]\n return n2", 9216, 384},
    {"a product of odd columns", "lavapipe", "f32[32,64] f32[64,45]",
     DOT(1, 0) "f32[32,45]\n return n2", 18432, 1440},
    {"a product, odd", "lavapipe", "f32[32,63] f32[63,48]", DOT(1, 0) "f32[32,48]\n return n2",
     27216, 384},
    /* on matrix units in tiles of 64 x 64, two steps: eights of halves; of 32 x 64, one step:
       vectors of f32 */
    {"a product on matrix units", "nvidia", "f16[160,96] f16[96,160]",
     DOT(1, 0) "f16[160,160]\n return n2", 11520, 12800},
    {"a product in halves", "nvidia", "f32[512,32] f32[32,512]",
     DOT(1, 0) "f32[512,512]\n return n2", 98304, 65536},
    /* the halves are scaled, each operand by its own power of two; else all would be loaded again,
       for a product by fma */
    {"small times large", "nvidia", "f32[512,32] f32[32,512]",
     "n3 = constant bits=30800000 : f32[512,32]\n n4 = constant bits=4e800000 : f32[32,512]\n"
     " n5 = multiply n0, n3 : f32[512,32]\n n6 = multiply n1, n4 : f32[32,512]\n"
     " n7 = dot n5, n6 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[512,512]\n return n7",
     98304, 65536},
    {"large times small", "nvidia", "f32[512,32] f32[32,512]",
     "n3 = constant bits=4e800000 : f32[512,32]\n n4 = constant bits=30800000 : f32[32,512]\n"
     " n5 = multiply n0, n3 : f32[512,32]\n n6 = multiply n1, n4 : f32[32,512]\n"
     " n7 = dot n5, n6 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[512,512]\n return n7",
     98304, 65536},
    /* lines: once, and 56 roots of each */
    {"transforms", "nvidia", "c64[16,64]", "n1 = fft n0 axis=1 length=64 : c64[16,64]\n return n1",
     1920, 1024},
    {"transforms of columns", "nvidia", "c64[64,16]",
     "n1 = fft n0 axis=0 length=64 : c64[64,16]\n return n1", 1920, 1024},
    {"a sort", "nvidia", "f32[16,64]",
     "n1 = sort n0 axis=1 descending=false stable=true : f32[16,64]\n return n1", 1024, 1024},
    /* each key once; where it is counted first, twice */
    {"first keys of tiles", "nvidia", "u32[1,2,2500]",
     "n1 = digit_select n0 words=1 bit=0 width=32 tile=1024 length=9 gives=\"both\" zeros=true : "
     "u32[2,2,27]\n return n1",
     5000, 108},
    {"first of long rows", "nvidia", "f32[2,9001]",
     "n1 = argsort n0 axis=1 descending=true stable=true : s32[2,9001]\n"
     " n2 = slice n1 starts=[0,0] lengths=[2,50] strides=[1,1] : s32[2,50]\n return n2",
     18402, 700},
    /* that are counted, the last one by the threads that have none */
    {"keys by a digit", "nvidia", "u32[1,1,2500]",
     "n1 = digit_counts n0 words=1 bit=24 radix=256 tile=1024 zeros=true : u32[1,256,3]\n"
     " n2 = reshape n1 : u32[256,3,1]\n"
     " n3 = scan n2 combine=\"sum\" run=3 reverse=false : u32[256,3,1]\n"
     " n4 = reshape n3 : u32[1,256,3]\n"
     " n5 = digit_sort n0, n4 words=1 bit=24 radix=256 tile=1024 gives=\"both\" zeros=true : "
     "u32[2,1,2500]\n return n5",
     7620, 6536},
    {"running sums", "nvidia", "f32[3,1000,1]",
     "n1 = scan n0 combine=\"sum\" run=1000 reverse=false : f32[3,1000,1]\n return n1", 3000, 3000},
    /* matrices of products, and tiles, once; turns once for each tile of their columns */
    {"rotations", "nvidia", "f32[2,32,32]",
     "n1 = jacobi n0 rows=40 sweeps=1 across=false absolute=false : f32[2,32,32]\n return n1", 2048,
     2048},
    {"blocks turned from both sides", "nvidia", "f32[2,64,70] f32[4,32,32]",
     "n2 = turn_blocks n0, n1 both=true : f32[2,64,70]\n return n2", 45824, 8960},
    {"blocks turned from one side", "nvidia", "f32[1,48,19] f32[3,16,16]",
     "n2 = turn_blocks n0, n1 both=false : f32[1,48,19]\n return n2", 3216, 912},
    {"columns reflected", "nvidia", "f32[2,37,8]", "n1 = panel_qr n0 : f32[2,45,8]\n return n1",
     592, 720},
    {"columns reflected", "lavapipe", "f32[2,37,8]", "n1 = panel_qr n0 : f32[2,45,8]\n return n1",
     592, 720},
    {"a Cholesky panel", "nvidia", "f32[2,24,24]",
     "n1 = panel_cholesky n0 inverse=false : f32[2,1,24,24]\n return n1", 600, 1152},
    {"a system", "nvidia", "f32[2,24,24] f32[2,24,5]",
     "n2 = triangular_solve n0, n1 left_side=true lower=true transform=\"none\" : f32[2,24,5]\n"
     " return n2",
     6000, 240},
    /* 5000 threads load the key and make an element of either half; the last makes one only */
    {"random numbers", "nvidia", NULL, "random_uniform_odd", 15000, 9999},
    {"random numbers", "lavapipe", NULL, "random_uniform_odd", 15000, 9999},
    /* an element and its place */
    {"a gather of rows", "nvidia", "f32[64,80] s32[32,1]",
     "n2 = gather n0, n1 axes=[0] : f32[32,80]\n return n2", 5120, 2560},
};

static void check_case(struct check *check, const struct loads_case *c)
{
    char text[4096], error[512], what[128];
    struct vkc_target target;
    struct vkc_result result = {0};
    struct arena a;
    struct graph g;
    struct diag d = {0};
    struct machine_counts counts = {0};
    uint64_t random = 42;
    snprintf(what, sizeof what, "%s, %s", c->name, c->target);
    if (!check_wanted(check, what))
        return;
    arena_init(&a, 0);
    const char *graph = text;
    char *json = NULL;
    size_t size = 0;
    if (c->params) {
        machine_graph_text(text, sizeof text, c->name, c->params, c->nodes, false);
        size = strlen(text);
    } else {
        snprintf(text, sizeof text, "test/graphs/%s.json", c->nodes);
        graph = json = read_file(text, &size);
    }
    const struct vkc_options options = {
        .target = &target, .text_ir = c->params != NULL, .no_cache = true, .threads = 1};
    bool ok = graph && machine_target(c->target, &target) &&
              (json ? import_json(&a, graph, size, NULL, 0, &g, &d)
                    : ir_parse(&a, graph, size, &g, &d)) &&
              vkc_compile(graph, size, NULL, 0, &options, &result);
    check_that(check, ok, "%s: %s%s", what, d.message, result.error.message);
    const void **in = arena_alloc(&a, 8, sizeof *in);
    void *out[2] = {NULL, NULL};
    for (uint32_t i = 0; ok && i < g.funcs[g.entry].nparams; i++) {
        struct array x = {g.funcs[g.entry].params[i], NULL};
        x.data = arena_alloc(&a, tensor_bytes(&x.tensor), 1);
        e2e_fill(&x, &random, false);
        in[i] = x.data;
    }
    const struct machine_options run = {.fma = true,
                                        .seed = 1,
                                        .subgroup_size = target.subgroup_size,
                                        .matrices = target.matrices,
                                        .counts = &counts};
    ok = ok && check_that(check,
                          machine_run(result.bundle, result.bundle_size, in, out, &run, error,
                                      sizeof error),
                          "%s: %s", what, error);
    check_that(check, !ok || (counts.loads == c->loads && counts.stores == c->stores),
               "%s: %llu loads and %llu stores, not %llu and %llu", what,
               (unsigned long long)counts.loads, (unsigned long long)counts.stores,
               (unsigned long long)c->loads, (unsigned long long)c->stores);
    free(out[0]);
    free(out[1]);
    free(json);
    vkc_result_free(&result);
    arena_finish(&a);
}

int main(int argc, char **argv)
{
    struct check check = {0};
    if (argc > 1)
        setenv("CASE", argv[1], 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&check, &cases[i]);
    return check_finish(&check);
}
