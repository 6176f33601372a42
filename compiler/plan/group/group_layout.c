/* Where the values of a workgroup program live. A value that one phase makes in every thread is
   a variable; the rest goes to shared memory, one array a type, in which values that are never
   alive together share elements; when that is full, the largest go to a scratch buffer, laid out
   the same way. */
#include "plan/group/group.h"

#include <string.h>

#include "runtime/bundle.h"
#include "codegen/family/family.h"
#include "codegen/family/row_accumulator.h"
#include "plan/plan_steps.h"

/* Up to this many additions every thread computes a scalar for itself: about the cost of the
   barrier that would follow if one thread did. */
enum { UNIFORM_FLOPS = 48 };

const enum vkc_type group_types[GROUP_TYPES] = {TYPE_F32, TYPE_U32, TYPE_S32, TYPE_F64,
                                                TYPE_U64, TYPE_S64, TYPE_C64, TYPE_C128};

uint32_t group_type(enum vkc_type t)
{
    uint32_t i = 0;
    while (i + 1 < GROUP_TYPES && strcmp(vkc_types[group_types[i]].glsl, vkc_types[t].glsl) != 0)
        i++;
    return i;
}

bool group_is_uniform(const struct kernel *k)
{
    return family_of(k)->runs_everywhere && family_places(k) == 1 && family_row_threads(k) == 1 &&
           k->flops <= UNIFORM_FLOPS;
}

/* ---- lifetimes ---- */

struct life {
    uint32_t first, last;
    bool is_shared; /* some writer is a single thread, so it cannot be a variable */
};

static const struct life always = {0, UINT32_MAX - 1, true};

struct layout {
    struct group *g;
    struct life *life; /* by plan buffer */
    uint32_t time;
};

static void touch(struct layout *l, uint32_t buffer, uint32_t time)
{
    struct life *x = &l->life[buffer];
    x->first = time < x->first ? time : x->first;
    x->last = time > x->last ? time : x->last;
}

static void count_trees(struct layout *l, const struct task_step *t)
{
    const struct kernel *k = &l->g->plan->kernels[t->step.kernel];
    uint32_t count[GROUP_TYPES + 1] = {0};
    if (family_row_threads(k) == 1)
        return;
    for (uint32_t h = 0; h < k->nheroes; h++) { /* their names count all heroes of the phase */
        const struct node *n = func_node(unit_func(t->unit), k->heroes[h]);
        count[group_type(hero_holds(unit_func(t->unit), n))] = h + 1;
        if (op_class(n->op) == CLASS_ARGREDUCE)
            count[GROUP_TYPES] = h + 1;
    }
    for (uint32_t i = 0; i <= GROUP_TYPES; i++)
        l->g->parts[i] = count[i] > l->g->parts[i] ? count[i] : l->g->parts[i];
}

/* Whether the step writes the buffer from every thread. */
static bool writes_everywhere(const struct plan *p, const struct task_step *t, uint32_t buffer)
{
    if (t->step.kind == STEP_COPY)
        return true;
    const struct kernel *k = &p->kernels[t->step.kernel];
    if (family_places(k) == 1 && family_row_threads(k) > 1) /* row results are known to all */
        for (uint32_t r = 0; r < k->nroots; r++)
            if (t->unit->buffer[unit_slot(t->unit, unit_base(t->unit, k->roots[r]))] == buffer)
                return shape_size(&func_tensor(unit_func(t->unit), k->roots[r])->shape) == 1;
    return group_is_uniform(k);
}

static void walk(struct layout *l, const struct block *b)
{
    for (uint32_t i = 0; i < b->nsteps; i++) {
        const struct task_step *t = &b->steps[i];
        uint32_t now = l->time++;
        for (uint32_t j = 0; j < t->step.nbuffers; j++) {
            touch(l, t->step.buffers[j], now);
            if ((t->step.access[j] & VKB_WRITE) &&
                (t->step.kind == STEP_DISPATCH || t->step.kind == STEP_COPY) &&
                !writes_everywhere(l->g->plan, t, t->step.buffers[j]))
                l->life[t->step.buffers[j]].is_shared = true;
        }
        if (t->step.kind == STEP_DISPATCH)
            count_trees(l, t);
        for (uint32_t r = 0; r < 2; r++)
            if (t->range[r])
                walk(l, t->range[r]);
        if (t->step.kind == STEP_DISPATCH || t->step.kind == STEP_COPY)
            continue;
        /* what a loop touches and did not make is needed in the next round */
        uint32_t end = l->time++;
        for (uint32_t x = 0; t->step.kind == STEP_WHILE && x < l->g->plan->nbuffers; x++)
            if (l->life[x].first <= now && l->life[x].last >= now)
                l->life[x].last = end;
        touch(l, t->step.buffers[0], now); /* slow threads still read the predicate */
        touch(l, t->step.buffers[0], end);
    }
}

/* ---- offsets ---- */

/* The lowest elements at which it overlaps nothing that lives at the same time, largest values
   first. */
static bool assign(struct layout *l, enum place_kind kind, const char *prefix, uint32_t *totals)
{
    struct group *g = l->g;
    const struct plan *p = g->plan;
    uint32_t n = 0, *list = ARENA_ARRAY(p->arena, uint32_t, p->nbuffers + 1);
    if (!list)
        return false;
    memset(totals, 0, GROUP_TYPES * sizeof *totals);
    for (uint32_t i = g->inside; i < p->nbuffers; i++) {
        if (g->place[i].kind != kind)
            continue;
        uint32_t at = n++;
        while (at > 0 && p->buffers[list[at - 1]].elements < p->buffers[i].elements) {
            list[at] = list[at - 1];
            at--;
        }
        list[at] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct plan_buffer *b = &p->buffers[list[i]];
        const struct life *x = &l->life[list[i]];
        uint32_t type = group_type(b->type), at = 0, size = (uint32_t)b->elements;
        for (bool moved = true; moved;) {
            moved = false;
            for (uint32_t j = 0; j < i; j++) {
                const struct place *q = &g->place[list[j]];
                const struct life *y = &l->life[list[j]];
                uint32_t other = (uint32_t)p->buffers[list[j]].elements;
                if (group_type(p->buffers[list[j]].type) != type || y->first > x->last ||
                    x->first > y->last)
                    continue;
                if (at < q->offset + other && q->offset < at + size) {
                    at = q->offset + other;
                    moved = true;
                }
            }
        }
        g->place[list[i]].offset = at;
        g->place[list[i]].array =
            arena_printf(p->arena, "%s_%s", prefix, vkc_types[group_types[type]].glsl);
        totals[type] = at + size > totals[type] ? at + size : totals[type];
    }
    return !p->arena->failed;
}

static uint64_t bytes_of(const uint32_t *totals)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < GROUP_TYPES; i++)
        n += (uint64_t)totals[i] * type_bytes(group_types[i]);
    return n;
}

/* What lies in the scratch buffer is saved there: it keeps its place between dispatches. */
static void save_in_place(struct layout *l)
{
    struct group *g = l->g;
    for (uint32_t i = g->inside; i < g->plan->nbuffers; i++) {
        const struct plan_buffer *b = &g->plan->buffers[i];
        if (!b->is_saved || g->place[i].kind != PLACE_SCRATCH)
            continue;
        if (g->place[b->saves].kind == PLACE_SCRATCH) {
            l->life[b->saves] = always;
            g->place[i].kind = PLACE_NONE;
        } else
            g->saved_bytes += (uint64_t)b->elements * type_bytes(group_types[group_type(b->type)]);
    }
}

/* No two types share elements. The arrays of all begin where the buffer does (an untrusted bundle
   may not have them elsewhere), so the elements of a type are counted from there. */
static void part_types(struct group *g)
{
    uint64_t first[GROUP_TYPES];
    for (uint32_t i = 0; i < GROUP_TYPES; i++) {
        uint32_t bytes = type_bytes(group_types[i]);
        g->scratch_bytes = (g->scratch_bytes + 15) & ~(uint64_t)15;
        first[i] = g->scratch_bytes / bytes;
        g->scratch_bytes += (uint64_t)g->scratch[i] * bytes;
    }
    for (uint32_t i = g->inside; i < g->plan->nbuffers; i++)
        if (g->place[i].kind == PLACE_SCRATCH)
            g->place[i].offset += (uint32_t)first[group_type(g->plan->buffers[i].type)];
}

static bool spread(struct layout *l, uint32_t limit)
{
    struct group *g = l->g;
    const struct plan *p = g->plan;
    for (;;) {
        if (!assign(l, PLACE_SHARED, "sh", g->shared))
            return false;
        if (bytes_of(g->shared) <= limit)
            break;
        uint32_t largest = NO_INDEX;
        for (uint32_t i = g->inside; i < p->nbuffers; i++)
            if (g->place[i].kind == PLACE_SHARED &&
                (largest == NO_INDEX || p->buffers[i].bytes > p->buffers[largest].bytes))
                largest = i;
        if (largest == NO_INDEX)
            break;
        g->place[largest].kind = PLACE_SCRATCH;
    }
    save_in_place(l);
    if (!assign(l, PLACE_SCRATCH, "tmp", g->scratch))
        return false;
    g->shared_bytes = (uint32_t)bytes_of(g->shared) + g->part_bytes;
    part_types(g);
    return true;
}

bool group_copies_nothing(const struct group *g, const struct plan_step *s)
{
    return s->buffers[0] == s->buffers[1] || g->place[s->buffers[0]].kind == PLACE_NONE ||
           g->place[s->buffers[1]].kind == PLACE_NONE;
}

/* ---- names ---- */

/* "n12" of the entry, "f3_n12" of a region; what belongs to no node has its number. */
static const char *buffer_name(struct group *g, const char *prefix, uint32_t buffer)
{
    const char *name = g->plan->buffers[buffer].name;
    if (!name || name[0] != 'n' || name[1] < '0' || name[1] > '9')
        return arena_printf(g->plan->arena, "%s_%u", prefix, buffer);
    char *plain = arena_copy(g->plan->arena, name, strlen(name) + 1);
    for (char *c = plain; c && *c; c++)
        if (*c == '.')
            *c = '_';
    return arena_printf(g->plan->arena, "%s_%s_%u", prefix, plain ? plain : "", buffer);
}

bool group_layout(struct group *g, const char **why_not, struct diag *d)
{
    struct plan *p = g->plan;
    struct layout l = {.g = g};
    l.life = ARENA_ARRAY(p->arena, struct life, p->nbuffers + 1);
    g->place = ARENA_ARRAY(p->arena, struct place, p->nbuffers + 1);
    g->access = ARENA_ARRAY(p->arena, uint8_t, p->nbuffers + 1);
    if (!l.life || !g->place || !g->access)
        return FAIL(d, MEMORY, "out of memory");
    for (uint32_t i = 0; i < p->nbuffers; i++)
        l.life[i].first = UINT32_MAX;
    walk(&l, g->block);
    for (uint32_t i = 0; i < GROUP_TYPES; i++)
        g->part_bytes += g->parts[i] * g->threads * type_bytes(group_types[i]);
    g->part_bytes += g->parts[GROUP_TYPES] * g->threads * 4;
    if (g->part_bytes > p->target->max_shared_bytes) {
        *why_not = "its reductions need more shared memory than the target has";
        return false;
    }
    for (uint32_t i = 0; i < p->nbuffers; i++) {
        struct place *place = &g->place[i];
        if (l.life[i].first == UINT32_MAX)
            continue;
        if (i < g->inside || p->buffers[i].kind != PLAN_SCRATCH || p->buffers[i].is_outside) {
            place->kind = PLACE_BOUND;
            place->array = buffer_name(g, "buf", i);
            const struct plan_buffer *whole = &p->buffers[i];
            if (whole->is_row) {
                place->row = arena_printf(p->arena, "instance * %lluu",
                                          (unsigned long long)whole->elements /
                                              packed_per_word(whole->type));
                whole = &p->buffers[whole->rows_of];
            }
            place->in_parts = whole->bytes > unit_part_bytes(p->target);
        } else if (p->buffers[i].is_saved) {
            place->kind = PLACE_SCRATCH;
            l.life[i] = always;
        } else if (p->buffers[i].elements == 1 && !l.life[i].is_shared) {
            place->kind = PLACE_LOCAL;
            place->array = buffer_name(g, "reg", i);
        } else
            place->kind = PLACE_SHARED;
    }
    if (!spread(&l, p->target->max_shared_bytes - g->part_bytes))
        return FAIL(d, MEMORY, "out of memory");
    return true;
}
