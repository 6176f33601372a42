/* The op table as text, for --list-ops and the documentation. */
#include "vkc.h"

#include <stddef.h>

/* The classes of the rows SHAPED and MADE, in words. */
#define SOURCE "source"
#define MOVEMENT "movement"
#define INDEXED "indexing"
#define SCATTER "scatter"
#define ARGREDUCE "arg-reduction"
#define FOLD "fold"
#define WINDOW "window"
#define CONTRACT "contraction"
#define SOLVE "solve"
#define SORT "sort"
#define TRANSFORM "transform"
#define ORDER "order"
#define MERGE "merge"
#define DIGITS "order"
#define SCAN "scan"
#define PANEL "panel"
#define PIVOT "panel"
#define REFLECT "panel"
#define ROTATE "rotation"
#define TURN "rotation"
#define SINGULAR "rotation"
#define SCORES "attention"
#define ATTEND "attention"
#define CONTROL "control"
#define EFFECT "effect"

static const char *const rows[] = {
#define OP(id, name, arity, rule, cost, bound, flags, f, i, u, c, doc) \
    name "\telement-wise, " #arity "\t" doc,
#define REDUCE(id, name, bound, identity, traits, scan, twin, f, i, u, c, doc) \
    name "\treduction\t" doc,
#define SHAPED(id, name, min, max, outs, class, attrs, regions, doc) name "\t" class "\t" doc,
#include "ir/ops.def"
};

const char *vkc_list_ops(uint32_t index)
{
    return index < sizeof rows / sizeof *rows ? rows[index] : NULL;
}
