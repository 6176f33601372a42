/* How rows are spread over threads: many short rows side by side, few long ones by as many threads as there may be. */
#include "codegen/family/row_elements.h"
#include "codegen/family/rows.h"
#include "codegen/family/schedule.h"

/* Whether the loops of rows, one for each hero and one for the results, would be more than a driver with a limit runs. */
static bool is_stopped(const struct tuning *t, const struct kernel *k, uint32_t at_once)
{
    return (uint64_t)(k->inner / at_once) * (k->nheroes + 1u) > t->loop_iterations;
}

void schedule_rows(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    const struct tuning *t = u->tuning;
    struct schedule *s = &k->schedule;
    uint32_t invocations = u->target->max_invocations, most = min32(t->group, invocations);
    uint32_t longest = min32(t->most_row_threads, invocations);
    bool serial = false;
    for (uint32_t i = 0; i < k->nheroes; i++)
        serial |= hero_is_serial(func_node(unit_func(u), k->heroes[i]));
    if (serial) {
        s->row_threads = 1;
        s->group_rows = most;
    } else if (t->cores > 0) {
        s->row_threads = k->outer >= t->cores ? 1 : schedule_floor(k->inner / 16, longest);
        s->group_rows = s->row_threads > 1 ? 1 : most;
        while (s->group_rows > t->vector_threads && k->outer < (int64_t)s->group_rows * t->cores)
            s->group_rows /= 2;
        while (s->row_threads < invocations && is_stopped(t, k, s->row_threads * most_unroll)) {
            s->row_threads *= 2;
            s->group_rows = 1;
        }
    } else if (s->outer_fast) {
        if (k->inner >= LONG_ENOUGH) /* few rows of many elements: more threads for each */
            most = longest;
        s->group_rows = schedule_ceil(k->outer, 32);
        s->row_threads = 1;
        while (s->row_threads * s->group_rows < most && s->row_threads * 2 <= k->inner &&
               k->outer * s->row_threads < 4 * t->busy_threads)
            s->row_threads *= 2;
        while (s->row_threads * s->group_rows < t->group && s->row_threads * s->group_rows < most)
            s->group_rows *= 2;
    } else {
        uint32_t cap = k->outer < 64 && k->inner >= 8192 ? longest : most;
        s->row_threads = schedule_floor(k->inner / (k->inner >= LONG_ENOUGH ? 16 : 4), cap);
        while (s->row_threads * 2 <= min32(cap, (uint32_t)(k->inner < cap ? k->inner : cap)) &&
               k->outer * s->row_threads < t->busy_threads)
            s->row_threads *= 2;
        s->group_rows = s->row_threads >= most ? 1 : most / s->row_threads;
    }
    if (k->outer < s->group_rows)
        s->group_rows = s->row_threads > 1 ? schedule_ceil(k->outer, s->group_rows) : s->group_rows;
    s->group = s->row_threads * s->group_rows;
    s->vector = serial || s->outer_fast || k->inner % LANES != 0 ? 1 : LANES;
    bool is_short = serial ? !is_stopped(t, k, 1) : k->inner < LONG_ENOUGH; /* straight code makes no serial row faster */
    s->unroll = is_short ? 1 : most_unroll < (uint32_t)s->vector ? 1 : most_unroll;
    if (s->unroll == 1)
        s->vector = 1;
    schedule_spread(k, (k->outer + s->group_rows - 1) / s->group_rows);
}
