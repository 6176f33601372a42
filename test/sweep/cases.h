/* Which cases there are: sizes from the schedules, everything else pairwise. */
#ifndef SWEEP_CASES_H
#define SWEEP_CASES_H

#include "case.h"

enum { TENTHS = 10 };

struct listed {
    struct sweep_case c;
    uint8_t tenth;              /* of the whole that it belongs to: from its name */
    bool always;                /* runs with every tenth */
};

struct cases {
    struct listed *list;
    uint32_t count, cap;
    uint32_t plans, points, classes;    /* what was planned to find thresholds; sizes; groups of profiles with the same */
};

/* All cases of one family for the profiles, appended. The list is in the arena. */
bool cases_of(const struct sweep_family *f, const struct profiles *p, struct arena *a, struct cases *out);

#endif
