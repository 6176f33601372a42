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

/* The largest power of two up to n and `most`; the smallest from n on, at most `most`, itself one. */
uint32_t schedule_floor(int64_t n, uint32_t most);
uint32_t schedule_ceil(int64_t n, uint32_t most);
/* So many workgroups, in rows. */
void schedule_spread(struct kernel *k, int64_t groups);
/* Whether the target has waves of 64, which change what fits into registers. */
bool schedule_wide_waves(const struct vkc_target *t);
/* `most_unroll`: how many elements of a row may stand in straight code, at most 16. */
void schedule_kernel(const struct unit *u, struct kernel *k, uint32_t most_unroll);

#endif
