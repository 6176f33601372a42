/* The interpreter's results for one set of inputs: as many samples of perturb_run as what they are
   compared with has needed so far. Few are enough for nearly everything, and each costs a run of
   the whole graph. More samples only widen a bound, so where fewer are enough, the answer is that
   of all of them. */
#ifndef E2E_PERTURB_SAMPLES_H
#define E2E_PERTURB_SAMPLES_H

#include "perturb.h"

struct perturb_samples {
    const struct graph *graph;
    struct arena *arena; /* of the samples; finished by whoever made it */
    const struct array *inputs;
    struct perturb_kept kept;
    uint32_t most; /* samples there may be */
    uint32_t count;
    struct array *of; /* `most` for each result of the entry function */
    struct diag diag;
};

/* Runs the first samples, `first` of at most `most`. *Returns* false with the reason in `diag`. */
bool perturb_sample(struct perturb_samples *s, const struct graph *g, struct arena *a,
                    const struct array *inputs, struct perturb_kept kept, uint32_t first,
                    uint32_t most);

/* The samples of a result, sample 0 first. */
const struct array *perturb_samples_of(const struct perturb_samples *s, uint32_t result);

/* perturb_compare of a result; what is beyond its bound is called wrong once all samples say so.
   *Returns* false with the reason in `diag` where a sample cannot be run. */
bool perturb_check(struct perturb_samples *s, uint32_t result, double slack, const void *found,
                   struct perturb_result *out);

#endif
