/* Control flow that the device steers. */
#ifndef VKC_PLAN_DEVICE_H
#define VKC_PLAN_DEVICE_H

#include "plan/planner.h"

/* Loops and branches of a complete plan that do not call the host become steps that the device
   steers. */
bool plan_on_device(struct planner *b, struct block *block);

/* A dispatch that sets `flag`, a word of its own. */
bool plan_set_flag(struct planner *b, uint32_t flag, uint32_t value, struct block *to);

#endif
