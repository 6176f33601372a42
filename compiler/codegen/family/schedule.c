/* How a kernel is spread over threads: from its sizes and the target, before code is generated. */
#include <stddef.h>

#include "codegen/family/contract.h"
#include "codegen/family/lines.h"
#include "codegen/family/row_elements.h"
#include "codegen/family/schedule.h"
#include "codegen/family/turn.h"
#include "target/limits.h"
#include "target/radix.h"

/* Why these numbers: a workgroup of 256 fills the schedulers of every desktop GPU; 32,768 threads are
   what a large one needs to be busy; four elements a thread make 16-byte accesses. On a CPU driver a
   barrier is a loop over all invocations and shared memory is plain memory: one thread a row. There a
   workgroup runs on one core, eight invocations as a vector: few rows go to small groups. */
enum { WIDE_GROUP = 256, CPU_GROUP = 64, CPU_LANES = 8, CPU_CORES = 16, BUSY_THREADS = 32768, LANES = 4, ROW_CAP = 1024, LONG_ENOUGH = 256 };

static uint32_t min32(uint32_t a, uint32_t b) { return a < b ? a : b; }

static uint32_t floor_power(int64_t n, uint32_t most)
{
    uint32_t p = 1;
    while (p * 2 <= most && (int64_t)p * 2 <= n)
        p *= 2;
    return p;
}

static uint32_t ceil_power(int64_t n, uint32_t most)
{
    uint32_t p = 1;
    while (p < most && (int64_t)p < n)
        p *= 2;
    return p;
}

static void spread(struct kernel *k, int64_t groups)
{
    /* rows of at most 32,768, within every device's 65,535 a dimension, and as even as can be, so that few groups find
       nothing to do */
    k->groups[1] = (uint32_t)((groups + 32767) / 32768);
    k->groups[0] = (uint32_t)((groups + k->groups[1] - 1) / k->groups[1]);
    k->groups[2] = 1;
}

static void schedule_map(const struct unit *u, struct kernel *k)
{
    const struct vkc_target *t = u->target;
    struct schedule *s = &k->schedule;
    bool narrow = false;
    for (uint32_t i = 0; i < k->nroots; i++)
        narrow |= type_bytes(func_tensor(unit_func(u), k->roots[i])->type) < 4;
    int64_t span = map_span(k);
    bool even = span * (k->pieces ? k->pieces : 1) == k->size && span % LANES == 0;
    s->lanes = narrow || (even && span >= (t->cpu ? 64 : BUSY_THREADS)) ? LANES : 1;
    s->group = min32(t->cpu ? CPU_GROUP : WIDE_GROUP, t->max_invocations);
    int64_t threads = (span + s->lanes - 1) / s->lanes;
    if (s->across) {
        s->lanes = s->along % s->lanes == 0 ? s->lanes : 1;
        spread(k, turn_tiles(k));
    } else
        spread(k, (threads + s->group - 1) / s->group);
}

/* Waves of 64 are AMD's. There 1024 threads leave 64 registers each before RDNA, too few for rows of f64; and its
   compiler takes twice the registers for integer products as for those of floats, which are one instruction
   (test/radv). */
static bool has_wide_waves(const struct vkc_target *t) { return t->subgroup_size >= 64; }

static uint32_t row_cap(const struct vkc_target *t)
{
    return min32(has_wide_waves(t) ? ROW_CAP / 2 : ROW_CAP, t->max_invocations);
}

/* Whether the loops of rows, one for each hero and one for the results, would be more than a driver with a limit runs. */
static bool is_stopped(const struct vkc_target *t, const struct kernel *k, uint32_t at_once)
{
    return t->loop_limit && k->inner / at_once * ((int64_t)k->nheroes + 1) > LOOP_ITERATIONS;
}

static void schedule_rows(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    const struct vkc_target *t = u->target;
    struct schedule *s = &k->schedule;
    uint32_t most = min32(t->cpu ? CPU_GROUP : WIDE_GROUP, t->max_invocations);
    bool serial = false;
    for (uint32_t i = 0; i < k->nheroes; i++)
        serial |= hero_is_serial(func_node(unit_func(u), k->heroes[i]));
    if (serial) {
        s->row_threads = 1;
        s->group_rows = most;
    } else if (t->cpu) {
        s->row_threads = k->outer >= 16 ? 1 : floor_power(k->inner / 16, most);
        s->group_rows = s->row_threads > 1 ? 1 : most;
        while (s->group_rows > CPU_LANES && k->outer < (int64_t)s->group_rows * CPU_CORES)
            s->group_rows /= 2;
        for (; s->row_threads < t->max_invocations && is_stopped(t, k, s->row_threads * most_unroll); s->row_threads *= 2)
            s->group_rows = 1;
    } else if (s->outer_fast) {
        if (k->inner >= LONG_ENOUGH) /* few rows of many elements: more threads for each */
            most = row_cap(t);
        s->group_rows = ceil_power(k->outer, 32);
        s->row_threads = 1;
        while (s->row_threads * s->group_rows < most && s->row_threads * 2 <= k->inner && k->outer * s->row_threads < 4 * BUSY_THREADS)
            s->row_threads *= 2;
        while (s->row_threads * s->group_rows < WIDE_GROUP && s->row_threads * s->group_rows < most)
            s->group_rows *= 2;
    } else {
        uint32_t cap = k->outer < 64 && k->inner >= 8192 ? row_cap(t) : most;
        s->row_threads = floor_power(k->inner / (k->inner >= LONG_ENOUGH ? 16 : 4), cap);
        while (s->row_threads * 2 <= min32(cap, (uint32_t)(k->inner < cap ? k->inner : cap)) && k->outer * s->row_threads < BUSY_THREADS)
            s->row_threads *= 2;
        s->group_rows = s->row_threads >= most ? 1 : most / s->row_threads;
    }
    if (k->outer < s->group_rows)
        s->group_rows = s->row_threads > 1 ? ceil_power(k->outer, s->group_rows) : s->group_rows;
    s->group = s->row_threads * s->group_rows;
    s->vector = serial || s->outer_fast || k->inner % LANES != 0 ? 1 : LANES;
    bool is_short = serial ? !is_stopped(t, k, 1) : k->inner < LONG_ENOUGH; /* straight code makes no serial row faster */
    s->unroll = is_short ? 1 : most_unroll < (uint32_t)s->vector ? 1 : most_unroll;
    if (s->unroll == 1)
        s->vector = 1;
    spread(k, (k->outer + s->group_rows - 1) / s->group_rows);
}

/* Larger tiles reuse more; smaller ones make more workgroups. */
static const struct { uint32_t m, n, k, thread_m, thread_n, tiles; } shapes[] = {
    {128, 128, 8, 8, 8, 120},
    {128, 64, 16, 8, 8, 100},
    {64, 64, 16, 4, 4, 64},
    {32, 32, 32, 2, 2, 0},
};

static int64_t tiles_of(int64_t batch, int64_t m, int64_t n, uint32_t tm, uint32_t tn)
{
    return batch * ((m + tm - 1) / tm) * ((n + tn - 1) / tn);
}

bool schedule_wants_tiles(const struct vkc_target *t, int64_t batch, int64_t m, int64_t n, int64_t k)
{
    if (m < 8 || n < 8 || k < 8)
        return false;
    if (t->cpu) /* a register tile pays as soon as operands are used again; it takes k in one loop */
        return m * n * batch >= 1024 && (!t->loop_limit || k < LOOP_ITERATIONS);
    return t->max_invocations >= WIDE_GROUP && m >= 16 && n >= 16 && k >= 16 && tiles_of(batch, m, n, 32, 32) >= 24;
}

static void schedule_contract(const struct unit *u, struct kernel *k)
{
    struct schedule *s = &k->schedule;
    if (u->target->cpu) {
        s->thread_m = s->tile_m = 8;
        s->thread_n = s->tile_n = 4;
        s->tile_k = s->vector = 1;
        s->group = min32(16, u->target->max_invocations);
        spread(k, (tiles_of(k->batch, k->m, k->n, s->tile_m, s->tile_n) + s->group - 1) / s->group);
        return;
    }
    uint32_t i = 0;
    enum vkc_type type = unit_func(u)->nodes[k->heroes[0]].outs[0].type;
    bool wide = type_bytes(type) > 4 || (has_wide_waves(u->target) && !type_is_float(type));
    for (i = wide ? 2 : 0; i < 3; i++)
        if (tiles_of(k->batch, k->m, k->n, shapes[i].m, shapes[i].n) >= shapes[i].tiles)
            break;
    s->tile_m = shapes[i].m;
    s->tile_n = shapes[i].n;
    s->tile_k = shapes[i].k;
    s->thread_m = shapes[i].thread_m;
    s->thread_n = shapes[i].thread_n;
    s->vector = type_bytes(type) <= 4 && s->thread_m % 4 == 0 ? 4 : 1;
    s->group = s->tile_m / s->thread_m * (s->tile_n / s->thread_n);
    while (contract_shared_bytes(s, type) > u->target->max_shared_bytes && s->tile_k * min32(s->tile_m, s->tile_n) > s->group)
        s->tile_k /= 2;
    spread(k, tiles_of(k->batch, k->m, k->n, s->tile_m, s->tile_n));
}

/* As many lines as a workgroup of 256 threads has work for. */
static void schedule_fourier(const struct unit *u, struct kernel *k)
{
    const struct vkc_target *t = u->target;
    struct schedule *s = &k->schedule;
    uint32_t radix[FOURIER_PASSES], passes = fourier_radices(k->inner, radix);
    uint32_t bytes = type_bytes(unit_func(u)->nodes[k->heroes[0]].outs[0].type);
    int64_t lines = k->outer / k->inner, most = passes > 1 ? t->max_shared_bytes / (fourier_pitch(k->inner, bytes, fourier_limits(t)) * bytes) : lines;
    s->row_threads = passes ? (uint32_t)(k->inner / radix[0]) : 1;
    s->group_rows = s->row_threads < min32(WIDE_GROUP, t->max_invocations) ? min32(WIDE_GROUP, t->max_invocations) / s->row_threads : 1;
    s->group_rows = most < s->group_rows ? (uint32_t)most : lines < s->group_rows ? (uint32_t)lines : s->group_rows;
    s->group_rows = s->group_rows > 0 ? s->group_rows : 1;
    s->group = s->row_threads * s->group_rows;
    s->lanes = s->unroll = s->vector = 1;
    spread(k, (lines + s->group_rows - 1) / s->group_rows);
}

/* A phase of a workgroup program. A tree is worth its barriers only when it replaces more additions in a
   row than it has steps; on a CPU driver a barrier costs as much as some twenty of them. */
static void schedule_phase(const struct unit *u, struct kernel *k)
{
    struct schedule *s = &k->schedule;
    bool across = s->outer_fast;
    *s = (struct schedule){.group = u->workgroup, .lanes = 1, .row_threads = 1, .unroll = 1, .vector = 1, .outer_fast = across};
    for (uint32_t i = 0; k->family == FAMILY_MAP && i < k->nroots; i++)
        if (unit_per_word(u, k->roots[i]) > 1)
            s->lanes = LANES;
    bool tree = k->family == FAMILY_ROWS && k->inner >= (u->target->cpu ? 64 : 8);
    for (uint32_t i = 0; i < k->nheroes; i++)
        tree &= !hero_is_serial(func_node(unit_func(u), k->heroes[i]));
    uint32_t rows = ceil_power(k->outer, s->group);
    while (tree && s->row_threads * rows * 2 <= s->group && (int64_t)s->row_threads * (u->target->cpu ? 8 : 2) <= k->inner)
        s->row_threads *= 2;
    s->group_rows = s->group / s->row_threads;
    s->outer_fast &= s->row_threads > 1;
    k->groups[0] = k->groups[1] = k->groups[2] = 1;
}

/* Eight elements a thread; as many runs in a workgroup as make it worth starting. Where neighbours in memory
   lie in other rows, 32 rows side by side, so that a load is whole sectors. */
static void schedule_lines(const struct unit *u, struct kernel *k)
{
    const struct vkc_target *t = u->target;
    struct schedule *s = &k->schedule;
    const struct node *n = func_node(unit_func(u), k->heroes[0]);
    struct lines w = lines_of(unit_func(u), n);
    bool across = s->outer_fast && !t->cpu, scan = n->op == OP_SCAN;
    uint32_t bytes = scan ? w.bytes + (w.bytes + LINES_EACH - 1) / LINES_EACH : w.bytes, most = lines_most(t->max_invocations, t->max_shared_bytes, bytes);
    /* a merge is barriers and a search: 128 threads wait less for each other than 1,024 (H200: 95 and 150 us) */
    uint32_t wanted = min32(most, t->cpu ? CPU_GROUP * LINES_EACH : scan || across ? 4096 : n->op == OP_MERGE_RUNS ? 1024 : 2048), rows = across ? 32 : 1;
    int64_t run = w.run < w.length ? w.run : w.length, span = lines_ceil_power(run);
    uint32_t longest = n->op == OP_SORT_RUNS ? most : scan ? wanted / rows : wanted;
    *s = (struct schedule){.lanes = 1, .row_threads = 1, .unroll = 1, .vector = 1, .outer_fast = s->outer_fast};
    s->span = (uint32_t)(span < longest ? span : longest);
    s->steps = (uint32_t)((run + s->span - 1) / s->span);
    s->group_rows = n->op == OP_MERGE_RUNS || wanted < s->span ? 1 : wanted / s->span;
    while (s->group_rows > 1 && s->group_rows / 2 >= w.rows * w.runs)
        s->group_rows /= 2;
    if (n->op == OP_SORT_RUNS && across) /* more rows rather than more workgroups */
        s->group_rows = min32(rows, most / s->span);
    s->group = s->span * s->group_rows / LINES_EACH;
    if (n->op == OP_MERGE_RUNS)
        spread(k, w.rows * ((w.length + s->span - 1) / s->span));
    else
        spread(k, (w.rows * w.runs + s->group_rows - 1) / s->group_rows);
}

void schedule_kernel(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    if (u->workgroup)
        schedule_phase(u, k);
    else if (k->family == FAMILY_MAP)
        schedule_map(u, k);
    else if (k->family == FAMILY_CONTRACT)
        schedule_contract(u, k);
    else if (k->family == FAMILY_FOURIER)
        schedule_fourier(u, k);
    else if (k->family == FAMILY_SOLVE) {
        k->schedule = (struct schedule){.group = min32(64, u->target->max_invocations), .row_threads = 1, .unroll = 1, .vector = 1};
        k->schedule.group_rows = k->schedule.group;
        spread(k, (k->outer + k->schedule.group - 1) / k->schedule.group);
    }
    else if (k->family == FAMILY_LINES)
        schedule_lines(u, k);
    else
        schedule_rows(u, k, most_unroll);
}
