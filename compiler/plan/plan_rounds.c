/* A round of a loop reads carried values and makes new ones elsewhere, where it cannot write over
   the old. Copying them back takes a dispatch, or a command between two barriers, in every round.
   Instead a second round is written out in which each of these buffers has the other's part. Its
   temporaries are its own, so that their lives stay short. Kernels are the same in both. */
#include <string.h>

#include "plan/plan_rounds.h"

/* Of a body, loops in it included, that is written out twice. A longer one hides what a copy
   costs. */
enum { SWAP_STEPS = 96 };

static bool no_memory(struct planner *b)
{
    return FAIL(b->diag, MEMORY, "out of memory");
}

/* Steps in the plan, with loops inside that are written out twice themselves. */
static uint64_t planned(const struct block *r)
{
    uint64_t n = 0;
    for (uint32_t i = 0; r && i < r->nsteps && n <= SWAP_STEPS; i++) {
        const struct task_step *t = &r->steps[i];
        uint64_t inside = planned(t->range[0]) + planned(t->range[1]);
        n += 1 + (t->nchanges && inside <= SWAP_STEPS ? 3 : 1) * inside;
    }
    return n;
}

bool plan_changes_places(const struct task_step *loop)
{
    return loop->nchanges && planned(loop->range[0]) + planned(loop->range[1]) <= SWAP_STEPS;
}

bool plan_copy_changes(struct planner *b, struct task_step *loop)
{
    for (uint32_t i = 0; i < loop->nchanges; i++)
        if (!plan_copy_step(b, loop->range[1], loop->changes[i].next, loop->changes[i].old))
            return false;
    loop->nchanges = 0;
    return true;
}

/* Buffer own_first + i of the loop becomes fresh + i. */
struct renaming {
    const struct task_step *loop;
    uint32_t fresh;
    bool swapped;
};

static uint32_t renamed(const struct renaming *r, uint32_t buffer)
{
    const struct task_step *t = r->loop;
    for (uint32_t i = 0; i < t->nchanges; i++) {
        if (buffer == t->changes[i].old)
            return r->swapped ? t->changes[i].next : buffer;
        if (buffer == t->changes[i].next)
            return r->swapped ? t->changes[i].old : buffer;
    }
    bool own = buffer >= t->own_first && buffer < t->own_end;
    return own ? buffer - t->own_first + r->fresh : buffer;
}

static struct block *clone(struct planner *b, const struct renaming *r, const struct block *from);

static bool clone_step(struct planner *b, const struct renaming *r, const struct task_step *from,
                       struct task_step *out)
{
    struct arena *a = b->plan->arena;
    uint32_t n = from->step.nbuffers;
    *out = *from;
    out->step.buffers = ARENA_ARRAY(a, uint32_t, n + 1);
    out->step.access = arena_copy(a, from->step.access, n * sizeof *out->step.access);
    out->changes = ARENA_ARRAY(a, struct change, from->nchanges + 1);
    if (!out->step.buffers || !out->step.access || !out->changes)
        return no_memory(b);
    for (uint32_t i = 0; i < n; i++)
        out->step.buffers[i] = renamed(r, from->step.buffers[i]);
    for (uint32_t i = 0; i < from->nchanges; i++)
        out->changes[i] =
            (struct change){renamed(r, from->changes[i].old), renamed(r, from->changes[i].next),
                            from->changes[i].is_wanted};
    if (from->step.kind == STEP_WHILE) { /* its buffers are among those that were renamed */
        out->own_first = from->own_first - r->loop->own_first + r->fresh;
        out->own_end = from->own_end - r->loop->own_first + r->fresh;
    }
    for (uint32_t i = 0; i < 2; i++)
        if (from->range[i] && !(out->range[i] = clone(b, r, from->range[i])))
            return false;
    return true;
}

/* NULL with a diagnostic. */
static struct block *clone(struct planner *b, const struct renaming *r, const struct block *from)
{
    struct block *out = ARENA_NEW(b->plan->arena, struct block);
    if (out)
        out->steps = ARENA_ARRAY(b->plan->arena, struct task_step, from->nsteps + 1);
    if (!out || !out->steps) {
        no_memory(b);
        return NULL;
    }
    out->nsteps = out->cap_steps = from->nsteps;
    for (uint32_t i = 0; i < from->nsteps; i++)
        if (!clone_step(b, r, &from->steps[i], &out->steps[i]))
            return NULL;
    return out;
}

bool plan_clone_loop(struct planner *b, const struct task_step *loop, bool swapped,
                     struct task_step *out)
{
    struct plan *p = b->plan;
    struct renaming r = {loop, p->nbuffers, swapped};
    for (uint32_t i = loop->own_first; i < loop->own_end; i++) {
        if (!arena_grow(p->arena, &p->buffers, p->nbuffers, &p->cap_buffers, sizeof *p->buffers))
            return no_memory(b);
        p->buffers[p->nbuffers++] = p->buffers[i];
    }
    *out = *loop;
    for (uint32_t i = 0; i < 2; i++)
        if (loop->range[i] && !(out->range[i] = clone(b, &r, loop->range[i])))
            return false;
    out->step.buffers = ARENA_ARRAY(p->arena, uint32_t, loop->step.nbuffers + 1);
    if (!out->step.buffers)
        return no_memory(b);
    for (uint32_t i = 0; i < loop->step.nbuffers; i++)
        out->step.buffers[i] = renamed(&r, loop->step.buffers[i]);
    return true;
}
