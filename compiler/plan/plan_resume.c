/* A function whose loop may make more rounds than one dispatch is to, as one workgroup program:

       if (flag) {
           if (flag == RUN_GOES_ON) load what was saved; else the steps before the loop
           the loop, a portion of its rounds at most
           if (it goes on) save; else the steps after the loop
           flag = it goes on
       }

   Nothing is saved or loaded if one portion is all, which is the common case. What is saved lies in
   the scratch buffer, which no other step writes; a value that lies there anyway stays where it
   is (group_layout.c). */
#include "runtime/bundle.h"
#include "plan/plan_control.h"
#include "plan/plan_resume.h"
#include "plan/plan_touch.h"

static bool no_memory(struct planner *b)
{
    return FAIL(b->diag, MEMORY, "out of memory");
}

struct task_step *plan_long_loop(const struct block *steps)
{
    struct task_step *unknown = NULL, *any = NULL;
    uint32_t nunknown = 0, nany = 0;
    for (uint32_t i = 0; i < steps->nsteps; i++) {
        struct task_step *t = &steps->steps[i];
        if (t->step.kind != STEP_WHILE)
            continue;
        any = t;
        nany++;
        if (t->trips.most < 0) {
            unknown = t;
            nunknown++;
        }
    }
    return nunknown == 1 ? unknown : nunknown == 0 && nany == 1 ? any : NULL;
}

/* The steps before `end`, or from `begin` on. */
static struct block part(const struct block *steps, uint32_t begin, uint32_t end)
{
    return (struct block){.steps = steps->steps + begin, .nsteps = end - begin};
}

/* Whether a dispatch must find the value that the one before it has left. */
static bool outlives(const struct task_step *loop, const struct block *before,
                     const struct block *after, uint32_t buffer)
{
    bool is_before = plan_touches(before, buffer), is_after = plan_touches(after, buffer);
    bool in_loop = plan_step_touches(loop, buffer);
    bool of_a_round =
        buffer == loop->step.buffers[0] || (buffer >= loop->own_first && buffer < loop->own_end);
    return in_loop ? is_before || is_after || !of_a_round : is_before && is_after;
}

/* Copies of what outlives a dispatch to where it is saved, and back. */
static bool save(struct planner *b, const struct task_step *loop, const struct block *before,
                 const struct block *after, struct block *saving, struct block *loading)
{
    uint32_t nbuffers = b->plan->nbuffers;
    for (uint32_t i = b->inside; i < nbuffers; i++) {
        const struct plan_buffer own = b->plan->buffers[i];
        struct tensor t = {.type = own.type, .shape = {1, {own.elements}}};
        if (own.kind != PLAN_SCRATCH || own.is_outside || !outlives(loop, before, after, i))
            continue;
        uint32_t saved = plan_new_buffer(b, PLAN_SCRATCH, 0, &t, own.name);
        if (saved == NO_INDEX)
            return no_memory(b);
        b->plan->buffers[saved].is_saved = true;
        b->plan->buffers[saved].saves = i;
        if (!plan_copy_step(b, saving, i, saved) || !plan_copy_step(b, loading, saved, i))
            return false;
    }
    return true;
}

static bool add_if(struct planner *b, struct block *to, uint32_t predicate, uint32_t equals,
                   struct block *holds, struct block *otherwise)
{
    struct plan_step *s = plan_new_step(b, to, STEP_IF, 1);
    if (!s)
        return no_memory(b);
    s->buffers[0] = predicate;
    s->access[0] = VKB_READ;
    to->steps[to->nsteps - 1].equals = equals;
    to->steps[to->nsteps - 1].range[0] = holds;
    to->steps[to->nsteps - 1].range[1] = otherwise;
    return true;
}

bool plan_resumed(struct planner *b, const struct block *steps, const struct task_step *loop,
                  uint32_t flag, struct block *to, struct task_step **out_loop)
{
    struct arena *a = b->plan->arena;
    uint32_t at = (uint32_t)(loop - steps->steps), predicate = loop->step.buffers[0];
    struct block *parts = ARENA_ARRAY(a, struct block, 5);
    if (!parts)
        return no_memory(b);
    struct block *before = &parts[0], *after = &parts[1], *saving = &parts[2], *loading = &parts[3],
                 *run = &parts[4];
    *before = part(steps, 0, at);
    *after = part(steps, at + 1, steps->nsteps);
    if (!save(b, loop, before, after, saving, loading) ||
        !add_if(b, run, flag, RUN_GOES_ON, loading, before))
        return false;
    if (!arena_grow(a, &run->steps, run->nsteps, &run->cap_steps, sizeof *run->steps))
        return no_memory(b);
    at = run->nsteps++;
    run->steps[at] = *loop;
    if (!add_if(b, run, predicate, 0, saving, after) || !plan_copy_step(b, run, predicate, flag))
        return false;
    *out_loop = &run->steps[at];
    return add_if(b, to, flag, 0, run, NULL);
}

bool plan_again(struct planner *b, uint32_t flag, struct block *program, struct block *to)
{
    struct block *nothing = ARENA_NEW(b->plan->arena, struct block);
    struct plan_step *again = plan_new_step(b, to, STEP_WHILE, 1);
    if (!nothing || !again)
        return no_memory(b);
    again->buffers[0] = flag;
    again->access[0] = VKB_READ;
    to->steps[to->nsteps - 1].trips.most = -1;
    to->steps[to->nsteps - 1].range[0] = program;
    to->steps[to->nsteps - 1].range[1] = nothing;
    return true;
}
