/* What the families share. */
#ifndef SWEEP_FAMILIES_H
#define SWEEP_FAMILIES_H

#include <string.h>

#include "around.h"
#include "case.h"

#define LINES(list) .lines = (list), .nlines = sizeof(list) / sizeof *(list)

static inline bool op_is(const struct sweep_case *c, const char *name)
{
    return strcmp(case_op(c), name) == 0;
}
static inline struct value operand(struct graph_text *g, const struct sweep_case *c)
{
    return around_feed(g, c, c->type, &c->shape);
}
static inline struct made made_of(struct value main)
{
    return (struct made){.main = main};
}
static inline struct shape scalar_shape(void)
{
    return (struct shape){0};
}

/* "regions": [first, ...] behind the attributes. */
static inline const char *with_regions(struct graph_text *g, const char *attrs, uint32_t first,
                                       uint32_t count)
{
    int64_t list[GT_FUNCS];
    for (uint32_t i = 0; i < count; i++)
        list[i] = first + i;
    return arena_printf(g->arena, ", \"attrs\": {%s}, \"regions\": %s", attrs,
                        gt_list(g, list, count));
}

#endif
