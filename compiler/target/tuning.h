/* How code is cut for a target: what its profile says, and the numbers of its kind of device. The
   rest of the compiler asks for these, never for the kind. Knows no kernels. */
#ifndef VKC_TUNING_H
#define VKC_TUNING_H

#include <stdbool.h>
#include <stdint.h>

#include "vkc.h"

/* A way to cut a product: a workgroup's tile, of which each thread has a part. Where a thread has a
   tile alone, both are the same. */
struct product_tile {
    uint32_t m, n; /* results, rows and columns */
    uint32_t k;    /* of the sum, in shared memory at a time */
    uint32_t thread_m, thread_n;
    uint32_t least; /* tiles of this size that the product must have for it */
    /* for an element of k, on a processor that is busy with such tiles; 0: `least` alone decides */
    double ns;
};

/* Of a workgroup that shares a product of few rows or columns. */
enum { NARROW_THREADS = 256 };

/* A way to cut a product on matrix units: a workgroup's tile, of which each subgroup has a part. */
struct matrix_tile {
    uint32_t m, n;
    uint32_t k; /* of the sum, in shared memory at a time */
    uint32_t subgroup_m, subgroup_n;
    /* ns for an element of k: of a multiprocessor that has one such tile, and no less with any
       number of them; of one that has many, for each. */
    double alone, each;
    double begin; /* ns beside, whatever k is: the code on its way from memory */
};

struct tuning {
#define TUNING(type, name, cpu, gpu, unit, why) type name; /* see tuning.def */
#include "target/tuning.def"
    /* Of a thread, of all its loops together, after which the driver stops it without a word;
       UINT64_MAX: never. Mesa's CPU driver before 25 does so after 65,535. */
    uint64_t loop_iterations;
    uint32_t spirv; /* version of modules, as their headers have it */
    /* Subgroups of 64 threads: which is AMD, whose compiler takes twice the registers for integer
       products as for those of floats, which are one instruction (test/radv). */
    bool wide_waves;
    /* Subgroups of 32 that ballot and add up, or what 32 threads of a workgroup do instead. */
    enum lanes { LANES_NONE, LANES_SUBGROUP, LANES_EMULATED } lanes;
    /* The class of devices that code cut by these numbers is for. A CPU's subgroups are as wide
       as its registers, and no schedule asks for them. */
    bool for_cpus;
    uint32_t for_subgroups;           /* their size; 0: any */
    const struct product_tile *tiles; /* largest first; the last one has no least */
    uint32_t ntiles;
    const struct product_tile *f64_tiles; /* in shared memory, in the same order */
    uint32_t nf64_tiles;
    struct product_tile few_tile; /* in shared memory, for f32 with fewer tiles than product_few */
    const struct matrix_tile *matrix_tiles; /* in the same order */
    uint32_t nmatrix_tiles;
    const struct matrix_tile *split_tiles; /* for f32 */
    uint32_t nsplit_tiles;
    const struct matrix_tile
        *reduced_tiles; /* for f32 whose rows are reduced where they are made */
    uint32_t nreduced_tiles;
    uint32_t processors; /* that the device has, or those that the numbers here are of */
};

void tuning_of(const struct vkc_target *target, struct tuning *out);

#endif
