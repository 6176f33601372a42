/* How often a while runs, as far as its graph shows. Knows nothing of plans. */
#ifndef VKC_TRIPS_H
#define VKC_TRIPS_H

#include "ir/ir.h"

struct trips {
    int64_t most; /* rounds; -1: no bound is known */
    bool exact;   /* and no fewer */
};

/* Of the while `id` of a function: from counters that grow by a constant to a limit that is a
   constant, or bounded itself, such as the counter of a loop around it. */
struct trips trips_of(const struct graph *g, uint32_t func, node_id id);
/* Whether a while hands output i on as it is in every round. */
bool trips_unchanged(const struct graph *g, const struct node *n, uint32_t i);

#endif
