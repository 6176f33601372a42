/* Copies that are dispatches. */
#ifndef VKC_PLAN_COPY_H
#define VKC_PLAN_COPY_H

#include "plan/planner.h"

/* The copy becomes a dispatch. */
bool plan_copy_kernel(struct planner *b, struct task_step *step);
/* Copies that name inputs or outputs become dispatches. */
bool plan_tensor_copies(struct planner *b, struct block *block);

#endif
