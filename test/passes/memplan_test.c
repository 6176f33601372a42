/* The memory plan of random programs, run on paper: every scratch buffer still holds what was
   written to it when it is read, and every access is ordered by a barrier after those that it
   would collide with. What orders is decided by the watch's hazard.c, which looks at bytes and
   knows nothing of plans. */
#include <stdlib.h>
#include <string.h>

#include "../../runtime/bundle.h"
#include "../watch/hazard.h"
#include "check.h"
#include "plan/memplan.h"

enum {
    INPUTS = 2,
    OUTPUTS = 2,
    CONSTANTS = 1,
    SCRATCH = 10,
    BUFFERS = INPUTS + OUTPUTS + CONSTANTS + SCRATCH
};
enum { FIRST_SCRATCH = BUFFERS - SCRATCH, STEPS = 400, PROGRAMS = 3000, NOT_YET = 255 };

static const struct hazard_barrier everything = {STAGE_DEVICE, USE_WRITES, STAGE_DEVICE,
                                                 USE_DEVICE};

static struct vkc_target target; /* the baseline's: no buffer here is larger than a binding */

struct program {
    struct plan plan;
    struct graph graph;
    struct arena arena;
    uint64_t random;
    struct plan_buffer buffers[BUFFERS];
    struct plan_step steps[STEPS];
    uint32_t used[STEPS][4]; /* what steps[i].buffers points to */
    uint8_t access[STEPS][4];
    bool is_defined[BUFFERS]; /* while it is made: what a step may read */
};

static uint32_t draw(struct program *p, uint32_t limit)
{
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(p->random >> 33) % limit;
}

/* ---- making ---- */

static void use(struct program *p, struct plan_step *s, uint32_t buffer, uint8_t access)
{
    for (uint32_t i = 0; i < s->nbuffers; i++)
        if (s->buffers[i] == buffer)
            return;
    s->buffers[s->nbuffers] = buffer;
    s->access[s->nbuffers++] = access;
    if (access & VKB_WRITE)
        p->is_defined[buffer] = true;
}

static uint32_t readable(struct program *p)
{
    for (;;) {
        uint32_t b = draw(p, BUFFERS);
        if (p->is_defined[b])
            return b;
    }
}

static uint32_t writable(struct program *p)
{
    for (;;) {
        uint32_t b = draw(p, BUFFERS);
        if (p->buffers[b].kind == PLAN_SCRATCH || p->buffers[b].kind == PLAN_OUTPUT)
            return b;
    }
}

static void make_work(struct program *p, struct plan_step *s)
{
    s->kind = draw(p, 4) ? STEP_DISPATCH : STEP_COPY;
    for (uint32_t i = s->kind == STEP_COPY ? 1 : 1 + draw(p, 2); i > 0; i--)
        use(p, s, readable(p), VKB_READ);
    uint32_t counts = FIRST_SCRATCH + draw(p, SCRATCH);
    if (s->kind == STEP_DISPATCH && p->is_defined[counts] && !draw(p, 3))
        s->counts = counts;
    uint32_t to = writable(p);
    bool both = s->kind == STEP_DISPATCH && p->is_defined[to] && !draw(p, 3);
    use(p, s, to, both ? VKB_READ | VKB_WRITE : VKB_WRITE);
}

/* Steps first .. first + count, and behind all that there are, what they steer. */
static void make_range(struct program *p, uint32_t first, uint32_t count, uint32_t depth);

static void make_ranges(struct program *p, uint32_t index, uint32_t nranges, uint32_t depth)
{
    struct plan_step *s = &p->steps[index];
    bool before[BUFFERS];
    memcpy(before, p->is_defined, sizeof before);
    for (uint32_t r = 0; r < nranges; r++) {
        s->range_first[r] = p->plan.nsteps;
        s->range_count[r] = 1 + draw(p, 4);
        p->plan.nsteps += s->range_count[r];
        make_range(p, s->range_first[r], s->range_count[r], depth + 1);
        if (s->kind == STEP_IF)
            memcpy(p->is_defined, before, sizeof before);
    }
    if (s->kind != STEP_REPEAT) /* a branch may be left out, a body may run no time */
        memcpy(p->is_defined, before, sizeof before);
}

static void make_control(struct program *p, uint32_t index, uint32_t depth)
{
    static const enum plan_step_kind kinds[] = {STEP_WHILE, STEP_IF, STEP_REPEAT, STEP_REPEAT};
    struct plan_step *s = &p->steps[index];
    uint32_t predicate = FIRST_SCRATCH + draw(p, SCRATCH);
    s->kind = kinds[draw(p, 4)];
    if (!p->is_defined[predicate])
        s->kind = STEP_REPEAT;
    else if (s->kind != STEP_REPEAT || draw(p, 2))
        use(p, s, predicate, VKB_READ);
    s->times = 2;
    make_ranges(p, index, s->kind == STEP_REPEAT ? 1 : 2, depth);
}

static void make_range(struct program *p, uint32_t first, uint32_t count, uint32_t depth)
{
    for (uint32_t i = first; i < first + count; i++) {
        p->steps[i] =
            (struct plan_step){.buffers = p->used[i], .access = p->access[i], .counts = NO_INDEX};
        if (depth < 3 && p->plan.nsteps + 8 < STEPS && !draw(p, 5))
            make_control(p, i, depth);
        else
            make_work(p, &p->steps[i]);
    }
}

static void make_program(struct program *p, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    p->random = seed * 2654435761u + 1;
    arena_init(&p->arena, 0);
    p->graph.nliterals = CONSTANTS;
    p->plan = (struct plan){.arena = &p->arena,
                            .graph = &p->graph,
                            .target = &target,
                            .buffers = p->buffers,
                            .nbuffers = BUFFERS,
                            .steps = p->steps};
    for (uint32_t i = 0; i < BUFFERS; i++) {
        struct plan_buffer *b = &p->buffers[i];
        b->kind = i < INPUTS             ? PLAN_INPUT
                  : i < INPUTS + OUTPUTS ? PLAN_OUTPUT
                  : i < FIRST_SCRATCH    ? PLAN_CONSTANT
                                         : PLAN_SCRATCH;
        b->index = b->kind == PLAN_OUTPUT ? i - INPUTS : b->kind == PLAN_CONSTANT ? 0 : i;
        b->bytes = 4 * (uint64_t)(1 + draw(p, 300));
        b->alias = i == INPUTS ? 0 : NO_INDEX; /* the first output takes over the first input */
        p->is_defined[i] = b->kind == PLAN_INPUT || b->kind == PLAN_CONSTANT;
    }
    p->plan.apart = seed % 8 == 0;
    p->plan.main_count = p->plan.nsteps = 2 + draw(p, 12);
    make_range(p, 0, p->plan.main_count, 0);
}

/* ---- running on paper ---- */

struct paper {
    struct program *program;
    struct hazards hazards;
    uint64_t command;
    uint8_t *owner; /* of each byte of the arena: the buffer that wrote it last */
    uint32_t collisions, lost;
};

static void touch(struct paper *x, uint32_t buffer, uint32_t hazard_use)
{
    const struct plan_buffer *b = &x->program->buffers[buffer];
    struct hazard_access before,
        access = {.first = b->offset, .end = b->offset + b->bytes, .use = hazard_use};
    access.command = x->command;
    access.memory = b->kind == PLAN_SCRATCH    ? 1
                    : b->kind == PLAN_CONSTANT ? 2
                    : b->kind == PLAN_OUTPUT && b->alias == NO_INDEX
                        ? 20 + b->index
                        : 10 + (b->kind == PLAN_OUTPUT ? b->alias : b->index);
    x->collisions += !hazards_access(&x->hazards, access, &before);
}

static void check_content(struct paper *x, uint32_t buffer)
{
    const struct plan_buffer *b = &x->program->buffers[buffer];
    for (uint64_t i = 0; b->kind == PLAN_SCRATCH && i < b->bytes; i++)
        if (x->owner[b->offset + i] != buffer) {
            x->lost++;
            return;
        }
}

static bool overlap(const struct plan_buffer *a, const struct plan_buffer *b)
{
    return a->kind == PLAN_SCRATCH && b->kind == PLAN_SCRATCH && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

/* Within a step nothing orders: what it writes lies apart from all else that it uses. */
static void check_step(struct paper *x, const struct plan_step *s)
{
    const struct plan_buffer *buffers = x->program->buffers;
    for (uint32_t i = 0; i < s->nbuffers; i++) {
        if (!(s->access[i] & VKB_WRITE))
            continue;
        const struct plan_buffer *to = &buffers[s->buffers[i]];
        for (uint32_t k = 0; k < s->nbuffers; k++)
            x->collisions += k != i && overlap(to, &buffers[s->buffers[k]]);
        if (s->counts != NO_INDEX && s->counts != s->buffers[i])
            x->collisions += overlap(to, &buffers[s->counts]);
    }
}

static void run_work(struct paper *x, const struct plan_step *s)
{
    check_step(x, s);
    bool copies = s->kind == STEP_COPY, counted = s->counts != NO_INDEX;
    x->command++;
    if (s->barrier)
        hazards_barrier(&x->hazards, &everything);
    if (counted) {
        touch(x, s->counts, USE_INDIRECT_READ);
        check_content(x, s->counts);
    }
    for (uint32_t i = 0; i < s->nbuffers; i++)
        if (s->access[i] & VKB_READ) {
            touch(x, s->buffers[i], copies ? USE_TRANSFER_READ : USE_SHADER_READ);
            check_content(x, s->buffers[i]);
        }
    for (uint32_t i = 0; i < s->nbuffers; i++)
        if (s->access[i] & VKB_WRITE) {
            const struct plan_buffer *b = &x->program->buffers[s->buffers[i]];
            touch(x, s->buffers[i], copies ? USE_TRANSFER_WRITE : USE_SHADER_WRITE);
            if (b->kind == PLAN_SCRATCH)
                memset(x->owner + b->offset, (int)s->buffers[i], b->bytes);
        }
}

/* What the host looks at cuts the recording: each part begins with a barrier of the runtime's. */
static void run_range(struct paper *x, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        const struct plan_step *s = &x->program->steps[i];
        if (s->kind == STEP_DISPATCH || s->kind == STEP_COPY) {
            run_work(x, s);
            continue;
        }
        for (uint32_t b = 0; b < s->nbuffers && s->kind != STEP_REPEAT; b++)
            check_content(x, s->buffers[b]);
        if (s->kind != STEP_REPEAT)
            hazards_barrier(&x->hazards, &everything);
        for (uint32_t round = 0; round < (s->kind == STEP_IF ? 1 : 2); round++) {
            run_range(x, s->range_first[0], s->range_count[0]);
            /* a loop keeps its predicate or flag */
            for (uint32_t b = 0; b < s->nbuffers && s->kind != STEP_IF; b++)
                check_content(x, s->buffers[b]);
            if (s->kind != STEP_REPEAT)
                hazards_barrier(&x->hazards, &everything);
            run_range(x, s->range_first[1], s->range_count[1]);
            if (s->kind != STEP_REPEAT)
                hazards_barrier(&x->hazards, &everything);
        }
    }
}

/* Where buffers are to lie apart, a stray access of one reaches no other; and nothing but that room
   and what aligns them lies between. */
static void check_apart(uint64_t seed, const struct program *p)
{
    enum { ROOM = 4096, ALIGNED = 256 };
    bool apart = true;
    uint64_t most = 0;
    for (uint32_t i = FIRST_SCRATCH; i < BUFFERS; i++)
        if (p->buffers[i].first != UINT32_MAX)
            most += (p->buffers[i].bytes + ALIGNED - 1) / ALIGNED * ALIGNED + ROOM;
    CHECK(p->plan.arena_bytes == most, "program %llu: buffers take %llu bytes, not %llu",
          (unsigned long long)seed, (unsigned long long)p->plan.arena_bytes,
          (unsigned long long)most);
    for (uint32_t i = FIRST_SCRATCH; i < BUFFERS; i++)
        for (uint32_t j = FIRST_SCRATCH; j < BUFFERS; j++) {
            const struct plan_buffer *x = &p->buffers[i], *y = &p->buffers[j];
            if (i != j && x->first != UINT32_MAX && y->first != UINT32_MAX &&
                x->offset <= y->offset)
                apart &= y->offset - x->offset >= x->bytes + ROOM;
        }
    CHECK(apart, "program %llu: buffers lie closer than %d bytes", (unsigned long long)seed,
          (int)ROOM);
}

static void check_program(uint64_t seed, struct program *p, uint32_t *out_shared)
{
    static struct diag d;
    struct paper x = {.program = p};
    make_program(p, seed);
    d = (struct diag){0};
    CHECK(memplan(&p->plan, &d), "program %llu: %s", (unsigned long long)seed, d.message);
    x.owner = malloc(p->plan.arena_bytes + 1);
    if (!x.owner)
        abort();
    memset(x.owner, NOT_YET, p->plan.arena_bytes + 1);
    for (int run = 0; run < 2; run++) {
        hazards_barrier(&x.hazards, &everything); /* every command buffer begins with one */
        run_range(&x, p->plan.main_first, p->plan.main_count);
    }
    CHECK(!x.collisions, "program %llu: %u accesses are not ordered", (unsigned long long)seed,
          x.collisions);
    CHECK(!x.lost, "program %llu: %u buffers are read that do not hold their own",
          (unsigned long long)seed, x.lost);
    CHECK(!p->plan.apart || p->plan.arena_bytes >= p->plan.unplanned_bytes,
          "program %llu: its buffers share memory", (unsigned long long)seed);
    if (p->plan.apart)
        check_apart(seed, p);
    *out_shared += p->plan.arena_bytes < p->plan.unplanned_bytes;
    hazards_finish(&x.hazards);
    free(x.owner);
    arena_finish(&p->arena);
}

int main(void)
{
    static struct program p;
    uint32_t shared = 0;
    vkc_target_baseline(&target);
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++)
        check_program(seed, &p, &shared);
    CHECK(shared > PROGRAMS / 4, "memory is shared in only %u of %u programs", shared,
          (unsigned)PROGRAMS);
    return check_report();
}
