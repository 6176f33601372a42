/* A value that is made only to be copied is made where it is copied to, and the copy goes. */
#include "runtime/bundle.h"
#include "plan/plan_drop.h"
#include "plan/plan_touch.h"

/* How many times steps name each buffer. */
static void count_touches(const struct block *block, uint32_t *touches)
{
    for (uint32_t i = 0; block && i < block->nsteps; i++) {
        const struct task_step *t = &block->steps[i];
        for (uint32_t j = 0; j < t->step.nbuffers; j++)
            touches[t->step.buffers[j]]++;
        for (uint32_t j = 0; j < t->nchanges; j++) {
            touches[t->changes[j].old]++;
            touches[t->changes[j].next]++;
        }
        count_touches(t->range[0], touches);
        count_touches(t->range[1], touches);
    }
}

/* Whether what the copy after the noted steps moves from `from` can be made at `to`: a kernel of
   the block makes it, only steps between the two name it, and none of these the target. */
static bool may_make_there(struct planner *b, const struct block *block, uint32_t from, uint32_t to,
                           const uint32_t *touches)
{
    const struct plan_buffer *source = &b->plan->buffers[from], *target = &b->plan->buffers[to];
    if (source->kind != PLAN_SCRATCH || source->bytes != target->bytes ||
        target->alias != NO_INDEX || from == to)
        return false;
    const struct touch *made = plan_touch(b, from), *there = plan_touch(b, to);
    if (!made || made->bindings + 1 != touches[from] || (there && there->last >= made->first))
        return false;
    const struct plan_step *maker = &block->steps[made->first].step;
    if (maker->kind != STEP_DISPATCH)
        return false;
    for (uint32_t j = 0; j < maker->nbuffers; j++)
        if (plan_name(b, maker->buffers[j]) == from && !(maker->access[j] & VKB_WRITE))
            return false;
    return true;
}

/* Makes it there. */
static void make_there(struct planner *b, uint32_t from, uint32_t to, uint32_t *touches)
{
    struct touch *made = plan_touch(b, from), *there = plan_touch(b, to);
    uint32_t first = there ? there->first : made->first, bindings = there ? there->bindings : 0;
    touches[to] += touches[from] - 2; /* less what the copy names */
    touches[from] = 0;
    b->touches[to] = *made;
    b->touches[to].first = first;
    b->touches[to].bindings += bindings;
    plan_stands_for(b, to, from);
}

static bool drop_copies(struct planner *b, struct block *block, uint32_t *touches)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < block->nsteps; i++)
        for (uint32_t r = 0; r < 2; r++)
            if (block->steps[i].range[r] && !drop_copies(b, block->steps[i].range[r], touches))
                return false;
    if (!plan_note_none(b))
        return false;
    for (uint32_t i = 0; i < block->nsteps; i++) {
        const struct task_step *t = &block->steps[i];
        if (t->step.kind == STEP_COPY) {
            uint32_t from = plan_name(b, t->step.buffers[0]), to = plan_name(b, t->step.buffers[1]);
            if (may_make_there(b, block, from, to, touches)) {
                make_there(b, from, to, touches);
                continue;
            }
        }
        block->steps[kept] = *t;
        plan_note(b, &block->steps[kept], kept);
        kept++;
    }
    block->nsteps = kept;
    return true;
}

bool plan_drop_copies(struct planner *b, struct block *block)
{
    uint32_t *touches = ARENA_ARRAY(b->plan->arena, uint32_t, b->plan->nbuffers + 1);
    if (!touches)
        return FAIL(b->diag, MEMORY, "out of memory");
    count_touches(block, touches);
    if (!drop_copies(b, block, touches))
        return false;
    plan_rename(b, block);
    return true;
}
