/* Values that a row program needs in more than one of its loops: in straight code they stay in
   registers, in loops they are loaded and computed again. */
#include "codegen/family/row_held.h"

#include "codegen/members.h"

/* The loops, counted from 1, in which nodes are needed first and last, by node. */
struct stays {
    struct emit *e;
    const struct slots *levels;
    struct slots first, last;
    bool failed; /* out of memory */
};

static uint32_t count_of(const struct slots *s, node_id id)
{
    const struct slot *at = slots_get(s, id);
    return at ? at->count : 0;
}

static void need(struct stays *w, node_id id, uint32_t loop)
{
    struct slot *first = slots_put(w->e->arena, &w->first, id);
    struct slot *last = slots_put(w->e->arena, &w->last, id);
    if (!first || !last) {
        w->failed = true;
        return;
    }
    first->count = first->count && first->count < loop ? first->count : loop;
    last->count = last->count > loop ? last->count : loop;
}

/* What is the same for a whole row, or known, takes no registers of its elements. */
static bool is_of_elements(const struct stays *w, node_id id)
{
    const struct node *n = func_node(w->e->func, id);
    int64_t rows = w->e->kernel->space.rows.outer;
    return n->nouts > 0 && n->op != OP_CONSTANT && n->op != OP_IOTA &&
           shape_size(&n->outs[0].shape) > rows &&
           (n->op != OP_BROADCAST || shape_size(&func_tensor(w->e->func, n->ins[0])->shape) > rows);
}

static uint32_t words(const struct stays *w, node_id id)
{
    uint32_t bytes = type_bytes(func_node(w->e->func, id)->outs[0].type);
    return bytes <= 4 ? 1 : bytes / 4;
}

/* A hero's operands are needed in its loop, a result's value in the first that has all of it. */
static void needed_by_loops(struct stays *w)
{
    const struct kernel *k = w->e->kernel;
    for (uint32_t h = 0; h < k->nheroes; h++)
        need(w, k->heroes[h], count_of(w->levels, k->heroes[h]));
    for (uint32_t i = 0; i < k->nroots; i++)
        need(w, k->roots[i].node, count_of(w->levels, k->roots[i].node) + 1);
}

static uint32_t held_after(const struct stays *w, uint32_t loop)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < w->last.cap; i++) {
        const struct slot *last = &w->last.at[i];
        if (last->key && last->count > loop && count_of(&w->first, last->key - 1) <= loop &&
            is_of_elements(w, last->key - 1))
            sum += words(w, last->key - 1);
    }
    return sum;
}

uint32_t row_held_words(struct emit *e, const struct slots *levels)
{
    struct stays w = {.e = e, .levels = levels};
    struct members m = {0};
    if (!members_of(e->unit, e->arena, e->kernel, &m))
        return UINT32_MAX;
    members_sort(&m);
    needed_by_loops(&w);
    /* users first: a node computes its operands in the loop that first needs it */
    for (uint32_t i = m.nnodes; i-- > 0 && !w.failed;) {
        const struct node *n = func_node(e->func, m.nodes[i]);
        for (uint32_t j = 0; j < n->nins; j++)
            need(&w, n->ins[j].node, count_of(&w.first, m.nodes[i]));
    }
    uint32_t most = 0;
    for (uint32_t loop = 1, held; !w.failed && (held = held_after(&w, loop)) > 0; loop++)
        most = held > most ? held : most;
    return w.failed ? UINT32_MAX : most;
}
