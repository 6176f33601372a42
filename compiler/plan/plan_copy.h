/* Copies that are dispatches. */
#ifndef VKC_PLAN_COPY_H
#define VKC_PLAN_COPY_H

#include "plan/planner.h"

/* How many steps from `first`, a copy, on are copies that one dispatch can make. */
uint32_t plan_copies_together(const struct plan *p, const struct block *block, uint32_t first);
/* The copy, and the n - 1 after it, become a dispatch. */
bool plan_copy_kernel(struct planner *b, struct task_step *first, uint32_t n);
/* Copies that name inputs or outputs become dispatches. */
bool plan_tensor_copies(struct planner *b, struct block *block);

#endif
