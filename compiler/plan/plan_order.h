/* In which order the kernels and control nodes of a function run. */
#ifndef VKC_PLAN_ORDER_H
#define VKC_PLAN_ORDER_H

#include "plan/planner.h"

/* A task is a kernel (index below nkernels) or a control node (nkernels + node). */
struct order {
    struct unit *u;
    uint32_t ntasks;
    uint32_t *level; /* by task: longest path from the start; NO_INDEX: no task */
    uint32_t *list;  /* tasks in order */
    uint32_t nlist;
};

/* Orders that data alone would allow, but that are forbidden: a kernel that overwrites an input
   runs after the others that read it, and effects keep the order of nodes. */
struct edge {
    uint32_t before, after;
};
struct edges {
    struct edge *list;
    uint32_t n, cap;
};

/* An edge more. False with a diagnostic. */
bool order_add(struct planner *b, struct edges *e, uint32_t before, uint32_t after);
/* What calls the host, itself or in a region, one after the other. */
bool order_effects(struct planner *b, const struct unit *u, struct edges *e);
/* Fills `o`. Sets `out_cycle` if there is no order, because some tasks wait for each other. */
bool order_tasks(struct planner *b, struct unit *u, const struct edge *extra, uint32_t nextra,
                 struct order *o, bool *out_cycle);

#endif
