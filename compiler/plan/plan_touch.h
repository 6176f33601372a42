/* Which steps touch which buffers, and buffers that take another's place. What is asked of every
   copy, or of every value that a loop carries, is looked up: walking the steps each time would
   make planning grow with the square of the graph. */
#ifndef VKC_PLAN_TOUCH_H
#define VKC_PLAN_TOUCH_H

#include "plan/planner.h"

/* Where a block touches a buffer: steps of the block, which may do so in the ranges below them. */
struct touch {
    uint32_t visit; /* of which block this is told: that of planner.visit, or it is old */
    uint32_t first, last;
    uint32_t bindings; /* of the block's own steps */
};

bool plan_step_touches(const struct task_step *step, uint32_t buffer);
bool plan_touches(const struct block *block, uint32_t buffer);

/* Forgets what was noted, and makes room for the buffers that there are. If some were added since,
   none may stand for another. */
bool plan_note_none(struct planner *b);
/* Notes what the block's step `index` touches; steps are noted in their order. */
void plan_note(struct planner *b, const struct task_step *step, uint32_t index);
/* Where the noted steps touch the buffer; NULL: nowhere. */
struct touch *plan_touch(struct planner *b, uint32_t buffer);
/* Forgets the rest and notes a whole block. */
bool plan_note_block(struct planner *b, const struct block *block);

/* Whether `next` may be written over `old`: one kernel makes it, from the elements that it
   replaces and others, and no later step of the block, which is noted, wants the old value. */
bool plan_may_write_over(struct planner *b, const struct block *block, uint32_t next, uint32_t old);

/* From now on `to` stands for `from`; in the steps when plan_rename comes to them. The buffers were
   there when steps were noted last. */
void plan_stands_for(struct planner *b, uint32_t to, uint32_t from);
uint32_t plan_name(const struct planner *b, uint32_t buffer);
/* Replaces buffers by those that stand for them, in all steps and in what the units know of their
   values, and forgets who stands for whom. */
void plan_rename(struct planner *b, struct block *block);

/* Has the block make a small result that its steps read again in a buffer of its own, which is
   copied there at its end. */
bool plan_read_inside(struct planner *b, struct block *block, uint32_t result,
                      const struct tensor *t);

#endif
