#include "plan/group/group_kept.h"

#include "codegen/members.h"

void kept_init(struct kept *k, struct arena *a)
{
    *k = (struct kept){.arena = a};
    str_init(&k->locals, a);
}

uint32_t kept_of(const struct kept *k, const struct unit *u, struct single **out)
{
    uint32_t n = 0;
    *out = ARENA_ARRAY(k->arena, struct single, k->n + 1);
    if (!*out)
        return UINT32_MAX;
    for (uint32_t i = 0; i < k->n; i++)
        if (k->list[i].unit == u)
            (*out)[n++] = k->list[i].single;
    return n;
}

/* Marks those of `from` that the kernel computes. */
static bool mark(struct kept *k, const struct group *g, const struct task_step *t,
                 const struct gangs *from, bool *wanted)
{
    struct members m = {0};
    if (!members_of(t->unit, k->arena, &g->plan->kernels[t->step.kernel], &m))
        return false;
    for (uint32_t i = 0; i < from->nsingles; i++)
        wanted[i] |= members_has(t->unit, from->singles[i].v.node);
    return true;
}

static bool keep(struct kept *k, const struct unit *u, const struct single *s, struct str *text)
{
    const struct node *n = func_node(unit_func(u), s->v.node);
    const char *type = vkc_types[n->outs[s->v.out].type].glsl,
               *name = arena_printf(k->arena, "kept_n%u_%u", n->label, k->made++);
    if (!arena_grow(k->arena, &k->list, k->n, &k->cap, sizeof *k->list))
        return false;
    k->list[k->n++] = (struct kept_single){u, {s->v, name}};
    str_printf(&k->locals, "    %s %s;\n", type, name);
    str_printf(text, "    %s = %s;\n", name, s->name);
    return true;
}

bool kept_add(struct kept *k, const struct group *g, struct unit *u, const struct gangs *from,
              const struct block *b, uint32_t next, struct str *text)
{
    bool *wanted = ARENA_ARRAY(k->arena, bool, from->nsingles + 1);
    if (!wanted)
        return false;
    for (uint32_t j = next; j < b->nsteps; j++)
        if (b->steps[j].step.kind == STEP_DISPATCH && b->steps[j].unit == u &&
            !mark(k, g, &b->steps[j], from, wanted))
            return false;
    for (uint32_t i = 0; i < from->nsingles; i++)
        if (wanted[i] && !keep(k, u, &from->singles[i], text))
            return false;
    return true;
}
