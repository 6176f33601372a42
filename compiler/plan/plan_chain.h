/* Small kernels one after another that compute rows from rows, as one dispatch. */
#ifndef VKC_PLAN_CHAIN_H
#define VKC_PLAN_CHAIN_H

#include "plan/plan_order.h"

/* More kernels than a layer has. */
enum { CHAIN_GIVEN_UP = 32 };

/* What is known of a function in which chains are looked for. */
struct chains {
    struct unit *u;
    const struct order *o;
    bool *taken;     /* by place in o->list: a chain has it already */
    uint32_t *state; /* by kernel: of those after the chain's first, twice their epoch, and */
    uint32_t epoch;  /* 1 where the kernel waits for one that is no part of the chain */
    uint32_t *uses;  /* by slot: kernels, control nodes and results that want the stored value */
    uint32_t *place; /* by slot: of a parameter of the chain that is tried, plus 1; else 0 */
    uint32_t *copy;  /* by node: its copy in the chain's function, plus 1; 1 where one is wanted */
    node_id *marked; /* nodes that have a copy, in their order */
    uint32_t nmarked;
    struct func given_up[CHAIN_GIVEN_UP]; /* the last ones: equal layers are tried once */
    uint32_t ngiven_up;                   /* of all */
};

/* NULL: out of memory. */
struct chains *plan_chains_of(struct planner *b, struct unit *u, const struct order *o);
/* Tries o->list[at] and kernels after it as one dispatch, which then are taken. */
bool plan_chain(struct planner *b, struct chains *x, uint32_t at, struct block *to);

#endif
