/* Places: when each scratch buffer is alive, where it lies in the arena, where constants lie, and which
   steps must wait for what came before.

   Offsets are given greedily, largest buffer first, each at the lowest place where nothing that is alive
   at the same time overlaps. A barrier stands before a step only if the step touches memory that a step
   since the last barrier wrote, or writes what one read. The words in memory that decide whether a step
   runs are read by it. */
#include <string.h>

#include "runtime/bundle.h"
#include "plan/memplan.h"

enum { ALIGNMENT = 256, APART = 4096 }; /* bytes; the latter between buffers that are kept apart */

static uint64_t align(uint64_t n)
{
    return (n + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

/* ---- lifetimes ---- */

static void touch(struct plan_buffer *b, uint32_t time)
{
    if (time < b->first)
        b->first = time;
    if (time > b->last)
        b->last = time;
}

/* Walks the steps in the order in which they run. What a loop touches and did not make itself lives until
   the loop ends, since the next round needs it again. */
static void walk(struct plan *p, uint32_t first, uint32_t count, uint32_t *time)
{
    for (uint32_t i = first; i < first + count; i++) {
        struct plan_step *s = &p->steps[i];
        uint32_t now = (*time)++;
        for (uint32_t j = 0; j < s->nbuffers; j++)
            touch(&p->buffers[s->buffers[j]], now);
        if (s->counts != NO_INDEX)
            touch(&p->buffers[s->counts], now);
        for (uint32_t r = 0; r < 2; r++)
            if (s->range_count[r])
                walk(p, s->range_first[r], s->range_count[r], time);
        if (s->kind != STEP_WHILE && s->kind != STEP_REPEAT)
            continue;
        uint32_t end = *time;
        for (uint32_t b = 0; b < p->nbuffers; b++) {
            struct plan_buffer *pb = &p->buffers[b];
            if (pb->last >= now && pb->last < end && (pb->first <= now))
                pb->last = end;
        }
        if (s->nbuffers) { /* the predicate */
            touch(&p->buffers[s->buffers[0]], now);
            touch(&p->buffers[s->buffers[0]], end);
        }
        (*time)++;
    }
}

/* ---- offsets ---- */

/* What a buffer takes of the arena. */
static uint64_t room(const struct plan *p, const struct plan_buffer *b)
{
    return align(b->bytes) + (p->apart ? APART : 0);
}

/* The first place from `at` on where a buffer may lie: a large one begins with a part, any other stays inside of
   one, see runtime/bundle.h. */
static uint64_t within_parts(const struct plan *p, uint64_t at, uint64_t bytes)
{
    uint64_t part = unit_part_bytes(p->target), rest = at % part;
    return rest && (bytes > part || rest + bytes > part) ? at - rest + part : at;
}

static bool assign(struct plan *p, struct diag *d)
{
    uint32_t n = 0, *list = ARENA_ARRAY(p->arena, uint32_t, p->nbuffers + 1);
    if (!list)
        return FAIL(d, MEMORY, "out of memory");
    for (uint32_t i = 0; i < p->nbuffers; i++)
        if (p->buffers[i].kind == PLAN_SCRATCH && p->buffers[i].first != UINT32_MAX)
            list[n++] = i;
    for (uint32_t i = 1; i < n; i++) { /* largest first, then in order of birth: insertion keeps it stable */
        uint32_t x = list[i], j = i;
        while (j > 0 && p->buffers[list[j - 1]].bytes < p->buffers[x].bytes) {
            list[j] = list[j - 1];
            j--;
        }
        list[j] = x;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct plan_buffer *b = &p->buffers[list[i]];
        uint64_t at = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (uint32_t j = 0; j < i; j++) {
                const struct plan_buffer *o = &p->buffers[list[j]];
                bool alive = p->apart || (o->first <= b->last && b->first <= o->last);
                if (alive && at < o->offset + room(p, o) && o->offset < at + room(p, b)) {
                    at = within_parts(p, o->offset + room(p, o), b->bytes);
                    moved = true;
                }
            }
        }
        b->offset = at;
        p->unplanned_bytes += align(b->bytes);
        if (at + room(p, b) > p->arena_bytes)
            p->arena_bytes = at + room(p, b);
    }
    return true;
}

static bool place_constants(struct plan *p, struct diag *d)
{
    uint64_t *at = ARENA_ARRAY(p->arena, uint64_t, p->graph->nliterals + 1);
    if (!at)
        return FAIL(d, MEMORY, "out of memory");
    for (uint32_t i = 0; i < p->nbuffers; i++) {
        struct plan_buffer *b = &p->buffers[i];
        if (b->kind != PLAN_CONSTANT)
            continue;
        if (at[b->index] == 0) { /* 1 + offset, so that 0 is "not yet" */
            at[b->index] = within_parts(p, p->constants_bytes, b->bytes) + 1;
            p->constants_bytes = align(at[b->index] - 1 + b->bytes);
        }
        b->offset = at[b->index] - 1;
    }
    return true;
}

/* ---- hazards ---- */

static bool same_memory(const struct plan *p, uint32_t a, uint32_t b)
{
    const struct plan_buffer *x = &p->buffers[a], *y = &p->buffers[b];
    if (a == b)
        return true;
    if (x->kind == PLAN_SCRATCH && y->kind == PLAN_SCRATCH)
        return x->offset < y->offset + y->bytes && y->offset < x->offset + x->bytes;
    if (x->kind == PLAN_OUTPUT && y->kind == PLAN_INPUT)
        return x->alias == y->index;
    if (x->kind == PLAN_INPUT && y->kind == PLAN_OUTPUT)
        return y->alias == x->index;
    return false;
}

static bool steers(const struct plan_step *s)
{
    return s->kind != STEP_DISPATCH && s->kind != STEP_COPY;
}

/* Whether one touches what the other writes. */
static bool conflict(const struct plan *p, const struct plan_step *x, const struct plan_step *y)
{
    for (uint32_t a = 0; a < x->nbuffers; a++) {
        for (uint32_t b = 0; b < y->nbuffers; b++)
            if (((x->access[a] | y->access[b]) & VKB_WRITE) && same_memory(p, x->buffers[a], y->buffers[b]))
                return true;
        if (y->counts != NO_INDEX && (x->access[a] & VKB_WRITE) && same_memory(p, x->buffers[a], y->counts))
            return true;
    }
    for (uint32_t b = 0; b < y->nbuffers && x->counts != NO_INDEX; b++)
        if ((y->access[b] & VKB_WRITE) && same_memory(p, y->buffers[b], x->counts))
            return true;
    return false;
}

static void hazards(struct plan *p, uint32_t first, uint32_t count)
{
    uint32_t since = first; /* the first step after the last barrier */
    for (uint32_t i = first; i < first + count; i++) {
        struct plan_step *s = &p->steps[i];
        s->barrier = steers(s) || i == first || steers(&p->steps[i - 1]);
        for (uint32_t k = since; k < i && !s->barrier; k++)
            s->barrier = conflict(p, s, &p->steps[k]);
        if (i == first && first == p->main_first)
            s->barrier = false; /* the runtime orders runs after each other */
        if (s->barrier)
            since = i;
        for (uint32_t r = 0; r < 2; r++)
            if (s->range_count[r])
                hazards(p, s->range_first[r], s->range_count[r]);
    }
}

bool memplan(struct plan *p, struct diag *d)
{
    for (uint32_t i = 0; i < p->nbuffers; i++)
        p->buffers[i].first = UINT32_MAX;
    uint32_t time = 0;
    walk(p, p->main_first, p->main_count, &time);
    if (!assign(p, d) || !place_constants(p, d))
        return false;
    hazards(p, p->main_first, p->main_count);
    return true;
}
