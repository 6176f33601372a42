#include "codegen/family/planes.h"

bool planes_store(struct emit *e, const struct ix *flat, uint32_t planes)
{
    struct kernel *k = e->kernel;
    const char **text = ARENA_ARRAY(e->arena, const char *, k->nroots + 1);
    if (!text)
        return FAIL(e->diag, MEMORY, "out of memory");
    /* all before the first store: a root may replace an operand */
    for (uint32_t i = 0; i < k->nroots; i++) {
        bool hero = k->roots[i].node == k->heroes[0];
        const struct tensor *t = func_tensor(e->func, k->roots[i]);
        if (!hero && shape_size(&t->shape) != e->plane)
            return emit_fail(e, "n%u does not have one element for each element of the rows",
                             func_node(e->func, k->roots[i].node)->label),
                   false;
        if (unit_per_word(e->unit, k->roots[i]) > 1)
            return emit_fail(e,
                             "n%u is narrower than a word, which neighbouring threads would share",
                             func_node(e->func, k->roots[i].node)->label),
                   false;
        if (!hero && !(text[i] = emit_flat(e, k->roots[i], flat).text))
            return false;
    }
    for (uint32_t i = 0; i < k->nroots; i++)
        for (uint32_t plane = 0; plane < (text[i] ? 1 : planes); plane++)
            emit_store(e, k->roots[i], ix_add_const(e->ix, flat, plane * e->plane),
                       text[i] ? text[i] : e->planes[plane]);
    return e->failed == NULL;
}
