#include "codegen/place.h"

#include <string.h>

const char *place_element(struct arena *a, const struct place *p, const char *index)
{
    if (p->kind == PLACE_LOCAL)
        return p->array;
    if (p->row)
        index = strcmp(index, "0u") == 0 ? p->row : arena_printf(a, "%s + %s", p->row, index);
    if (p->in_parts)
        return arena_printf(a, "%s(%s)", p->array, index);
    if (p->offset == 0)
        return arena_printf(a, "%s[%s]", p->array, index);
    return strcmp(index, "0u") == 0 ? arena_printf(a, "%s[%uu]", p->array, p->offset)
                                    : arena_printf(a, "%s[%uu + %s]", p->array, p->offset, index);
}
