/* The op table as text, for --list-ops and the documentation. */
#include "vkc.h"

#include <stddef.h>

static const char *const rows[] = {
#define OP(id, name, arity, rule, cost, bound, flags, f, i, u, c, doc) \
    name "\telement-wise, " #arity "\t" doc,
#define REDUCE(id, name, bound, identity, traits, scan, twin, f, i, u, c, doc) \
    name "\treduction\t" doc,
#define SHAPED(id, name, min, max, outs, class, attrs, regions, doc) name "\t" #class "\t" doc,
#include "ir/ops.def"
};

const char *vkc_list_ops(uint32_t index)
{
    return index < sizeof rows / sizeof *rows ? rows[index] : NULL;
}
