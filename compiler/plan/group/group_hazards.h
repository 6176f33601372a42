/* What the threads of a workgroup program have touched since their last barrier, and whether a step
   may follow without another. */
#ifndef VKC_GROUP_HAZARDS_H
#define VKC_GROUP_HAZARDS_H

#include "plan/group/group.h"

/* A step that writes one row of a buffer, thread i its element i. Two such writes of a buffer are
   in order in any case, since an element is always one thread's. */
struct row_write {
    uint32_t buffer, row; /* elements of a row; 0: the step is no such one */
};

struct touch {
    uint32_t buffer, row; /* of a row_write, or 0 */
    uint8_t access;       /* vkb_access */
};

struct touched {
    struct arena *arena;
    struct touch *list;
    uint32_t n, cap;
    bool parts; /* the arrays of partial results */
};

/* Whether the step touches what another thread may have written since the last barrier, or writes
   what one may still read. `parts`: whether it uses the arrays of partial results. */
bool touched_meets(const struct group *g, const struct touched *since, const struct plan_step *s,
                   struct row_write rows, bool parts);
/* Whether it so touches rows of a buffer. */
bool touched_meets_rows(const struct group *g, const struct touched *since,
                        const struct plan_step *s, struct row_write rows);
/* Adds what the step touches. False when out of memory, as in the others. */
bool touched_add(const struct group *g, struct touched *since, const struct plan_step *s,
                 struct row_write rows, bool parts);
/* Adds what another list has. */
bool touched_join(const struct group *g, struct touched *since, const struct touched *other);
bool touched_copy(struct arena *a, const struct touched *from, struct touched *to);
/* Whether a barrier must be one of buffers, too. Not for rows: those are waited for where something
   else touches their buffer. */
bool touched_buffers(const struct group *g, const struct touched *since);
/* A barrier, of buffers or not: nothing is touched any more, but rows that the latter leaves.
   False if nothing else was, so that none is needed. */
bool touched_clear(const struct group *g, struct touched *since, bool buffers);
/* Drops all but rows, which a round of a loop leaves to the next, to what was there at its end. */
bool touched_rows(const struct group *g, struct touched *at_end, const struct touched *round);

#endif
