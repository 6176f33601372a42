/* How a kernel is spread over threads. */
#ifndef VKC_SCHEDULE_H
#define VKC_SCHEDULE_H

#include "codegen/unit.h"

/* `most_unroll`: how many elements of a row may stand in straight code, at most 16. */
void schedule_kernel(const struct unit *u, struct kernel *k, uint32_t most_unroll);
/* Whether a matrix product is worth tiles, or does better as a row program. */
bool schedule_wants_tiles(const struct vkc_target *t, int64_t batch, int64_t m, int64_t n, int64_t k);

#endif
