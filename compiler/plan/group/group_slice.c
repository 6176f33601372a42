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

struct slice group_slice(const struct group *g, const struct task_step *t, const struct phase *p)
{
    const struct slice none = {0};
    const struct kernel *k = &g->plan->kernels[t->step.kernel];
    if (!family_of(k)->is_elementwise || k->nroots != 1 || p->threads != 1)
        return none;
    const struct func *f = unit_func(t->unit);
    const struct node *n = func_node(f, unit_base(t->unit, k->roots[0]).node);
    const struct shape *whole = &n->outs[0].shape;
    if (n->op != OP_PUT_SLICE || p->count != shape_size(whole))
        return none;
    const struct shape *part = &func_tensor(f, n->ins[1])->shape;
    uint32_t to = buffer_of(t->unit, k->roots[0]), start = buffer_of(t->unit, n->ins[2]);
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

const char *group_slice_begin(const struct group *g, const struct slice *s)
{
    struct arena *a = g->plan->arena;
    const char *type = vkc_types[group_types[group_type(s->type)]].glsl;
    return arena_printf(a, "uint(clamp(%s, %s(0), %s(%lld))) * %lluu",
                        place_element(a, &g->place[s->start], "0u"), type, type, (long long)s->most,
                        (unsigned long long)s->row);
}
