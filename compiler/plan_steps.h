/* Steps in the making, for plan.c and the files of the workgroup program: a tree in which a region's steps
   hang below the step that runs them. plan.c flattens it when it is complete. */
#ifndef VKC_PLAN_STEPS_H
#define VKC_PLAN_STEPS_H

#include "plan.h"
#include "trips.h"

struct block {
    struct task_step *steps;
    uint32_t nsteps, cap_steps;
};

struct task_step {
    struct plan_step step;
    struct block *range[2];
    struct unit *unit;          /* DISPATCH: whose kernel it is */
    struct trips trips;         /* WHILE */
    uint32_t portion;           /* WHILE in a workgroup program: it stops after so many rounds; 0: it does not */
};

struct build {
    struct plan *plan;
    const struct vkc_options *options;
    struct diag *diag;
    uint32_t depth;
    uint32_t workgroup;         /* threads of the workgroup program that is being tried, or 0 */
    uint32_t inside;            /* then: buffers from this one on are its own */
};

/* ---- plan.c ---- */
/* The steps of a function: parameters are in, results go to, the given buffers (PLAN_NONE: not wanted). */
bool plan_func(struct build *b, uint32_t func, const uint32_t *params, const uint32_t *results, struct block *to, bool entry);
uint32_t plan_buffer_of(struct build *b, struct unit *u, struct value v);
uint32_t plan_new_buffer(struct build *b, enum plan_buffer_kind kind, uint32_t index, const struct tensor *t, const char *name);
struct plan_step *plan_new_step(struct build *b, struct block *to, enum plan_step_kind kind, uint32_t nbuffers);
/* Whether the kernel may write `result`, a buffer, over what it reads at `binding`: each thread reads just the
   elements that it replaces, and before it does. */
bool plan_replaces(const struct unit *u, const struct kernel *k, uint32_t result, uint32_t binding);
bool plan_copy_step(struct build *b, struct block *to, uint32_t from_buffer, uint32_t to_buffer);
uint32_t plan_add_kernel(struct build *b, const struct kernel *k);  /* PLAN_NONE: out of memory */

/* ---- plan_control.c ---- */
/* The steps of a control node. */
bool plan_control(struct build *b, struct unit *u, node_id id, struct block *to);
/* A while as the inside of a workgroup program that makes a portion of its rounds: goes on from the values in
   the node's buffers, puts those reached there, and in `flag` whether there is more to do. */
bool plan_portion(struct build *b, struct unit *u, node_id id, uint32_t rounds, uint32_t flag, struct block *to);

/* Whether `next` may be written over `old`: one kernel makes it, from the elements that it replaces and
   others, and no later step of the block wants the old value. */
bool plan_may_write_over(const struct plan *p, const struct block *block, uint32_t next, uint32_t old);
bool plan_touches(const struct block *block, uint32_t buffer);
/* Puts one buffer in the place of another in all steps, and in what the units know of their values. */
void plan_rename_buffer(struct block *block, uint32_t from, uint32_t to);

/* ---- plan_device.c ---- */
/* Loops and branches of a complete plan that call nobody become steps that the device steers. */
bool plan_on_device(struct build *b, struct block *block);

/* ---- plan_copy.c ---- */
/* The copy becomes a dispatch. */
bool plan_copy_kernel(struct build *b, struct task_step *step);
/* Copies that name inputs or outputs become dispatches. */
bool plan_tensor_copies(struct build *b, struct block *block);

/* ---- plan_group.c ---- */
/* Tries the control node as one dispatch. out_done: whether `to` has it; else the host steers it. */
bool plan_group_node(struct build *b, struct unit *u, node_id id, struct block *to, bool *out_done);
/* Tries the whole entry function. */
bool plan_group_entry(struct build *b, const uint32_t *params, const uint32_t *results, struct block *to, bool *out_done);

#endif
