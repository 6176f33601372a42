#include "codegen/unit.h"

struct value unit_base(const struct unit *u, struct value v)
{
    const struct func *f = unit_func(u);
    while (func_node(f, v.node)->op == OP_RESHAPE)
        v = func_node(f, v.node)->ins[0];
    return v;
}

bool node_is_hero(const struct node *n)
{
    if (n->op == OP_TRIANGULAR_SOLVE || n->op == OP_FOURIER)
        return true;
    switch (op_class(n->op)) {
    case CLASS_REDUCE:
    case CLASS_ARGREDUCE:
    case CLASS_CONTRACT:
    case CLASS_WINDOW:
    case CLASS_SCATTER:
    case CLASS_FOLD:
    case CLASS_ORDER:
    case CLASS_SCAN:
        return true;
    default:
        return false;
    }
}

bool unit_add_value(struct arena *a, struct value **list, uint32_t *n, uint32_t *cap, struct value v)
{
    for (uint32_t i = 0; i < *n; i++)
        if ((*list)[i].node == v.node && (*list)[i].out == v.out)
            return true;
    if (!arena_grow(a, list, *n, cap, sizeof **list))
        return false;
    (*list)[(*n)++] = v;
    return true;
}
