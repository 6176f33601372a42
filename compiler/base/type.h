/* The types of Nx: names, kinds, widths. Knows nothing of graphs. The rows are in type.def. */
#ifndef VKC_TYPE_H
#define VKC_TYPE_H

#include <stdbool.h>
#include <stdint.h>

enum vkc_kind { KIND_UINT, KIND_SINT, KIND_FLOAT, KIND_COMPLEX };

enum vkc_type {
    TYPE_NONE,
#define TYPE(id, name, kind, bits, glsl) TYPE_##id,
#include "base/type.def"
#undef TYPE
    TYPE_COUNT
};

struct type_info {
    const char *name; /* as Nx prints it: "f32" */
    enum vkc_kind kind;
    uint32_t bits;    /* of one element, both parts of a complex number counted */
    uint32_t bytes;   /* of one element in memory; 1 for the types under 8 bits */
    const char *glsl; /* the type of a value in a shader register */
};

extern const struct type_info vkc_types[TYPE_COUNT];

/* TYPE_NONE when the name is not a type of Nx. */
enum vkc_type type_parse(const char *name);

static inline const char *type_name(enum vkc_type t)
{
    return vkc_types[t].name;
}
static inline uint32_t type_bytes(enum vkc_type t)
{
    return vkc_types[t].bytes;
}
static inline bool type_is_float(enum vkc_type t)
{
    return vkc_types[t].kind == KIND_FLOAT;
}
static inline bool type_is_complex(enum vkc_type t)
{
    return vkc_types[t].kind == KIND_COMPLEX;
}
static inline bool type_is_int(enum vkc_type t)
{
    return t != TYPE_NONE && (vkc_types[t].kind == KIND_UINT || vkc_types[t].kind == KIND_SINT);
}

/* The type of its parts, if complex; else itself. */
static inline enum vkc_type type_part(enum vkc_type t)
{
    return t == TYPE_C64 ? TYPE_F32 : t == TYPE_C128 ? TYPE_F64 : t;
}

#endif
