/* Steps in the making, for plan.c and the files of the workgroup program: a tree in which a
   region's steps hang below the step that runs them. plan.c flattens it when it is complete. */
#ifndef VKC_PLAN_STEPS_H
#define VKC_PLAN_STEPS_H

#include "plan/plan.h"
#include "ir/trips.h"

struct block {
    struct task_step *steps;
    uint32_t nsteps, cap_steps;
};

/* Buffers of a value that a loop carries: a round reads `old` and leaves what the next one reads in
   `next`. */
struct change {
    uint32_t old, next;
    bool is_wanted; /* after the loop */
};

struct task_step {
    struct plan_step step;
    struct block *range[2];
    struct unit *unit;  /* DISPATCH: whose kernel it is */
    struct trips trips; /* WHILE */
    /* WHILE in a workgroup program: it stops after that many rounds; 0: it does not */
    uint32_t portion;
    /* IF in a workgroup program: its predicate must have just that value; 0: any other than 0 */
    uint32_t equals;
    /* WHILE: what a round does not write over, and the buffers, first to end - 1, that its rounds
       have to themselves */
    struct change *changes;
    uint32_t nchanges, own_first, own_end;
};

#endif
