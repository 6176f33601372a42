#include "plan/group/group_hazards.h"

#include "runtime/bundle.h"

static bool overlap(const struct group *g, uint32_t a, uint32_t b)
{
    const struct place *x = &g->place[a], *y = &g->place[b];
    const struct plan_buffer *of_x = &g->plan->buffers[a], *of_y = &g->plan->buffers[b];
    if (a == b)
        return true;
    if (x->kind != y->kind || x->kind == PLACE_BOUND ||
        group_type(of_x->type) != group_type(of_y->type))
        return false;
    return x->offset < y->offset + of_y->elements && y->offset < x->offset + of_x->elements;
}

bool touched_meets(const struct group *g, const struct touched *since, const struct plan_step *s,
                   bool parts)
{
    bool meets = parts && since->parts;
    for (uint32_t i = 0; i < s->nbuffers && !meets; i++)
        for (uint32_t j = 0; j < since->n && !meets; j++)
            meets = g->place[s->buffers[i]].kind != PLACE_LOCAL &&
                    ((s->access[i] | since->access[j]) & VKB_WRITE) &&
                    overlap(g, s->buffers[i], since->buffers[j]);
    return meets;
}

static bool add(const struct group *g, struct touched *t, uint32_t buffer, uint8_t access)
{
    enum plan_buffer_kind kind = g->plan->buffers[buffer].kind;
    if (g->place[buffer].kind == PLACE_LOCAL || kind == PLAN_INPUT || kind == PLAN_CONSTANT)
        return true; /* no other thread writes it */
    if (!arena_grow(t->arena, &t->buffers, t->n, &t->cap, sizeof *t->buffers) ||
        !arena_grow(t->arena, &t->access, t->n, &t->cap2, sizeof *t->access))
        return false;
    t->buffers[t->n] = buffer;
    t->access[t->n++] = access;
    return true;
}

bool touched_add(const struct group *g, struct touched *since, const struct plan_step *s,
                 bool parts)
{
    since->parts |= parts;
    for (uint32_t i = 0; i < s->nbuffers; i++)
        if (!add(g, since, s->buffers[i], s->access[i]))
            return false;
    return true;
}

bool touched_join(const struct group *g, struct touched *since, const struct touched *other)
{
    since->parts |= other->parts;
    for (uint32_t i = 0; i < other->n; i++)
        if (!add(g, since, other->buffers[i], other->access[i]))
            return false;
    return true;
}

bool touched_copy(struct arena *a, const struct touched *from, struct touched *to)
{
    *to = *from;
    to->arena = a;
    to->buffers = arena_copy(a, from->buffers, from->n * sizeof *from->buffers);
    to->access = arena_copy(a, from->access, from->n * sizeof *from->access);
    to->cap = to->cap2 = from->n;
    return to->buffers && to->access;
}

bool touched_clear(struct touched *since)
{
    bool any = since->n > 0 || since->parts;
    since->n = 0;
    since->parts = false;
    return any;
}
