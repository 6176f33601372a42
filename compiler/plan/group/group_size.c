/* How large a workgroup program is and how long it takes, before any of it is written: phases
   and their barriers, statements, iterations of loops, seconds. The share of each phase is known
   once its kernel is chosen. */
#include <math.h>

#include "codegen/family/family.h"
#include "plan/group/group.h"
#include "plan/group/group_hazards.h"
#include "plan/group/group_slice.h"
#include "plan/plan_steps.h"

struct sizer {
    struct group *g;
    struct touched since;
    double times; /* how often this runs, a loop of unknown length counted once */
    double most;  /* how often it may run; infinite where that is not known */
};

int64_t group_copy_count(const struct group *g, const struct plan_step *s)
{
    const struct plan_buffer *to = &g->plan->buffers[s->buffers[1]];
    bool in_words = g->place[s->buffers[1]].kind == PLACE_BOUND;
    uint32_t at_once = in_words ? packed_per_word(to->type) : 1;
    return (to->elements + at_once - 1) / at_once;
}

/* Loop iterations that a thread makes in the phase. */
static double iterations(const struct phase *p)
{
    int64_t rounds = (p->count + p->at_once - 1) / p->at_once;
    return (double)rounds * (1 + (double)p->rounds);
}

static void add_iterations(struct sizer *z, double n)
{
    double sum = (double)z->g->iterations + n * z->most;
    z->g->iterations = sum < 1e15 ? (uint64_t)sum : (uint64_t)1e15;
}

static bool hazards(struct sizer *z, const struct task_step *t, bool parts)
{
    struct row_write rows = group_row_write(z->g, t);
    if (touched_meets(z->g, &z->since, &t->step, rows, parts))
        z->g->barriers += touched_clear(z->g, &z->since, true);
    return touched_add(z->g, &z->since, &t->step, rows, parts);
}

static bool phase(struct sizer *z, const struct task_step *t)
{
    struct group *g = z->g;
    const struct kernel *k = &g->plan->kernels[t->step.kernel];
    struct phase p = family_phase(k);
    const struct tuning *c = &g->plan->tuning;
    uint64_t bytes = 0;
    if (!hazards(z, t, p.threads > 1))
        return false;
    const struct slice slice = group_slice(g, t, &p);
    double share = slice.count > 0 ? (double)slice.count / (double)p.count : 1;
    p.count = slice.count > 0 ? slice.count : p.count;
    g->phases++;
    g->dispatches += z->times;
    g->statements += k->statements;
    g->loops += (p.count > g->threads) + k->nheroes;
    g->flops += (uint64_t)((double)k->flops * share * z->times);
    add_iterations(z, iterations(&p));
    for (uint32_t i = 0; i < t->step.nbuffers; i++)
        if (g->place[t->step.buffers[i]].kind == PLACE_BOUND)
            bytes += g->plan->buffers[t->step.buffers[i]].bytes;
    g->seconds += z->times * (c->phase_seconds + (double)k->flops * share * c->flop_seconds +
                              (double)bytes * share * c->byte_seconds);
    return true;
}

static bool copy(struct sizer *z, const struct task_step *t)
{
    if (group_copies_nothing(z->g, &t->step))
        return true;
    if (!hazards(z, t, false))
        return false;
    if (z->g->place[t->step.buffers[1]].kind == PLACE_LOCAL)
        return true; /* one element, by every thread */
    add_iterations(z, (double)(group_copy_count(z->g, &t->step) / z->g->threads + 1));
    z->g->seconds += z->times * z->g->plan->tuning.phase_seconds;
    z->g->dispatches += z->times;
    return true;
}

static bool steps(struct sizer *z, const struct block *b);

static bool loop(struct sizer *z, const struct task_step *t)
{
    double times = z->times, most = z->most;
    struct touched at_break;
    z->times *= t->portion       ? (double)t->portion + 1
                : t->trips.exact ? (double)t->trips.most + 1
                                 : 1;
    z->most *= t->portion           ? (double)t->portion + 1
               : t->trips.most >= 0 ? (double)t->trips.most + 1
                                    : INFINITY;
    add_iterations(z, 1);
    if (t->portion || touched_buffers(z->g, &z->since))
        z->g->barriers += touched_clear(z->g, &z->since, true);
    if (!steps(z, t->range[0]) || !hazards(z, t, false) ||
        !touched_copy(z->since.arena, &z->since, &at_break) || !steps(z, t->range[1]))
        return false;
    z->g->barriers += touched_clear(z->g, &z->since, true); /* before the next round */
    z->since = at_break;
    z->times = times;
    z->most = most;
    return true;
}

static bool branches(struct sizer *z, const struct task_step *t)
{
    struct touched before, after;
    if (!hazards(z, t, false) || !touched_copy(z->since.arena, &z->since, &before) ||
        !steps(z, t->range[0]))
        return false;
    after = z->since;
    z->since = before;
    return (!t->range[1] || steps(z, t->range[1])) && touched_join(z->g, &z->since, &after);
}

static bool steps(struct sizer *z, const struct block *b)
{
    for (uint32_t i = 0; i < b->nsteps; i++) {
        const struct task_step *t = &b->steps[i];
        bool ok = t->step.kind == STEP_DISPATCH ? phase(z, t)
                  : t->step.kind == STEP_COPY   ? copy(z, t)
                  : t->step.kind == STEP_WHILE  ? loop(z, t)
                                                : branches(z, t);
        if (!ok)
            return false;
    }
    return true;
}

bool group_size(struct group *g, struct diag *d)
{
    struct plan *p = g->plan;
    struct arena scratch;
    struct sizer z = {.g = g, .since = {.arena = &scratch}, .times = 1, .most = 1};
    for (uint32_t i = 0; i < p->nbuffers; i++)
        g->bindings += g->place[i].kind == PLACE_BOUND;
    g->bindings += g->scratch_bytes > 0;
    arena_scratch(&scratch, p->arena);
    bool ok = steps(&z, g->block);
    arena_finish(&scratch);
    return ok || FAIL(d, MEMORY, "out of memory");
}
