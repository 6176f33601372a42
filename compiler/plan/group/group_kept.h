/* What gangs have computed, kept in variables for later phases of the same round that would compute
   it again. */
#ifndef VKC_GROUP_KEPT_H
#define VKC_GROUP_KEPT_H

#include "plan/group/group_gang.h"
#include "plan/plan_steps.h"

struct kept_single {
    const struct unit *unit; /* whose value it is */
    struct single single;
};

struct kept {
    struct arena *arena;
    struct kept_single *list; /* that the next phase may use */
    uint32_t n, cap;
    uint32_t made; /* so far: for their names */
    struct str locals;
};

void kept_init(struct kept *k, struct arena *a);
/* Those of the unit, in `out`; their number. UINT32_MAX when out of memory. */
uint32_t kept_of(const struct kept *k, const struct unit *u, struct single **out);
/* Adds those that steps of `b` from `next` on may ask for, and the statements that keep them to
   `text`, a line each. False when out of memory. */
bool kept_add(struct kept *k, const struct group *g, struct unit *u, const struct gangs *from,
              const struct block *b, uint32_t next, struct str *text);

#endif
