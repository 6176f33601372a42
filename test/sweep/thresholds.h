/* The sizes at which a schedule changes: found by asking it. */
#ifndef SWEEP_THRESHOLDS_H
#define SWEEP_THRESHOLDS_H

#include "case.h"

struct sweep_point {
    uint32_t line;              /* of the family */
    int64_t size;               /* of the dimension that grows */
};

struct sweep_points {
    struct sweep_point *list;
    uint32_t count, cap;
    uint32_t plans;             /* how many graphs were planned to find them */
};

/* All sizes just below, at and just above a threshold of the family's lines on a target, and the smallest ones. The
   list is in the arena. */
bool thresholds_find(const struct sweep_family *f, const struct vkc_target *t, struct arena *a, struct sweep_points *out);

#endif
