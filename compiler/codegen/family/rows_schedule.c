/* How rows are spread over threads: many short rows side by side; a few long rows with as many
   threads each as the target allows. */
#include "codegen/family/row_elements.h"
#include "codegen/family/rows.h"
#include "codegen/family/schedule.h"

/* Whether the loops of rows, one for each hero and one for the results, exceed the limit of a
   driver that has one. */
static bool is_stopped(const struct tuning *t, const struct kernel *k, uint32_t at_once)
{
    return (uint64_t)(k->space.rows.inner / at_once) * (k->nheroes + 1u) > t->loop_iterations;
}

bool rows_are_windows(const struct unit *u, const struct kernel *k)
{
    for (uint32_t i = 0; i < k->nheroes; i++) {
        const struct node *n = func_node(unit_func(u), k->heroes[i]);
        if (op_class(n->op) == CLASS_WINDOW || n->op == OP_CONV)
            return u->tuning->coalesces && k->space.rows.inner <= u->tuning->window_rows;
    }
    return false;
}

/* Elements of a row that is read several times and does not stay in registers, see rows_held. With
   more threads for each, fewer rows are under way at a time, so that a cache still holds them when
   they are read again. */
enum { READ_AGAIN = 16384 };

static bool read_again(const struct kernel *k)
{
    return k->nheroes > 1;
}

/* Elements of a row in straight code where its loops share no values. */
enum { STRAIGHT_MOST = 16 };

/* Rows that have as many threads as the device allows, if they are long. */
enum { FEW_ROWS = 64 };

uint32_t rows_held(const struct unit *u, const struct kernel *k, uint32_t words)
{
    const struct tuning *t = u->tuning;
    const struct rows_schedule *s = &k->schedule.rows;
    int64_t inner = k->space.rows.inner;
    uint32_t longest = min32(t->most_row_threads, u->target->max_invocations);
    if (u->workgroup || words == 0 || words > t->row_registers || s->outer_fast ||
        inner <= (int64_t)STRAIGHT_MOST * t->group)
        return 0;
    uint32_t threads = min32(t->group, longest), most = t->row_registers / words;
    while (threads < longest && inner / threads > most)
        threads *= 2;
    uint32_t vector = inner % LANES == 0 ? LANES : 1;
    int64_t each = inner / threads / vector * vector;
    /* 1024 threads have no registers beside them, and few rows have more threads without */
    bool is_few = each <= STRAIGHT_MOST && (threads == longest || k->space.rows.outer < FEW_ROWS);
    return threads > longest || each > most || is_few ? 0 : (uint32_t)each;
}

/* Rows side by side in memory: neighbouring threads take neighbouring rows. */
static void schedule_across(const struct tuning *t, struct kernel *k, uint32_t most,
                            uint32_t longest)
{
    const struct rows_space *space = &k->space.rows;
    struct rows_schedule *s = &k->schedule.rows;
    if (space->inner >= LONG_ENOUGH) /* few rows of many elements: more threads for each */
        most = longest;
    s->group_rows = schedule_ceil(space->outer, 32);
    while (space->inner >= LONG_ENOUGH && s->group_rows > t->rows_beside &&
           space->outer < (int64_t)s->group_rows * t->processors)
        s->group_rows /= 2;
    s->row_threads = 1;
    while (s->row_threads * s->group_rows < most && s->row_threads * 2 <= space->inner &&
           space->outer * s->row_threads < 4 * t->busy_threads)
        s->row_threads *= 2;
    while (s->row_threads * s->group_rows < t->group && s->row_threads * s->group_rows < most)
        s->group_rows *= 2;
}

void schedule_rows(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    const struct tuning *t = u->tuning;
    const struct rows_space *space = &k->space.rows;
    struct rows_schedule *s = &k->schedule.rows;
    uint32_t invocations = u->target->max_invocations;
    uint32_t longest = min32(t->most_row_threads, invocations);
    uint32_t most = min32(t->group, invocations);
    bool serial = false;
    /* from which length on a row is written out; shorter ones in whole vectors */
    int64_t straight = s->outer_fast || space->inner % LANES != 0 ? LONG_ENOUGH : t->straight_rows;
    for (uint32_t i = 0; i < k->nheroes; i++)
        serial |= hero_is_serial(func_node(unit_func(u), k->heroes[i]));
    s->held &= most_unroll > 1;
    if (serial) {
        s->row_threads = 1;
        s->group_rows = most;
    } else if (s->held) {
        s->row_threads = schedule_floor(space->inner / most_unroll, longest);
        s->group_rows = 1;
    } else if (t->cores > 0) {
        s->row_threads = space->outer >= t->cores ? 1 : schedule_floor(space->inner / 16, longest);
        s->group_rows = s->row_threads > 1 ? 1 : most;
        while (s->group_rows > t->vector_threads &&
               space->outer < (int64_t)s->group_rows * t->cores)
            s->group_rows /= 2;
        while (s->row_threads < invocations && is_stopped(t, k, s->row_threads * most_unroll)) {
            s->row_threads *= 2;
            s->group_rows = 1;
        }
    } else if (s->outer_fast) {
        schedule_across(t, k, most, longest);
    } else {
        uint32_t cap = space->outer < FEW_ROWS && space->inner >= 8192 ? longest
                       : read_again(k) && space->inner >= READ_AGAIN   ? min32(longest, 2 * most)
                                                                       : most;
        s->row_threads = schedule_floor(space->inner / (space->inner >= straight ? 16 : 4), cap);
        if (rows_are_windows(u, k))
            s->row_threads = 1;
        while (s->row_threads * 2 <= cap && s->row_threads * 2 <= space->inner &&
               space->outer * s->row_threads < t->busy_threads)
            s->row_threads *= 2;
        s->group_rows = s->row_threads >= most ? 1 : most / s->row_threads;
    }
    if (space->outer < s->group_rows)
        s->group_rows =
            s->row_threads > 1 ? schedule_ceil(space->outer, s->group_rows) : s->group_rows;
    k->schedule.group = s->row_threads * s->group_rows;
    s->vector = serial || s->outer_fast || space->inner % LANES != 0 ? 1 : LANES;
    /* straight code makes no serial row faster */
    bool is_short = serial ? !is_stopped(t, k, 1) : space->inner < straight;
    s->unroll = is_short ? 1 : most_unroll < (uint32_t)s->vector ? 1 : most_unroll;
    if (s->unroll == 1)
        s->vector = 1;
    schedule_spread(k, (space->outer + s->group_rows - 1) / s->group_rows);
}

/* A tree is worth its barriers only when it replaces more additions in a row than it has steps. */
void schedule_rows_phase(const struct unit *u, struct kernel *k)
{
    const struct rows_space *space = &k->space.rows;
    struct rows_schedule *s = &k->schedule.rows;
    uint32_t group = k->schedule.group, rows = schedule_ceil(space->outer, group);
    bool tree = space->inner >= u->tuning->tree_from;
    for (uint32_t i = 0; i < k->nheroes; i++)
        tree &= !hero_is_serial(func_node(unit_func(u), k->heroes[i]));
    s->row_threads = s->unroll = s->vector = 1;
    while (tree && s->row_threads * rows * 2 <= group &&
           s->row_threads * u->tuning->tree_part <= space->inner && s->row_threads < space->inner)
        s->row_threads *= 2;
    s->group_rows = group / s->row_threads;
    s->outer_fast &= s->row_threads > 1;
}

void rows_phase(const struct kernel *k, struct phase *out)
{
    const struct rows_schedule *s = &k->schedule.rows;
    int64_t each = (k->space.rows.inner + s->row_threads - 1) / s->row_threads + 10;
    out->threads = s->row_threads;
    out->at_once = s->group_rows;
    out->across = s->outer_fast;
    out->rounds = each * k->nheroes;
}
