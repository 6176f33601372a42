/* How a kernel is spread over threads: from its sizes and the target, before code is generated. On a grid its family
   says; as a phase of a workgroup program all of them take the program's threads. */
#include <stddef.h>

#include "codegen/family/family.h"
#include "codegen/family/row_elements.h"
#include "codegen/family/schedule.h"

uint32_t schedule_floor(int64_t n, uint32_t most)
{
    uint32_t p = 1;
    while (p * 2 <= most && (int64_t)p * 2 <= n)
        p *= 2;
    return p;
}

uint32_t schedule_ceil(int64_t n, uint32_t most)
{
    uint32_t p = 1;
    while (p < most && (int64_t)p < n)
        p *= 2;
    return p;
}

void schedule_spread(struct kernel *k, int64_t groups)
{
    /* rows of at most 32,768, within every device's 65,535 a dimension, and as even as can be, so that few groups find
       nothing to do */
    k->groups[1] = (uint32_t)((groups + 32767) / 32768);
    k->groups[0] = (uint32_t)((groups + k->groups[1] - 1) / k->groups[1]);
    k->groups[2] = 1;
}

/* A phase of a workgroup program. A tree is worth its barriers only when it replaces more additions in a
   row than it has steps. */
static void schedule_phase(const struct unit *u, struct kernel *k)
{
    struct schedule *s = &k->schedule;
    bool across = s->outer_fast;
    *s = (struct schedule){.group = u->workgroup, .lanes = 1, .row_threads = 1, .unroll = 1, .vector = 1, .outer_fast = across};
    for (uint32_t i = 0; family_of(k)->packs_words && i < k->nroots; i++)
        if (unit_per_word(u, k->roots[i]) > 1)
            s->lanes = LANES;
    bool tree = family_of(k)->shares_rows && k->inner >= u->tuning->tree_from;
    for (uint32_t i = 0; i < k->nheroes; i++)
        tree &= !hero_is_serial(func_node(unit_func(u), k->heroes[i]));
    uint32_t rows = schedule_ceil(k->outer, s->group);
    while (tree && s->row_threads * rows * 2 <= s->group &&
           s->row_threads * u->tuning->tree_part <= k->inner)
        s->row_threads *= 2;
    s->group_rows = s->group / s->row_threads;
    s->outer_fast &= s->row_threads > 1;
    k->groups[0] = k->groups[1] = k->groups[2] = 1;
}

void schedule_kernel(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    if (u->workgroup)
        schedule_phase(u, k);
    else
        family_of(k)->schedule(u, k, most_unroll);
}
