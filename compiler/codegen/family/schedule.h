/* How a kernel is spread over threads. */
#ifndef VKC_SCHEDULE_H
#define VKC_SCHEDULE_H

#include "codegen/unit.h"

/* Why these numbers: a workgroup of 256 fills the schedulers of every desktop GPU; 32,768 threads are
   what a large one needs to be busy; four elements a thread make 16-byte accesses. On a CPU driver a
   barrier is a loop over all invocations and shared memory is plain memory: one thread a row. There a
   workgroup runs on one core, eight invocations as a vector: few rows go to small groups. */
enum { WIDE_GROUP = 256, CPU_GROUP = 64, CPU_LANES = 8, CPU_CORES = 16, BUSY_THREADS = 32768, LANES = 4, ROW_CAP = 1024, LONG_ENOUGH = 256 };

static inline uint32_t min32(uint32_t a, uint32_t b) { return a < b ? a : b; }

static inline uint32_t floor_power(int64_t n, uint32_t most)
{
    uint32_t p = 1;
    while (p * 2 <= most && (int64_t)p * 2 <= n)
        p *= 2;
    return p;
}

static inline uint32_t ceil_power(int64_t n, uint32_t most)
{
    uint32_t p = 1;
    while (p < most && (int64_t)p < n)
        p *= 2;
    return p;
}

static inline void spread(struct kernel *k, int64_t groups)
{
    /* rows of at most 32,768, within every device's 65,535 a dimension, and as even as can be, so that few groups find
       nothing to do */
    k->groups[1] = (uint32_t)((groups + 32767) / 32768);
    k->groups[0] = (uint32_t)((groups + k->groups[1] - 1) / k->groups[1]);
    k->groups[2] = 1;
}

/* Waves of 64 are AMD's. There 1024 threads leave 64 registers each before RDNA, too few for rows of f64; and its
   compiler takes twice the registers for integer products as for those of floats, which are one instruction
   (test/radv). */
static inline bool has_wide_waves(const struct vkc_target *t) { return t->subgroup_size >= 64; }

/* `most_unroll`: how many elements of a row may stand in straight code, at most 16. */
void schedule_kernel(const struct unit *u, struct kernel *k, uint32_t most_unroll);

#endif
