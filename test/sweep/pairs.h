/* Rows that cover all pairs: every value of a dimension together with every value of every
   other. */
#ifndef SWEEP_PAIRS_H
#define SWEEP_PAIRS_H

#include "base/arena.h"

enum { MOST_DIMS = 8 };

struct pairs {
    uint32_t ndims, size[MOST_DIMS];
    /* Whether there is such a row. Pairs that are in none are left out. */
    bool (*is_valid)(const void *context, const uint32_t *row);
    const void *context;
    uint64_t seed;
};

struct rows {
    uint32_t (*row)[MOST_DIMS];
    uint32_t count, cap, impossible;
};

/* Greedy, and the same for the same seed. */
bool pairs_cover(const struct pairs *p, struct arena *a, struct rows *out);

#endif
