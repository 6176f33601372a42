/* Places: when each scratch buffer is alive, where it lies in the arena, where constants lie, and
   which steps must wait for earlier ones.

   Offsets are assigned greedily, largest buffer first, each at the lowest place where nothing
   that is alive at the same time overlaps. A step has a barrier only if it touches memory that a
   step since the last barrier wrote, or writes memory that one read. A step also reads the words
   in memory that decide whether it runs. */
#include <stdlib.h>
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

/* Walks the steps in the order in which they run. A value that a loop touches and did not make
   itself lives until the loop ends, since the next round needs it again. */
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

/* The first place, not below `at`, where a buffer may lie: a large one begins with a part, any
   other stays within one, see runtime/bundle.h. */
static uint64_t within_parts(const struct plan *p, uint64_t at, uint64_t bytes)
{
    uint64_t part = unit_part_bytes(p->target), rest = at % part;
    return rest && (bytes > part || rest + bytes > part) ? at - rest + part : at;
}

/* Buffers that have places, by the times at which they are alive: node i of a binary tree over
   time has the halves 2i and 2i + 1, a buffer is in the fewest nodes that make up its life. */
struct alive {
    struct alive *next;
    uint32_t buffer;
};

struct times {
    struct plan *plan;
    struct alive **at;
    uint32_t span; /* leaves, a power of two */
    uint32_t *found, nfound;
    uint32_t *seen, search; /* by buffer: found in this search */
    bool failed;
};

/* Adds the buffer to the nodes below `node`, which spans `first` to `last`. */
static void add_alive(struct times *t, uint32_t node, uint32_t first, uint32_t last,
                      uint32_t buffer)
{
    const struct plan_buffer *b = &t->plan->buffers[buffer];
    uint32_t middle = first + (last - first) / 2;
    if (b->last < first || last < b->first)
        return;
    if (b->first <= first && last <= b->last) {
        struct alive *a = ARENA_NEW(t->plan->arena, struct alive);
        t->failed |= a == NULL;
        if (a) {
            *a = (struct alive){t->at[node], buffer};
            t->at[node] = a;
        }
        return;
    }
    add_alive(t, 2 * node, first, middle, buffer);
    add_alive(t, 2 * node + 1, middle + 1, last, buffer);
}

/* Finds what is alive at some time together with the buffer. */
static void find_alive(struct times *t, uint32_t node, uint32_t first, uint32_t last,
                       const struct plan_buffer *b)
{
    uint32_t middle = first + (last - first) / 2;
    if (b->last < first || last < b->first)
        return;
    for (const struct alive *a = t->at[node]; a; a = a->next)
        if (t->seen[a->buffer] != t->search) {
            t->seen[a->buffer] = t->search;
            t->found[t->nfound++] = a->buffer;
        }
    if (first == last)
        return;
    find_alive(t, 2 * node, first, middle, b);
    find_alive(t, 2 * node + 1, middle + 1, last, b);
}

/* What qsort compares: where a buffer lies, or how large it is, and its number. */
struct sorted {
    uint64_t key;
    uint32_t buffer;
};

static int by_key(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* The lowest place for a buffer beside those that were found. */
static uint64_t lowest_place(const struct plan *p, const struct times *t, struct sorted *by_place,
                             const struct plan_buffer *b)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < t->nfound; i++)
        by_place[i] = (struct sorted){p->buffers[t->found[i]].offset, t->found[i]};
    qsort(by_place, t->nfound, sizeof *by_place, by_key);
    for (uint32_t i = 0; i < t->nfound; i++) {
        const struct plan_buffer *o = &p->buffers[by_place[i].buffer];
        if (at + room(p, b) <= o->offset)
            break; /* it fits before this one, and the others lie higher */
        if (at < o->offset + room(p, o))
            at = within_parts(p, o->offset + room(p, o), b->bytes);
    }
    return at;
}

static bool assign(struct plan *p, uint32_t end, struct diag *d)
{
    struct times t = {.plan = p, .span = 1};
    uint32_t n = 0;
    while (t.span <= end)
        t.span *= 2;
    t.at = ARENA_ARRAY(p->arena, struct alive *, 2 * (uint64_t)t.span);
    t.found = ARENA_ARRAY(p->arena, uint32_t, p->nbuffers + 1);
    t.seen = ARENA_ARRAY(p->arena, uint32_t, p->nbuffers + 1);
    struct sorted *list = ARENA_ARRAY(p->arena, struct sorted, p->nbuffers + 1);
    struct sorted *by_place = ARENA_ARRAY(p->arena, struct sorted, p->nbuffers + 1);
    if (!t.at || !t.found || !t.seen || !list || !by_place)
        return FAIL(d, MEMORY, "out of memory");
    for (uint32_t i = 0; i < p->nbuffers; i++) /* largest first, then in order of birth */
        if (p->buffers[i].kind == PLAN_SCRATCH && p->buffers[i].first != UINT32_MAX)
            list[n++] = (struct sorted){UINT64_MAX - p->buffers[i].bytes, i};
    qsort(list, n, sizeof *list, by_key);
    for (uint32_t i = 0; i < n; i++) {
        struct plan_buffer *b = &p->buffers[list[i].buffer];
        t.search++;
        t.nfound = 0;
        if (p->apart)
            for (; t.nfound < i; t.nfound++)
                t.found[t.nfound] = list[t.nfound].buffer;
        else
            find_alive(&t, 1, 0, t.span - 1, b);
        b->offset = lowest_place(p, &t, by_place, b);
        add_alive(&t, 1, 0, t.span - 1, list[i].buffer);
        p->unplanned_bytes += align(b->bytes);
        if (b->offset + room(p, b) > p->arena_bytes)
            p->arena_bytes = b->offset + room(p, b);
    }
    return !t.failed || FAIL(d, MEMORY, "out of memory");
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

/* Bytes of one memory: the arena, or an input, output or constants of their own. */
struct piece {
    uint64_t memory, first, end;
};

/* Disjoint pieces in order. */
struct pieces {
    struct piece *list;
    uint32_t n, cap;
};

static int compare(const struct piece *x, const struct piece *y)
{
    if (x->memory != y->memory)
        return x->memory < y->memory ? -1 : 1;
    return x->end <= y->first ? -1 : y->end <= x->first ? 1 : 0; /* 0: they overlap */
}

/* The first piece of the set that does not lie before x. */
static uint32_t place_in(const struct pieces *s, const struct piece *x)
{
    uint32_t low = 0, high = s->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare(&s->list[middle], x) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool overlaps(const struct pieces *s, const struct piece *x)
{
    uint32_t at = place_in(s, x);
    return at < s->n && compare(&s->list[at], x) == 0;
}

static bool add_piece(struct arena *a, struct pieces *s, struct piece x)
{
    uint32_t at = place_in(s, &x), end = at;
    for (; end < s->n && compare(&s->list[end], &x) == 0; end++) { /* these become part of it */
        x.first = s->list[end].first < x.first ? s->list[end].first : x.first;
        x.end = s->list[end].end > x.end ? s->list[end].end : x.end;
    }
    if (end == at && !arena_grow(a, &s->list, s->n, &s->cap, sizeof *s->list))
        return false;
    memmove(&s->list[at + 1], &s->list[end], (s->n - end) * sizeof *s->list);
    s->list[at] = x;
    s->n = s->n - (end - at) + 1;
    return true;
}

/* The memory of a buffer. An output that takes over an input's is the input. */
static struct piece piece_of(const struct plan *p, uint32_t buffer)
{
    const struct plan_buffer *b = &p->buffers[buffer];
    if (b->kind == PLAN_SCRATCH)
        return (struct piece){0, b->offset, b->offset + b->bytes};
    if (b->kind == PLAN_INPUT)
        return (struct piece){1 + 2 * (uint64_t)b->index, 0, 1};
    if (b->kind == PLAN_OUTPUT && b->alias != NO_INDEX)
        return (struct piece){1 + 2 * (uint64_t)b->alias, 0, 1};
    return (struct piece){2 + 2 * (uint64_t)buffer, 0, 1};
}

struct since { /* the last barrier */
    struct pieces touched, written;
};

static bool steers(const struct plan_step *s)
{
    return s->kind != STEP_DISPATCH && s->kind != STEP_COPY;
}

/* Whether the step writes what was touched, or touches what was written. Its group counts are
   read. */
static bool conflicts(const struct plan *p, const struct plan_step *s, const struct since *since)
{
    for (uint32_t i = 0; i < s->nbuffers; i++) {
        struct piece x = piece_of(p, s->buffers[i]);
        if (overlaps(s->access[i] & VKB_WRITE ? &since->touched : &since->written, &x))
            return true;
    }
    struct piece counts = s->counts != NO_INDEX ? piece_of(p, s->counts) : (struct piece){0};
    return s->counts != NO_INDEX && overlaps(&since->written, &counts);
}

static bool note(struct plan *p, const struct plan_step *s, struct since *since)
{
    for (uint32_t i = 0; i < s->nbuffers; i++) {
        struct piece x = piece_of(p, s->buffers[i]);
        if (!add_piece(p->arena, &since->touched, x) ||
            ((s->access[i] & VKB_WRITE) && !add_piece(p->arena, &since->written, x)))
            return false;
    }
    return s->counts == NO_INDEX || add_piece(p->arena, &since->touched, piece_of(p, s->counts));
}

static bool hazards(struct plan *p, uint32_t first, uint32_t count)
{
    struct since since = {0};
    for (uint32_t i = first; i < first + count; i++) {
        struct plan_step *s = &p->steps[i];
        s->barrier = steers(s) || i == first || steers(&p->steps[i - 1]) || conflicts(p, s, &since);
        if (i == first && first == p->main_first)
            s->barrier = false; /* the runtime orders runs after each other */
        if (s->barrier)
            since.touched.n = since.written.n = 0;
        if (!note(p, s, &since))
            return false;
        for (uint32_t r = 0; r < 2; r++)
            if (s->range_count[r] && !hazards(p, s->range_first[r], s->range_count[r]))
                return false;
    }
    return true;
}

bool memplan(struct plan *p, struct diag *d)
{
    for (uint32_t i = 0; i < p->nbuffers; i++)
        p->buffers[i].first = UINT32_MAX;
    uint32_t time = 0;
    walk(p, p->main_first, p->main_count, &time);
    if (!assign(p, time, d) || !place_constants(p, d))
        return false;
    return hazards(p, p->main_first, p->main_count) || FAIL(d, MEMORY, "out of memory");
}
