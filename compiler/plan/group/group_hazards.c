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

static bool meets(const struct group *g, const struct touch *t, const struct plan_step *s,
                  struct row_write rows)
{
    for (uint32_t i = 0; i < s->nbuffers; i++) {
        uint32_t buffer = s->buffers[i];
        bool in_order =
            t->row && t->row == rows.row && t->buffer == buffer && rows.buffer == buffer;
        if (!in_order && g->place[buffer].kind != PLACE_LOCAL &&
            ((s->access[i] | t->access) & VKB_WRITE) && overlap(g, buffer, t->buffer))
            return true;
    }
    return false;
}

bool touched_meets(const struct group *g, const struct touched *since, const struct plan_step *s,
                   struct row_write rows, bool parts)
{
    if (parts && since->parts)
        return true;
    for (uint32_t i = 0; i < since->n; i++)
        if (meets(g, &since->list[i], s, rows))
            return true;
    return false;
}

static bool is_row(const struct group *g, const struct touch *t)
{
    return t->row && g->place[t->buffer].kind != PLACE_SHARED;
}

bool touched_meets_rows(const struct group *g, const struct touched *since,
                        const struct plan_step *s, struct row_write rows)
{
    for (uint32_t i = 0; i < since->n; i++)
        if (is_row(g, &since->list[i]) && meets(g, &since->list[i], s, rows))
            return true;
    return false;
}

static bool add(const struct group *g, struct touched *t, struct touch touch)
{
    enum plan_buffer_kind kind = g->plan->buffers[touch.buffer].kind;
    if (g->place[touch.buffer].kind == PLACE_LOCAL || kind == PLAN_INPUT || kind == PLAN_CONSTANT)
        return true; /* no other thread writes it */
    if (!arena_grow(t->arena, &t->list, t->n, &t->cap, sizeof *t->list))
        return false;
    t->list[t->n++] = touch;
    return true;
}

bool touched_add(const struct group *g, struct touched *since, const struct plan_step *s,
                 struct row_write rows, bool parts)
{
    since->parts |= parts;
    for (uint32_t i = 0; i < s->nbuffers; i++) {
        uint32_t row = s->buffers[i] == rows.buffer ? rows.row : 0;
        if (!add(g, since, (struct touch){s->buffers[i], row, s->access[i]}))
            return false;
    }
    return true;
}

bool touched_join(const struct group *g, struct touched *since, const struct touched *other)
{
    since->parts |= other->parts;
    for (uint32_t i = 0; i < other->n; i++)
        if (!add(g, since, other->list[i]))
            return false;
    return true;
}

bool touched_copy(struct arena *a, const struct touched *from, struct touched *to)
{
    *to = *from;
    to->arena = a;
    to->list = arena_copy(a, from->list, from->n * sizeof *from->list);
    to->cap = from->n;
    return to->list != NULL;
}

bool touched_buffers(const struct group *g, const struct touched *since)
{
    for (uint32_t i = 0; i < since->n; i++)
        if (!since->list[i].row && (since->list[i].access & VKB_WRITE) &&
            g->place[since->list[i].buffer].kind != PLACE_SHARED)
            return true;
    return false;
}

bool touched_clear(const struct group *g, struct touched *since, bool buffers)
{
    uint32_t rows = 0, n = since->n;
    bool parts = since->parts;
    for (uint32_t i = 0; i < n; i++)
        if (is_row(g, &since->list[i]))
            since->list[rows++] = since->list[i];
    since->n = buffers ? 0 : rows;
    since->parts = false;
    return n > rows || parts || (buffers && rows > 0);
}

bool touched_rows(const struct group *g, struct touched *at_end, const struct touched *round)
{
    for (uint32_t i = 0; i < round->n; i++)
        if (is_row(g, &round->list[i]) && !add(g, at_end, round->list[i]))
            return false;
    return true;
}
