/* What is computed row by row, found for a plan that runs each row in a workgroup of its own. */
#ifndef VKC_INSTANCES_H
#define VKC_INSTANCES_H

#include "ir/ir.h"

/* Sets g->instances where the entry computes the rows of all its results each from rows of what it
   reads, and adds the function of one. False when out of memory. */
bool batch_instances(struct graph *g, struct diag *d);

/* The same of any function, `param` of an argument being one of its own; out->count is 0 where it
   is not so. The entry's instances are left as they are. */
bool batch_function(struct graph *g, uint32_t func, struct instances *out, struct diag *d);

#endif
