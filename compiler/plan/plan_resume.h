/* Workgroup programs that contain a loop of unknown length: a dispatch runs a portion of its
   rounds, and the next one resumes it. */
#ifndef VKC_PLAN_RESUME_H
#define VKC_PLAN_RESUME_H

#include "plan/planner.h"

/* The loop that is to run in portions: the only one of unknown length, or the only one at all.
   NULL if it is not one of the steps themselves, or there are several. */
struct task_step *plan_long_loop(const struct block *steps);

/* Of the flag of such a program, a u8. The host dispatches it until it finds RUN_ENDED, perhaps
   more often: then a dispatch does nothing. */
enum { RUN_ENDED, RUN_GOES_ON, RUN_BEGINS };

/* The program that a dispatch is to run: the steps up to `loop`, one of them, or the loading of
   what was saved; the loop; and if it has ended, the other steps, else the saving. *out_loop: the
   loop in it. */
bool plan_resumed(struct planner *b, const struct block *steps, const struct task_step *loop,
                  uint32_t flag, struct block *to, struct task_step **out_loop);

/* The dispatch in `program` as a step, again and again until it leaves 0 in `flag`. */
bool plan_again(struct planner *b, uint32_t flag, struct block *program, struct block *to);

#endif
