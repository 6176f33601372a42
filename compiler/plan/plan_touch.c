#include <string.h>

#include "plan/plan_touch.h"

/* ---- one buffer ---- */

bool plan_step_touches(const struct task_step *t, uint32_t buffer)
{
    for (uint32_t j = 0; j < t->step.nbuffers; j++)
        if (t->step.buffers[j] == buffer)
            return true;
    for (uint32_t j = 0; j < t->nchanges; j++)
        if (t->changes[j].old == buffer || t->changes[j].next == buffer)
            return true;
    return (t->range[0] && plan_touches(t->range[0], buffer)) ||
           (t->range[1] && plan_touches(t->range[1], buffer));
}

bool plan_touches(const struct block *block, uint32_t buffer)
{
    for (uint32_t i = 0; i < block->nsteps; i++)
        if (plan_step_touches(&block->steps[i], buffer))
            return true;
    return false;
}

static bool reads(const struct block *block, uint32_t buffer)
{
    for (uint32_t i = 0; i < block->nsteps; i++) {
        const struct plan_step *s = &block->steps[i].step;
        for (uint32_t j = 0; j < s->nbuffers; j++)
            if (s->buffers[j] == buffer && (s->access[j] & VKB_READ))
                return true;
    }
    return false;
}

/* ---- all buffers ---- */

bool plan_note_none(struct planner *b)
{
    uint32_t n = b->plan->nbuffers;
    b->visit++;
    if (n <= b->ntouches)
        return true;
    struct arena *a = b->plan->arena;
    struct touch *touches = ARENA_ARRAY(a, struct touch, 2 * n);
    uint32_t *stands_in = ARENA_ARRAY(a, uint32_t, 2 * n),
             *replaced = ARENA_ARRAY(a, uint32_t, 2 * n);
    if (!touches || !stands_in || !replaced)
        return FAIL(b->diag, MEMORY, "out of memory");
    for (uint32_t i = 0; i < 2 * n; i++)
        stands_in[i] = i;
    b->touches = touches;
    b->stands_in = stands_in;
    b->replaced = replaced;
    b->ntouches = 2 * n;
    return true;
}

struct touch *plan_touch(struct planner *b, uint32_t buffer)
{
    struct touch *t = buffer < b->ntouches ? &b->touches[buffer] : NULL;
    return t && t->visit == b->visit ? t : NULL;
}

static void note_buffer(struct planner *b, uint32_t buffer, uint32_t index, bool is_binding)
{
    struct touch *t = &b->touches[plan_name(b, buffer)];
    if (t->visit != b->visit)
        *t = (struct touch){.visit = b->visit, .first = index};
    t->last = index;
    t->bindings += is_binding;
}

static void note_step(struct planner *b, const struct task_step *t, uint32_t index, bool is_own)
{
    for (uint32_t j = 0; j < t->step.nbuffers; j++)
        note_buffer(b, t->step.buffers[j], index, is_own);
    for (uint32_t j = 0; j < t->nchanges; j++) {
        note_buffer(b, t->changes[j].old, index, false);
        note_buffer(b, t->changes[j].next, index, false);
    }
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t i = 0; t->range[r] && i < t->range[r]->nsteps; i++)
            note_step(b, &t->range[r]->steps[i], index, false);
}

void plan_note(struct planner *b, const struct task_step *step, uint32_t index)
{
    note_step(b, step, index, true);
}

bool plan_note_block(struct planner *b, const struct block *block)
{
    if (!plan_note_none(b))
        return false;
    for (uint32_t i = 0; i < block->nsteps; i++)
        plan_note(b, &block->steps[i], i);
    return true;
}

bool plan_may_write_over(struct planner *b, const struct block *block, uint32_t next, uint32_t old)
{
    const struct touch *made = plan_touch(b, next), *read = plan_touch(b, old);
    if (!made || (read && read->last > made->first))
        return false;
    const struct task_step *t = &block->steps[made->first];
    if (t->step.kind != STEP_DISPATCH)
        return false;
    for (uint32_t j = 0; j < t->step.nbuffers; j++)
        if (t->step.buffers[j] == old &&
            (!t->unit || !plan_replaces(t->unit, &b->plan->kernels[t->step.kernel], next, j)))
            return false;
    return true;
}

/* ---- other names ---- */

void plan_stands_for(struct planner *b, uint32_t to, uint32_t from)
{
    b->stands_in[from] = to;
    b->replaced[b->nreplaced++] = from;
}

uint32_t plan_name(const struct planner *b, uint32_t buffer)
{
    while (buffer < b->ntouches && b->stands_in[buffer] != buffer)
        buffer = b->stands_in[buffer];
    return buffer;
}

/* Bytes of such a result, at most: shared memory should have room for others. */
enum { READ_INSIDE = 4096 };

bool plan_read_inside(struct planner *b, struct block *block, uint32_t result,
                      const struct tensor *t)
{
    if (tensor_bytes(t) > READ_INSIDE || !reads(block, result))
        return true;
    uint32_t made = plan_new_buffer(b, PLAN_SCRATCH, 0, t, b->plan->buffers[result].name);
    if (made == NO_INDEX || !plan_note_block(b, block))
        return FAIL(b->diag, MEMORY, "out of memory");
    plan_stands_for(b, made, result);
    plan_rename(b, block);
    return plan_copy_step(b, block, made, result);
}

static void rename_unit(struct planner *b, struct unit *u)
{
    if (!u || u->naming == b->naming)
        return;
    u->naming = b->naming;
    for (uint32_t s = 0; s < u->nslots; s++)
        u->buffer[s] = plan_name(b, u->buffer[s]);
}

static void rename_steps(struct planner *b, struct block *block)
{
    for (uint32_t i = 0; i < block->nsteps; i++) {
        struct task_step *t = &block->steps[i];
        for (uint32_t j = 0; j < t->step.nbuffers; j++)
            t->step.buffers[j] = plan_name(b, t->step.buffers[j]);
        for (uint32_t j = 0; j < t->nchanges; j++) {
            t->changes[j].old = plan_name(b, t->changes[j].old);
            t->changes[j].next = plan_name(b, t->changes[j].next);
        }
        rename_unit(b, t->unit);
        for (uint32_t r = 0; r < 2; r++)
            if (t->range[r])
                rename_steps(b, t->range[r]);
    }
}

void plan_rename(struct planner *b, struct block *block)
{
    if (!b->nreplaced)
        return;
    b->naming++;
    rename_steps(b, block);
    while (b->nreplaced) {
        uint32_t from = b->replaced[--b->nreplaced];
        b->stands_in[from] = from;
    }
}
