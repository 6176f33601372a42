/* The steps of loops, branches and callbacks. */
#ifndef VKC_PLAN_CONTROL_H
#define VKC_PLAN_CONTROL_H

#include "plan/planner.h"

/* The steps of a control node. */
bool plan_control(struct planner *b, struct unit *u, node_id id, struct block *to);
/* A while as the inside of a workgroup program that runs a portion of its rounds: it continues from
   the values in the node's buffers, writes those reached there, and sets `flag` if there is more to
   do. */
bool plan_portion(struct planner *b, struct unit *u, node_id id, uint32_t rounds, uint32_t flag,
                  struct block *to);

/* Whether `next` may be written over `old`: one kernel makes it, from the elements that it
   replaces and others, and no later step of the block wants the old value. */
bool plan_may_write_over(const struct plan *p, const struct block *block, uint32_t next,
                         uint32_t old);
bool plan_step_touches(const struct task_step *step, uint32_t buffer);
bool plan_touches(const struct block *block, uint32_t buffer);
/* Replaces one buffer by another in all steps, and in what the units know of their values. */
void plan_rename_buffer(struct block *block, uint32_t from, uint32_t to);

#endif
