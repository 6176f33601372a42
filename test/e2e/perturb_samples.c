/* As many samples as a comparison needs. */
#include "perturb_samples.h"

static bool run(struct perturb_samples *s, uint32_t count)
{
    uint32_t nresults = s->graph->funcs[s->graph->entry].nresults;
    for (; s->count < count; s->count++) {
        struct array *outs = ARENA_ARRAY(s->arena, struct array, nresults + 1);
        if (!outs)
            return FAIL(&s->diag, MEMORY, "no memory");
        if (!perturb_run(s->graph, s->arena, s->inputs, outs, s->count, s->kept, &s->diag))
            return false;
        for (uint32_t i = 0; i < nresults; i++)
            s->of[i * s->most + s->count] = outs[i];
    }
    return true;
}

bool perturb_sample(struct perturb_samples *s, const struct graph *g, struct arena *a,
                    const struct array *inputs, struct perturb_kept kept, uint32_t first,
                    uint32_t most)
{
    *s = (struct perturb_samples){
        .graph = g, .arena = a, .inputs = inputs, .kept = kept, .most = most};
    s->of = arena_alloc(a, ((size_t)g->funcs[g->entry].nresults + 1) * most, sizeof *s->of);
    return s->of ? run(s, first) : FAIL(&s->diag, MEMORY, "no memory");
}

const struct array *perturb_samples_of(const struct perturb_samples *s, uint32_t result)
{
    return &s->of[result * s->most];
}

bool perturb_check(struct perturb_samples *s, uint32_t result, double slack, const void *found,
                   struct perturb_result *out)
{
    const struct array *samples = perturb_samples_of(s, result);
    *out = perturb_compare(samples, s->count, slack, s->kept, found);
    while (out->wrong >= 0 && s->count < s->most) {
        if (!run(s, 2 * s->count < s->most ? 2 * s->count : s->most))
            return false;
        *out = perturb_compare(samples, s->count, slack, s->kept, found);
    }
    return true;
}
