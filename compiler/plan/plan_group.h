/* Which steps become a workgroup program: limits, and an estimate of what is faster. */
#ifndef VKC_PLAN_GROUP_H
#define VKC_PLAN_GROUP_H

#include "passes/instances.h"
#include "plan/planner.h"

/* Tries the control node as one dispatch. out_done: whether `to` has it; else the host steers
   it. */
bool plan_group_node(struct planner *b, struct unit *u, node_id id, struct block *to,
                     bool *out_done);
/* Tries the instances of a function whose parameters and results are those buffers, and which
   stands for `chained` kernels, as workgroups of one dispatch. */
bool plan_group_rows(struct planner *b, const struct instances *in, const uint32_t *params_of,
                     const uint32_t *results_of, uint32_t chained, const char *name,
                     struct block *to, bool *out_done);
/* Tries the whole entry function. */
bool plan_group_entry(struct planner *b, const uint32_t *params, const uint32_t *results,
                      struct block *to, bool *out_done);

#endif
