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

#endif
