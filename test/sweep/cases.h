/* Which cases there are: sizes from the schedules, everything else pairwise. */
#ifndef SWEEP_CASES_H
#define SWEEP_CASES_H

#include "case.h"

struct listed {
    struct sweep_case c;
    uint64_t hash; /* of its name: says which part of the whole it belongs to */
    bool always;   /* belongs to every part */
};

struct cases {
    struct listed *list;
    uint32_t count, cap;
    /* what was planned to find them; groups of profiles with the same */
    uint32_t plans, thresholds, classes;
};

uint64_t cases_hash(const char *name);

/* All cases of one family for the profiles, appended. The list is in the arena. */
bool cases_of(const struct sweep_family *f, const struct profiles *p, struct arena *a,
              struct cases *out);

#endif
