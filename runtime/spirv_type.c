/* Types: what the compiler makes values, buffers, pointers and functions of. Each is made of
   types before it. */
#include "spirv_type.h"

#include <string.h>

#define MAX_TYPE_DEPTH 8u
#define MAX_TYPE_BYTES 65536u

static struct spirv_id *define_type(struct spirv_module *m, uint32_t id, enum spirv_kind kind,
                                    uint32_t targets)
{
    if (!spirv_define(m, id, WHAT_TYPE, 0, targets))
        return NULL;
    m->ids[id].kind = (uint8_t)kind;
    return &m->ids[id];
}

static bool define_scalar(struct spirv_module *m, uint32_t id, bool is_float, uint32_t bits,
                          uint32_t is_signed)
{
    uint32_t capability = spirv_scalar_capability(is_float, bits, is_signed);
    if (!capability || !(m->capabilities >> capability & 1))
        return spirv_fail(m, "%u bits are not admitted, or need a capability", bits);
    struct spirv_id *t = define_type(m, id, is_float ? KIND_FLOAT : KIND_INT, 0);
    if (!t)
        return false;
    t->bits = (uint8_t)bits, t->is_signed = is_signed, t->count = 1, t->bytes = bits / 8;
    if (!is_float && bits == 32 && !is_signed)
        m->uint_type = id;
    return true;
}

/* A type made of `count` of another. */
static bool define_row(struct spirv_module *m, uint32_t id, enum spirv_kind kind, uint32_t element,
                       uint32_t count)
{
    const struct spirv_id *e = spirv_type(m, element);
    struct spirv_id *t = define_type(m, id, kind, 0);
    if (!t)
        return false;
    t->type = element, t->count = count, t->bytes = e->bytes * count,
    t->depth = (uint8_t)(e->depth + 1);
    if (t->bytes > MAX_TYPE_BYTES || t->depth > MAX_TYPE_DEPTH)
        return spirv_fail(m, "a type of %llu bytes, %u deep: at most %u, %u deep",
                          (unsigned long long)t->bytes, t->depth, MAX_TYPE_BYTES, MAX_TYPE_DEPTH);
    return true;
}

static bool check_vector(struct spirv_module *m, const uint32_t *w)
{
    const struct spirv_id *e = spirv_type(m, w[2]);
    if (e->what != WHAT_TYPE || e->kind < KIND_BOOL || e->kind > KIND_FLOAT || w[3] < 2 || w[3] > 4)
        return spirv_fail(m, "must be of 2 to 4 scalars");
    return define_row(m, w[1], KIND_VECTOR, w[2], w[3]);
}

/* Texels of four words, as a buffer: the words are OpTypeImage's operands. */
static bool check_image(struct spirv_module *m, const uint32_t *w)
{
    enum { DIM_BUFFER = 5, SAMPLED = 1 };
    static const uint32_t rest[] = {DIM_BUFFER, 0, 0, 0, SAMPLED, 0};
    if (!m->has_texels || w[2] != m->uint_type || memcmp(w + 3, rest, sizeof rest))
        return spirv_fail(m, "must be a buffer of texels of words");
    return define_type(m, w[1], KIND_IMAGE, 0) != NULL;
}

/* Push constants: words, one after the other, as many as the kernel says at most. */
static bool check_pushed_array(struct spirv_module *m, const uint32_t *w, uint32_t count)
{
    struct spirv_id *t = define_type(m, w[1], KIND_PUSHED_ARRAY, ON_ARRAY);
    if (!t)
        return false;
    t->type = w[2], t->count = count;
    return (w[2] == m->uint_type && t->stride == 4 && count <= m->claim->npushed) ||
           spirv_fail(m, "must be of at most %u words, which the kernel has of push constants",
                      m->claim->npushed);
}

static bool check_array(struct spirv_module *m, const uint32_t *w)
{
    uint32_t count;
    if (!spirv_is_value_type(spirv_type(m, w[2])) || !spirv_constant(m, w[3], &count) || !count ||
        count > MAX_TYPE_BYTES)
        return spirv_fail(m, "must be of 1 to %u values", MAX_TYPE_BYTES);
    if (w[1] < m->bound && spirv_has_mark(&m->ids[w[1]], DECORATION_ArrayStride))
        return check_pushed_array(m, w, count);
    return define_row(m, w[1], KIND_ARRAY, w[2], count);
}

/* The elements of a buffer: numbers, or vectors of 2 or 4, one after the other. */
static bool check_runtime_array(struct spirv_module *m, const uint32_t *w)
{
    const struct spirv_id *e = spirv_type(m, w[2]);
    bool is_number = e->what == WHAT_TYPE && (e->kind == KIND_INT || e->kind == KIND_FLOAT);
    bool is_vector = e->what == WHAT_TYPE && e->kind == KIND_VECTOR && e->count != 3 &&
                     spirv_type(m, e->type)->kind != KIND_BOOL;
    struct spirv_id *t = define_type(m, w[1], KIND_RUNTIME_ARRAY, ON_RUNTIME_ARRAY);
    if (!t)
        return false;
    t->type = w[2];
    return ((is_number || is_vector) && t->stride == e->bytes) ||
           spirv_fail(m, "must be of numbers or vectors of 2 or 4, one after the other");
}

/* A buffer, or push constants. */
static bool check_block(struct spirv_module *m, const uint32_t *w, uint32_t n, enum spirv_kind kind)
{
    struct spirv_id *t = define_type(m, w[1], kind, ON_STRUCT | ON_MEMBER);
    if (!t)
        return false;
    t->count = n - 2;
    t->type = w[2], t->stride = spirv_type(m, w[2])->stride;
    return (n == 3 && spirv_has_mark(t, DECORATION_Block) &&
            spirv_has_mark(t, DECORATION_Offset)) ||
           spirv_fail(m, "a buffer, or push constants, must be a block of one array at offset 0");
}

/* Its members are looked at before it is defined: none is the struct itself. */
static bool check_struct(struct spirv_module *m, const uint32_t *w, uint32_t n)
{
    const struct spirv_id *first = spirv_type(m, w[2]);
    if (first->kind == KIND_RUNTIME_ARRAY || first->kind == KIND_PUSHED_ARRAY)
        return check_block(m, w, n, first->kind == KIND_PUSHED_ARRAY ? KIND_PUSHED : KIND_BLOCK);
    uint64_t bytes = 0;
    uint8_t depth = 0;
    for (uint32_t i = 2; i < n; i++) {
        const struct spirv_id *member = spirv_type(m, w[i]);
        if (!spirv_is_value_type(member))
            return spirv_fail(m, "member %u is not a value", i - 2);
        bytes += member->bytes;
        depth = member->depth > depth ? member->depth : depth;
    }
    struct spirv_id *t = define_type(m, w[1], KIND_STRUCT, 0);
    if (!t)
        return false;
    t->count = n - 2;
    t->bytes = bytes, t->depth = (uint8_t)(depth + 1);
    return (bytes <= MAX_TYPE_BYTES && t->depth <= MAX_TYPE_DEPTH) ||
           spirv_fail(m, "is too large, or too deep");
}

static bool check_pointer(struct spirv_module *m, const uint32_t *w)
{
    const struct spirv_id *to = spirv_type(m, w[3]);
    bool is_block = to->what == WHAT_TYPE && to->kind == KIND_BLOCK;
    bool is_image = to->what == WHAT_TYPE && to->kind == KIND_IMAGE;
    bool is_pushed = to->what == WHAT_TYPE && to->kind == KIND_PUSHED;
    if (!spirv_storage(w[2]))
        return spirv_fail(m, "storage class %u is not admitted", w[2]);
    if (is_block    ? w[2] != STORAGE_StorageBuffer
        : is_image  ? w[2] != STORAGE_UniformConstant
        : is_pushed ? w[2] != STORAGE_PushConstant
        : w[2] == STORAGE_PushConstant
            ? w[3] != m->uint_type
            : !spirv_is_value_type(to) || w[2] == STORAGE_UniformConstant)
        return spirv_fail(m, "points to something that cannot be there");
    struct spirv_id *t = define_type(m, w[1], KIND_POINTER, 0);
    if (!t)
        return false;
    t->storage = w[2], t->type = w[3];
    return true;
}

static bool check_function_type(struct spirv_module *m, const uint32_t *w, uint32_t n)
{
    const struct spirv_id *result = spirv_type(m, w[2]);
    if (!spirv_is_value_type(result) && (result->what != WHAT_TYPE || result->kind != KIND_VOID))
        return spirv_fail(m, "its result is not a value");
    for (uint32_t i = 3; i < n; i++) {
        const struct spirv_id *p = spirv_type(m, w[i]);
        bool is_pointer =
            p->what == WHAT_TYPE && p->kind == KIND_POINTER && p->storage == STORAGE_Function;
        if (!spirv_is_value_type(p) && !is_pointer)
            return spirv_fail(m, "parameter %u is not a value, nor a pointer to a local variable",
                              i - 3);
    }
    struct spirv_id *t = define_type(m, w[1], KIND_FUNCTION, 0);
    if (!t)
        return false;
    t->type = w[2], t->count = n - 3;
    return true;
}

bool spirv_check_type(struct spirv_module *m, enum spirv_form form, const uint32_t *w, uint32_t n)
{
    struct spirv_id *t;
    switch (form) {
    case FORM_TYPE_VOID: m->void_type = w[1]; return define_type(m, w[1], KIND_VOID, 0) != NULL;
    case FORM_TYPE_BOOL:
        if (!(t = define_type(m, w[1], KIND_BOOL, 0)))
            return false;
        t->count = 1, t->bytes = 4, m->bool_type = w[1];
        return true;
    case FORM_TYPE_INT: return define_scalar(m, w[1], false, w[2], w[3]);
    case FORM_TYPE_FLOAT: return define_scalar(m, w[1], true, w[2], 0);
    case FORM_TYPE_VECTOR: return check_vector(m, w);
    case FORM_TYPE_IMAGE: return check_image(m, w);
    case FORM_TYPE_ARRAY: return check_array(m, w);
    case FORM_TYPE_RUNTIME_ARRAY: return check_runtime_array(m, w);
    case FORM_TYPE_STRUCT: return check_struct(m, w, n);
    case FORM_TYPE_POINTER: return check_pointer(m, w);
    default: return check_function_type(m, w, n);
    }
}
