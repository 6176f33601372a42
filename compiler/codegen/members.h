/* Which nodes a kernel computes, and which values it loads: from its roots and heroes down to
   what is stored. */
#ifndef VKC_MEMBERS_H
#define VKC_MEMBERS_H

#include "codegen/unit.h"

struct members {
    node_id *nodes; /* computed, in the order in which they were met */
    uint32_t nnodes, cap_nodes;
    struct value *loads; /* the values that are loaded, without the reshapes around them */
    uint32_t nloads, cap_loads;
};

/* `m` is zero at first, and may be used again. False when out of memory. Marks the nodes, see
   members_has. */
bool members_of(struct unit *u, struct arena *a, const struct kernel *k, struct members *m);
/* Whether the kernel loads the value rather than computes it. */
bool members_loads(const struct unit *u, const struct kernel *k, struct value v);
/* Whether the kernel of the last members_of computes the node. */
static inline bool members_has(const struct unit *u, node_id id)
{
    return u->seen[id] == u->sight;
}
/* The nodes in the order of the graph. */
void members_sort(struct members *m);

#endif
