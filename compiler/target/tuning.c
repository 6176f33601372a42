/* The tuning of a target: its column of tuning.def, and what its profile changes. */
#include "target/tuning.h"

#include "runtime/bundle.h"

static const struct tuning cpu = {
#define TUNING(type, name, cpu, gpu, unit, why) .name = cpu,
#include "target/tuning.def"
};

static const struct tuning gpu = {
#define TUNING(type, name, cpu, gpu, unit, why) .name = gpu,
#include "target/tuning.def"
};

/* Larger tiles use each operand more often; smaller ones make more workgroups. */
static const struct product_tile shared_tiles[] = {
    {128, 128, 8, 8, 8, 120, 0},
    {128, 64, 16, 8, 8, 100, 0},
    {64, 64, 16, 4, 4, 64, 0},
    {32, 32, 32, 2, 2, 0, 0},
};
/* Half of the code takes LLVM 19 half the time, a second for 64 sums of f64. It costs a product of
   512 rows of f64 a tenth, and small ones up to 0.05 ms. */
static const struct product_tile register_tiles[] = {{8, 8, 1, 8, 8, 2048, 0},
                                                     {8, 4, 1, 8, 4, 0, 0}};

/* The sums of the first take half of a thread's registers, so a processor has one workgroup. The
   times are those of an H200. */
static const struct product_tile f64_tiles[] = {
    {128, 128, 8, 8, 8, 0, 230},
    {64, 64, 16, 8, 4, 64, 63},
    {32, 32, 32, 2, 2, 0, 0},
};
/* A result a thread: where there are few, the time is that of one loop over k, and more workgroups
   share what is loaded. */
static const struct product_tile few_tile = {16, 16, 64, 1, 1, 0, 0};

/* Of f16 and bf16. The times are those of an H200, of products that have all of their rows or
   columns in one tile, so that the other operand comes from memory. Larger parts of a subgroup
   spill registers. */
static const struct matrix_tile matrix_tiles[] = {
    {128, 128, 32, 64, 64, 26.0, 15.3, 0},
    {128, 128, 64, 64, 32, 18.0, 16.8, 0},
    {64, 64, 64, 32, 32, 13.8, 6.6, 0},
    {64, 64, 32, 32, 32, 25.0, 6.6, 0}, /* in 16 KB of shared memory, the least that Vulkan has */
    {128, 32, 64, 32, 32, 16.7, 9.2, 0},
    {32, 128, 64, 32, 32, 15.9, 8.4, 0},
};

/* The same for f32, which takes twice the memory and registers. The times are those of an H200.
   Many small parts of subgroups have the least code, and hide what they wait for. */
static const struct matrix_tile split_tiles[] = {
    {128, 128, 32, 64, 32, 43, 43, 5300},
    {64, 128, 32, 32, 32, 31, 31, 4800},
    {64, 64, 32, 32, 16, 23, 17.5, 2400},
    {64, 64, 32, 32, 32, 26, 19, 2600}, /* in 24 KB of shared memory */
    {32, 64, 64, 16, 16, 16, 11.2, 2400},
    {64, 32, 64, 16, 16, 16, 11.2, 2400},
    {16, 64, 64, 16, 16, 15.9, 7.9, 2400}, /* one matrix, for products of so few rows or columns */
    {64, 16, 64, 16, 16, 15.9, 7.9, 2400},
};

/* Of f32, where rows are reduced in the product's kernel: what lies in shared memory beside it
   leaves no room for the largest. The times are those of an H200, of 64 elements of k. */
static const struct matrix_tile reduced_tiles[] = {
    {128, 64, 32, 64, 32, 29, 29, 0},
    {64, 64, 32, 32, 32, 20.2, 20.2, 0},
};

/* Iterations that such a driver makes, and those that workgroup programs are given, whose count is
   an estimate. */
enum { STOPPED_AFTER = 65535, COUNTED_ON = 60000 };
enum { TUNED_UNITS = 132 }; /* of an H200 */
enum { WIDE_WAVE = 64, WIDE_ROW_THREADS = 512 };
enum {
    WIDE_NARROW_MOST = 4
}; /* with 8 rows RADV of Mesa 22.3 spills 17 to 72 registers of gfx1100 */

static void stop_loops(struct tuning *t)
{
    t->loop_iterations = STOPPED_AFTER;
    t->portion_iterations = COUNTED_ON;
    t->dispatch_iterations = COUNTED_ON;
}

static enum lanes lanes_of(const struct vkc_target *t)
{
    if (t->emulated & VKB_FEATURE_BALLOT_32)
        return LANES_EMULATED;
    const uint32_t need = VKB_FEATURE_BALLOT_32 | VKB_FEATURE_SUBGROUP_ARITHMETIC;
    return !(need & ~t->features) ? LANES_SUBGROUP : LANES_NONE;
}

void tuning_of(const struct vkc_target *target, struct tuning *out)
{
    *out = target->cpu ? cpu : gpu;
    out->tiles = out->product_in_shared ? shared_tiles : register_tiles;
    out->ntiles = out->product_in_shared ? sizeof shared_tiles / sizeof *shared_tiles
                                         : sizeof register_tiles / sizeof *register_tiles;
    out->f64_tiles = f64_tiles;
    out->nf64_tiles = sizeof f64_tiles / sizeof *f64_tiles;
    out->few_tile = few_tile;
    out->matrix_tiles = matrix_tiles;
    out->nmatrix_tiles = sizeof matrix_tiles / sizeof *matrix_tiles;
    out->split_tiles = split_tiles;
    out->nsplit_tiles = sizeof split_tiles / sizeof *split_tiles;
    out->reduced_tiles = reduced_tiles;
    out->nreduced_tiles = sizeof reduced_tiles / sizeof *reduced_tiles;
    out->spirv = target->spirv ? target->spirv : 0x00010300;
    out->loop_iterations = UINT64_MAX;
    if (target->loop_limit)
        out->texel_elements = 0;
    out->processors = target->units ? target->units : TUNED_UNITS;
    out->product_few = out->product_few * out->processors / TUNED_UNITS;
    out->narrow_tiles = out->narrow_tiles * out->processors / TUNED_UNITS;
    out->narrow_full = out->narrow_full * out->processors / TUNED_UNITS;
    out->matrix_split_tiles = out->matrix_split_tiles * out->processors / TUNED_UNITS;
    if (out->reduced_rows < INT64_MAX)
        out->reduced_rows = out->reduced_rows * out->processors / TUNED_UNITS;
    out->matrix_group_tiles = out->matrix_group_tiles * out->processors / TUNED_UNITS;
    if (target->max_invocations < NARROW_THREADS)
        out->narrow_most = 0;
    if (target->loop_limit)
        stop_loops(out);
    out->lanes = lanes_of(target);
    if (!out->lanes)
        out->ranked_tile = INT64_MAX;
    out->for_cpus = target->cpu;
    out->for_subgroups = !target->cpu && target->subgroup_size > 1 ? target->subgroup_size : 0;
    out->wide_waves = target->subgroup_size >= WIDE_WAVE;
    if (out->wide_waves && out->most_row_threads > WIDE_ROW_THREADS)
        out->most_row_threads = WIDE_ROW_THREADS;
    if (out->wide_waves && out->narrow_most > WIDE_NARROW_MOST)
        out->narrow_most = WIDE_NARROW_MOST;
    if (out->matrix_few > out->narrow_most)
        out->matrix_few = out->narrow_most;
    if (out->matrix_split_few > out->narrow_most)
        out->matrix_split_few = out->narrow_most;
}
