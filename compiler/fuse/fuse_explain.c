/* The decisions about the node that --explain names, with their estimates. */
#include "fuse/fuse.h"

bool fuse_is_asked(struct fusion *x, const struct kernel *k)
{
    struct unit *u = x->u;
    if (!u->asked || !members_of(u, u->arena, k, &x->members))
        return false;
    for (uint32_t i = 0; i < x->members.nnodes; i++)
        if (func_node(unit_func(u), x->members.nodes[i])->label == u->asked - 1)
            return true;
    return false;
}

bool fuse_tell(struct fusion *x, const struct decision *told)
{
    struct unit *u = x->u;
    for (uint32_t i = 0; i < u->ndecisions; i++) {
        struct decision *d = &u->decisions[i];
        if (d->node == told->node && d->other == told->other && d->done == told->done &&
            d->why == told->why)
            return true; /* it was tried again, and nothing had changed */
    }
    if (!arena_grow(u->arena, &u->decisions, u->ndecisions, &u->cap_decisions, sizeof *told))
        return FAIL(x->d, MEMORY, "out of memory");
    u->decisions[u->ndecisions++] = *told;
    return true;
}
