#include "codegen/members.h"

#include <stdlib.h>

#include "base/num.h"

bool members_loads(const struct unit *u, const struct kernel *k, struct value v)
{
    uint32_t slot = unit_slot(u, v);
    return u->external[slot] || (u->stored[slot] && u->kernel_of[slot] != k->id);
}

/* The list of nodes is also what is still to be looked at, last first. */
static bool meet(struct unit *u, struct arena *a, struct members *m, uint32_t *top, node_id id)
{
    if (members_has(u, id))
        return true;
    u->seen[id] = u->sight;
    u->walk[(*top)++] = id;
    if (!arena_grow(a, &m->nodes, m->nnodes, &m->cap_nodes, sizeof *m->nodes))
        return false;
    m->nodes[m->nnodes++] = id;
    return true;
}

static bool add_load(struct unit *u, struct arena *a, struct members *m, struct value v)
{
    uint32_t *mark = &u->loaded[unit_slot(u, v)];
    if (*mark == u->sight)
        return true;
    *mark = u->sight;
    if (!arena_grow(a, &m->loads, m->nloads, &m->cap_loads, sizeof *m->loads))
        return false;
    m->loads[m->nloads++] = v;
    return true;
}

bool members_of(struct unit *u, struct arena *a, const struct kernel *k, struct members *m)
{
    const struct func *f = unit_func(u);
    uint32_t top = 0;
    u->sight++;
    m->nnodes = m->nloads = 0;
    for (uint32_t i = 0; i < k->nroots + k->nheroes; i++)
        if (!meet(u, a, m, &top, i < k->nroots ? k->roots[i].node : k->heroes[i - k->nroots]))
            return false;
    while (top) {
        const struct node *n = func_node(f, u->walk[--top]);
        for (uint32_t i = 0; i < n->nins; i++)
            if (members_loads(u, k, n->ins[i])) {
                if (!add_load(u, a, m, unit_base(u, n->ins[i])))
                    return false;
            } else if (!meet(u, a, m, &top, n->ins[i].node))
                return false;
    }
    return true;
}

void members_sort(struct members *m)
{
    if (m->nnodes)
        qsort(m->nodes, m->nnodes, sizeof *m->nodes, num_compare_u32);
}
