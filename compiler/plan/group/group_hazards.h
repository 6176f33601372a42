/* What the threads of a workgroup program have touched since their last barrier, and whether a step
   may follow without another. */
#ifndef VKC_GROUP_HAZARDS_H
#define VKC_GROUP_HAZARDS_H

#include "plan/group/group.h"

struct touched {
    struct arena *arena;
    uint32_t *buffers;
    uint8_t *access; /* vkb_access of each */
    uint32_t n, cap, cap2;
    bool parts; /* the arrays of partial results */
};

/* Whether the step touches what another thread may have written since the last barrier, or writes
   what one may still read. `parts`: whether it uses the arrays of partial results. */
bool touched_meets(const struct group *g, const struct touched *since, const struct plan_step *s,
                   bool parts);
/* Adds what the step touches. False when out of memory, as in the others. */
bool touched_add(const struct group *g, struct touched *since, const struct plan_step *s,
                 bool parts);
/* Adds what another list has. */
bool touched_join(const struct group *g, struct touched *since, const struct touched *other);
bool touched_copy(struct arena *a, const struct touched *from, struct touched *to);
/* A barrier: nothing is touched any more. False if nothing was, so that none is needed. */
bool touched_clear(struct touched *since);

#endif
