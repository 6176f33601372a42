/* A chain that is recorded step by step carries arrays of which a round writes one row: walking all
   of such an array would take longer than the step. */
#include "plan/group/group_slice.h"

#include "runtime/bundle.h"

static uint32_t buffer_of(const struct unit *u, struct value v)
{
    return u->buffer[unit_slot(u, unit_base(u, v))];
}

static bool reads(const struct plan_step *s, uint32_t buffer)
{
    for (uint32_t i = 0; i < s->nbuffers; i++)
        if (s->buffers[i] == buffer && (s->access[i] & VKB_READ))
            return true;
    return false;
}

/* Whether a slice of `part` covers `whole` along all axes but the first. */
static bool covers_rows(const struct shape *whole, const struct shape *part)
{
    for (uint32_t i = 1; i < whole->rank; i++)
        if (part->dim[i] != whole->dim[i])
            return false;
    return whole->rank > 0 && whole->dim[0] > 0;
}

/* Whether the node writes one slice of its first operand, at a place along the first axis: which
   operand is the slice, and which the place. The code of a scatter asks of each element whether it
   is meant, so where the place is outside, the slice at the nearest one keeps what it has. */
static bool writes_slice(const struct func *f, const struct node *n, uint32_t *part,
                         uint32_t *start)
{
    if (n->op == OP_PUT_SLICE) {
        *part = 1;
        *start = 2;
        return true;
    }
    if (n->op != OP_INDEXED_PUT && n->op != OP_INDEXED_ADD)
        return false;
    *part = 2;
    *start = 1;
    return attr_list_has(n, ATTR_axes, 0) && shape_size(&func_tensor(f, n->ins[1])->shape) == 1;
}

struct slice group_slice(const struct group *g, const struct task_step *t, const struct phase *p)
{
    const struct slice none = {0};
    const struct kernel *k = &g->plan->kernels[t->step.kernel];
    if (k->nroots != 1 || p->threads != 1)
        return none;
    const struct func *f = unit_func(t->unit);
    const struct node *n = func_node(f, unit_base(t->unit, k->roots[0]).node);
    const struct shape *whole = &n->outs[0].shape;
    uint32_t update, place;
    if (!writes_slice(f, n, &update, &place) || p->count != shape_size(whole))
        return none;
    const struct shape *part = &func_tensor(f, n->ins[update])->shape;
    uint32_t to = buffer_of(t->unit, k->roots[0]), start = buffer_of(t->unit, n->ins[place]);
    if (to == NO_INDEX || buffer_of(t->unit, n->ins[0]) != to || !reads(&t->step, to) ||
        start == NO_INDEX || !reads(&t->step, start) || !covers_rows(whole, part))
        return none;
    if (packed_per_word(n->outs[0].type) > 1 && g->place[to].kind == PLACE_BOUND)
        return none; /* a thread stores whole words */
    enum vkc_type type = g->plan->buffers[start].type;
    if (!type_is_int(type) || (g->place[start].kind == PLACE_BOUND && type_bytes(type) < 4))
        return none;
    int64_t count = shape_size(part);
    return (struct slice){count, start, type, whole->dim[0] - part->dim[0],
                          p->count / whole->dim[0]};
}

static bool is_load(const struct unit *u, const struct kernel *k, struct value v)
{
    uint32_t slot = unit_slot(u, v);
    return u->external[slot] || (u->stored[slot] && u->kernel_of[slot] != k->id);
}

/* Whether the kernel loads from the buffer what it puts there. */
static bool asks_for(const struct unit *u, const struct kernel *k, struct value put,
                     uint32_t buffer)
{
    const struct func *f = unit_func(u);
    bool found = false, *asked = ARENA_ARRAY(u->arena, bool, put.node + 1);
    if (!asked)
        return true;
    asked[put.node] = true;
    for (node_id id = put.node + 1; id-- > 0 && !found;) {
        const struct node *n = func_node(f, id);
        bool loads = false;
        for (uint32_t i = 0; i < n->nouts && asked[id]; i++)
            if (is_load(u, k, (struct value){id, i})) {
                loads = true;
                found |= buffer_of(u, (struct value){id, i}) == buffer;
            }
        for (uint32_t i = 0; i < n->nins && asked[id] && !loads; i++)
            asked[n->ins[i].node] = true;
    }
    return found;
}

struct row_write group_row_write(const struct group *g, const struct task_step *t)
{
    const struct row_write none = {NO_INDEX, 0};
    if (t->step.kind != STEP_DISPATCH)
        return none;
    const struct kernel *k = &g->plan->kernels[t->step.kernel];
    struct phase p = family_phase(k);
    const struct slice s = group_slice(g, t, &p);
    if (!s.count || s.count != s.row || s.count > g->threads || group_is_uniform(k))
        return none;
    struct value root = unit_base(t->unit, k->roots[0]);
    const struct node *n = func_node(unit_func(t->unit), root.node);
    uint32_t to = buffer_of(t->unit, root), update = n->op == OP_PUT_SLICE ? 1 : 2;
    if (asks_for(t->unit, k, n->ins[update], to))
        return none;
    return (struct row_write){to, (uint32_t)s.row};
}

bool group_touches_row(const struct group *g, const struct block *b, struct row_write rows)
{
    bool touches = false;
    for (uint32_t i = 0; i < b->nsteps && !touches; i++) {
        const struct task_step *t = &b->steps[i];
        const struct touch written = {rows.buffer, rows.row, VKB_WRITE};
        const struct touched one = {.list = (struct touch *)&written, .n = 1};
        touches = touched_meets(g, &one, &t->step, group_row_write(g, t), false);
        for (uint32_t r = 0; r < 2 && !touches; r++)
            touches = t->range[r] && group_touches_row(g, t->range[r], rows);
    }
    return touches;
}

const char *group_slice_begin(const struct group *g, const struct slice *s)
{
    struct arena *a = g->plan->arena;
    const char *type = vkc_types[group_types[group_type(s->type)]].glsl;
    return arena_printf(a, "uint(clamp(%s, %s(0), %s(%lld))) * %lluu",
                        place_element(a, &g->place[s->start], "0u"), type, type, (long long)s->most,
                        (unsigned long long)s->row);
}
