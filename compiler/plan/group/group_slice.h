/* Phases that write a slice over part of a value that stays where it is: only the slice is gone
   through. */
#ifndef VKC_GROUP_SLICE_H
#define VKC_GROUP_SLICE_H

#include "codegen/family/family.h"
#include "plan/group/group_hazards.h"
#include "plan/plan_steps.h"

struct slice {
    int64_t count;  /* elements, one after another in memory; 0: the phase is no such one */
    uint32_t start; /* buffer of its place along the first axis */
    enum vkc_type type;
    int64_t most; /* that this is */
    int64_t row;  /* elements of one more along that axis */
};

/* What of its value the phase `p` of the step writes. */
struct slice group_slice(const struct group *g, const struct task_step *t, const struct phase *p);
/* The same to those who order accesses. */
struct row_write group_row_write(const struct group *g, const struct task_step *t);
/* Whether a step of the block, or of one in it, touches what such a write has written otherwise. */
bool group_touches_row(const struct group *g, const struct block *b, struct row_write rows);
/* The element, of all, at which it begins. */
const char *group_slice_begin(const struct group *g, const struct slice *s);

#endif
