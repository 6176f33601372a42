/* Copies that need not be. */
#ifndef VKC_PLAN_DROP_H
#define VKC_PLAN_DROP_H

#include "plan/planner.h"

/* Values that are made only to be copied are made where they are copied to. */
bool plan_drop_copies(struct planner *b, struct block *block);

#endif
