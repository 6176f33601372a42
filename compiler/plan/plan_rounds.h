/* What turns the values that a round of a loop has made into those that the next one reads. */
#ifndef VKC_PLAN_ROUNDS_H
#define VKC_PLAN_ROUNDS_H

#include "plan/planner.h"

/* Whether two rounds of a loop are worth being written out, so that its carried values change
   places. */
bool plan_changes_places(const struct task_step *loop);
/* The loop with copies at the end of its body. */
bool plan_copy_changes(struct planner *b, struct task_step *loop);
/* The loop once more, with buffers of its own in place of those that its rounds have to
   themselves. If `swapped`, carried values are in each other's places: it reads `next` and leaves
   `old`. */
bool plan_clone_loop(struct planner *b, const struct task_step *loop, bool swapped,
                     struct task_step *out);

#endif
