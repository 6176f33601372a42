#include "base/type.h"

#include <stddef.h>
#include <string.h>

const struct type_info vkc_types[TYPE_COUNT] = {
    [TYPE_NONE] = {"none", KIND_UINT, 0, 0, "void"},
#define TYPE(id, name, kind, bits, glsl) \
    [TYPE_##id] = {name, KIND_##kind, bits, (bits) < 8 ? 1 : (bits) / 8, glsl},
#include "base/type.def"
#undef TYPE
};

enum vkc_type type_parse(const char *name)
{
    for (int t = TYPE_NONE + 1; t < TYPE_COUNT; t++)
        if (strcmp(vkc_types[t].name, name) == 0)
            return (enum vkc_type)t;
    return TYPE_NONE;
}
