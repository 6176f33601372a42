/* The making of a plan: what its files share, and what plan.c does for the others. */
#ifndef VKC_PLANNER_H
#define VKC_PLANNER_H

#include "plan/plan_steps.h"

struct planner {
    struct plan *plan;
    const struct vkc_options *options;
    struct diag *diag;
    uint32_t depth;
    uint32_t workgroup; /* threads of the workgroup program that is being tried, or 0 */
    uint32_t inside;    /* then: buffers from this one on are its own */

    /* ---- plan_touch.c; by buffer, for ntouches of them ---- */
    struct touch *touches;
    uint32_t *stands_in; /* who stands for it; itself: nobody */
    uint32_t *replaced;  /* those that somebody stands for */
    uint32_t ntouches, nreplaced;
    uint32_t visit, naming; /* count the blocks that were noted, and the renamings */
};

/* The steps of a function: parameters are in, and results go to, the given buffers (NO_INDEX: not
   wanted). */
bool plan_func(struct planner *b, uint32_t func, const uint32_t *params, const uint32_t *results,
               struct block *to, bool entry);
uint32_t plan_buffer_of(struct planner *b, struct unit *u, struct value v);
uint32_t plan_new_buffer(struct planner *b, enum plan_buffer_kind kind, uint32_t index,
                         const struct tensor *t, const char *name);
struct plan_step *plan_new_step(struct planner *b, struct block *to, enum plan_step_kind kind,
                                uint32_t nbuffers);
/* Whether the kernel may write `result`, a buffer, over what it reads at `binding`: each thread
   reads just the elements that it replaces, and before it does. */
bool plan_replaces(const struct unit *u, const struct kernel *k, uint32_t result, uint32_t binding);
bool plan_copy_step(struct planner *b, struct block *to, uint32_t from_buffer, uint32_t to_buffer);
uint32_t plan_add_kernel(struct planner *b, const struct kernel *k); /* NO_INDEX: out of memory */

#endif
