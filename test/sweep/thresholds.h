/* The sizes at which a schedule changes: found by asking it. */
#ifndef SWEEP_THRESHOLDS_H
#define SWEEP_THRESHOLDS_H

#include "case.h"

/* The schedule is not the same at `size` as below it. */
struct sweep_threshold {
    uint32_t line; /* of the family */
    int64_t size;  /* of the dimension that grows */
};

struct sweep_thresholds {
    struct sweep_threshold *list;
    uint32_t count, cap;
    uint32_t plans; /* how many graphs were planned to find them */
};

/* Those of the family's lines on a target, and 2 for each line, since a size of 1 is like no
   other. The list is in the arena. */
bool thresholds_find(const struct sweep_family *f, const struct vkc_target *t, struct arena *a,
                     struct sweep_thresholds *out);

#endif
