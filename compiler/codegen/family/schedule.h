/* How a kernel is spread over threads. */
#ifndef VKC_SCHEDULE_H
#define VKC_SCHEDULE_H

#include "codegen/unit.h"

/* Elements of a thread that make one access of 16 bytes; in a row that is worth more than having a
   few loads per thread. */
enum { LANES = 4, LONG_ENOUGH = 256 };

static inline uint32_t min32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The largest power of two up to n and `most`; the smallest one not below n, but at most `most`,
   itself a power of two. */
uint32_t schedule_floor(int64_t n, uint32_t most);
uint32_t schedule_ceil(int64_t n, uint32_t most);
/* So many workgroups, in rows. */
void schedule_spread(struct kernel *k, int64_t groups);
/* `most_unroll`: how many elements of a row may stand in straight code, at most 16. */
void schedule_kernel(const struct unit *u, struct kernel *k, uint32_t most_unroll);

#endif
