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
    return op_kernel(n->op) >= KERNEL_PHASE;
}

bool unit_add_value(struct arena *a, struct value **list, uint32_t *n, uint32_t *cap,
                    struct value v)
{
    for (uint32_t i = 0; i < *n; i++)
        if ((*list)[i].node == v.node && (*list)[i].out == v.out)
            return true;
    if (!arena_grow(a, list, *n, cap, sizeof **list))
        return false;
    (*list)[(*n)++] = v;
    return true;
}
