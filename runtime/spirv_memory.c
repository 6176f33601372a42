/* Variables, what points into them, and what goes through pointers. A pointer is a variable, a
   parameter, or an access chain from one of these: nothing else makes one, so its variable is
   always known. */
#include "bundle.h"
#include "spirv_memory.h"

/* What the compiler writes: to the workgroup, acquire and release of its memory; to the device,
   of buffers. */
enum { SCOPE_DEVICE = 1, SCOPE_WORKGROUP = 2, SEMANTICS_SHARED = 0x108, SEMANTICS_BUFFERS = 0x48 };

static bool is_constant(const struct spirv_module *m, uint32_t id, uint32_t wanted)
{
    uint32_t value;
    return spirv_constant(m, id, &value) && value == wanted;
}

/* A pointer, and the type of what is there. */
static const struct spirv_id *pointer(struct spirv_module *m, uint32_t id, uint32_t *out_type)
{
    const struct spirv_id *type, *v = spirv_operand(m, id, &type);
    if (v && type->kind != KIND_POINTER) {
        spirv_fail(m, "id %u is not a pointer", id);
        return NULL;
    }
    if (v)
        *out_type = type->type;
    return v;
}

/* Reads or writes through a pointer. */
static bool note(struct spirv_module *m, const struct spirv_id *p, uint8_t access)
{
    if ((p->storage == STORAGE_Input || p->storage == STORAGE_UniformConstant ||
         p->storage == STORAGE_PushConstant) &&
        access & VKB_WRITE)
        return spirv_fail(m, "writes an input, a push constant or texels");
    if (p->storage != STORAGE_StorageBuffer)
        return true;
    const struct spirv_id *v = &m->ids[p->root];
    const struct spirv_id *block = spirv_type(m, spirv_type(m, v->type)->type);
    uint32_t kept_off = (access & VKB_WRITE ? 1u << DECORATION_NonWritable : 0) |
                        (access & VKB_READ ? 1u << DECORATION_NonReadable : 0);
    if ((v->marks | block->marks) & kept_off)
        return spirv_fail(m, "binding %u is not decorated for it", v->binding);
    m->uses[v->binding].access |= access;
    return true;
}

static bool check_variable(struct spirv_module *m, const uint32_t *w)
{
    const struct spirv_id *t = spirv_type(m, w[1]);
    if (!m->may_declare || w[3] != STORAGE_Function || t->kind != KIND_POINTER ||
        t->storage != STORAGE_Function)
        return spirv_fail(m, "is not a local variable at the start of a function");
    if (!spirv_define(m, w[2], WHAT_VARIABLE, w[1], 0))
        return false;
    m->ids[w[2]].scope = m->open[0];
    m->ids[w[2]].storage = STORAGE_Function, m->ids[w[2]].root = w[2];
    const struct spirv_id *type = spirv_type(m, t->type);
    struct spirv_function *f = &m->functions[m->function - 1];
    *(type->kind == KIND_ARRAY || type->kind == KIND_STRUCT ? &f->array_bytes : &f->scalar_bytes) +=
        type->bytes;
    return true;
}

static bool check_load(struct spirv_module *m, const uint32_t *w)
{
    uint32_t type;
    const struct spirv_id *p = pointer(m, w[3], &type);
    if (!p)
        return false;
    bool is_image = spirv_type(m, type)->kind == KIND_IMAGE;
    if (type != w[1] || (!is_image && !spirv_is_value_type(spirv_type(m, type))))
        return spirv_fail(m, "is not of the type that is there");
    uint32_t root = p->root;
    if (!note(m, p, VKB_READ) || !spirv_define_result(m, w[2], w[1]))
        return false;
    if (is_image) {
        m->ids[w[2]].root = root;
        m->uses[m->ids[root].binding].access |= VKB_READ;
    }
    return true;
}

/* One texel, at an index that is guarded. */
static bool check_fetch(struct spirv_module *m, const uint32_t *w)
{
    const struct spirv_id *image_type, *index_type, *result = spirv_type(m, w[1]),
                                                    *image = spirv_operand(m, w[3], &image_type);
    if (!image || !spirv_operand(m, w[4], &index_type))
        return false;
    if (image_type->kind != KIND_IMAGE || image->what != WHAT_RESULT ||
        index_type->kind != KIND_INT || index_type->bits != 32 || result->what != WHAT_TYPE ||
        result->kind != KIND_VECTOR || result->count != 4 || result->type != m->uint_type)
        return spirv_fail(m, "is not of four words of texels");
    return spirv_define_result(m, w[2], w[1]);
}

static bool check_store(struct spirv_module *m, const uint32_t *w)
{
    uint32_t type;
    const struct spirv_id *value_type, *p = pointer(m, w[1], &type),
                                       *v = p ? spirv_operand(m, w[2], &value_type) : NULL;
    if (!v)
        return false;
    return v->type == type ? note(m, p, VKB_WRITE)
                           : spirv_fail(m, "is not of the type that is there");
}

/* An index that is constant is in range, and how far it reaches into a buffer is kept; others
   are guarded. */
static bool check_index(struct spirv_module *m, const struct spirv_id *v, const struct spirv_id *in,
                        uint32_t id, uint32_t *out_type)
{
    const struct spirv_id *type;
    uint32_t value, limit = in->kind == KIND_BLOCK || in->kind == KIND_PUSHED ? 1 : in->count;
    bool is_constant_index = spirv_constant(m, id, &value);
    if (!spirv_operand(m, id, &type))
        return false;
    if (type->kind != KIND_INT || type->bits != 32)
        return spirv_fail(m, "index %u is not an integer of 32 bits", id);
    switch (in->kind) {
    case KIND_STRUCT:
    case KIND_BLOCK:
    case KIND_PUSHED:
        if (!is_constant_index || value >= limit)
            return spirv_fail(m, "index %u names no member", id);
        *out_type = m->words[in->at + 2 + value];
        return true;
    case KIND_VECTOR:
    case KIND_ARRAY:
        if (is_constant_index && value >= limit)
            return spirv_fail(m, "index %u is %u of %u", id, value, limit);
        *out_type = in->type;
        return true;
    case KIND_PUSHED_ARRAY: /* what reads the numbers of a dispatch computes no index */
        if (!is_constant_index || value >= limit)
            return spirv_fail(m, "index %u names no push constant", id);
        *out_type = in->type;
        return true;
    case KIND_RUNTIME_ARRAY: {
        struct spirv_use *use = &m->uses[v->binding];
        uint64_t bytes = is_constant_index ? ((uint64_t)value + 1) * in->stride : 0;
        if (bytes > use->least_bytes)
            use->least_bytes = bytes;
        *out_type = in->type;
        return true;
    }
    default: return spirv_fail(m, "index %u goes into a number", id);
    }
}

static bool check_chain(struct spirv_module *m, const uint32_t *w, uint32_t n)
{
    uint32_t type;
    const struct spirv_id *base = pointer(m, w[3], &type), *result = spirv_type(m, w[1]);
    if (!base)
        return false;
    if (base->what == WHAT_RESULT)
        return spirv_fail(m, "begins at another");
    for (uint32_t i = 4; i < n; i++)
        if (!check_index(m, base, spirv_type(m, type), w[i], &type))
            return false;
    if (result->what != WHAT_TYPE || result->kind != KIND_POINTER ||
        result->storage != base->storage || result->type != type)
        return spirv_fail(m, "is not a pointer to what is there");
    if (!spirv_define_result(m, w[2], w[1]))
        return false;
    m->ids[w[2]].storage = base->storage, m->ids[w[2]].root = base->root;
    return true;
}

static bool check_length(struct spirv_module *m, const uint32_t *w)
{
    uint32_t type;
    const struct spirv_id *base = pointer(m, w[3], &type);
    if (!base)
        return false;
    if (w[1] != m->uint_type || w[4] || base->what != WHAT_VARIABLE ||
        base->storage != STORAGE_StorageBuffer)
        return spirv_fail(m, "is not of a buffer");
    return spirv_define_result(m, w[2], w[1]);
}

static bool check_atomic(struct spirv_module *m, const uint32_t *w)
{
    uint32_t type;
    const struct spirv_id *value_type, *p = pointer(m, w[3], &type),
                                       *v = p ? spirv_operand(m, w[6], &value_type) : NULL;
    if (!v)
        return false;
    const struct spirv_id *t = spirv_type(m, type);
    if (type != w[1] || v->type != type || t->kind != KIND_INT || t->bits != 32 ||
        (p->storage != STORAGE_StorageBuffer && p->storage != STORAGE_Workgroup) ||
        !is_constant(m, w[4], SCOPE_DEVICE) || !is_constant(m, w[5], 0))
        return spirv_fail(m, "is not of 32 bits in shared memory or a buffer, relaxed");
    return note(m, p, VKB_READ | VKB_WRITE) && spirv_define_result(m, w[2], w[1]);
}

/* Values, and pointers to local variables as they are declared. */
static bool check_call(struct spirv_module *m, const uint32_t *w, uint32_t n)
{
    uint32_t place = w[3] < m->bound ? m->ids[w[3]].root : 0;
    bool is_function =
        place && place <= m->nfunctions && m->words[m->functions[place - 1].at + 2] == w[3];
    if (!is_function)
        return spirv_fail(m, "id %u is not a function", w[3]);
    const struct spirv_id *type = spirv_type(m, m->words[m->functions[place - 1].at + 4]);
    if (type->kind != KIND_FUNCTION || type->type != w[1] || type->count != n - 4)
        return spirv_fail(m, "is not of the type of function %u", w[3]);
    for (uint32_t i = 0; i < type->count; i++) {
        const struct spirv_id *argument_type, *v = spirv_operand(m, w[4 + i], &argument_type);
        if (!v)
            return false;
        if (v->type != m->words[type->at + 3 + i] ||
            (argument_type->kind == KIND_POINTER && v->what == WHAT_RESULT))
            return spirv_fail(m, "argument %u is not of the parameter's type", i);
    }
    m->calls[m->ncalls++] = place - 1;
    return spirv_define_result(m, w[2], w[1]);
}

/* Of the workgroup, or of a subgroup where the kernel may have these. */
static bool check_control_barrier(struct spirv_module *m, const uint32_t *w)
{
    bool group = is_constant(m, w[1], SCOPE_WORKGROUP) && is_constant(m, w[2], SCOPE_WORKGROUP),
         subgroup = m->subgroups & HAS_SUBGROUPS && is_constant(m, w[1], SCOPE_SUBGROUP) &&
                    is_constant(m, w[2], SCOPE_SUBGROUP);
    return ((group || subgroup) && is_constant(m, w[3], SEMANTICS_SHARED)) ||
           spirv_fail(m, "is not of the workgroup, or a subgroup, and its memory");
}

bool spirv_check_memory(struct spirv_module *m, const struct spirv_op_rule *rule, const uint32_t *w,
                        uint32_t n)
{
    switch (rule->form) {
    case FORM_VARIABLE: return check_variable(m, w);
    case FORM_LOAD: return check_load(m, w);
    case FORM_STORE: return check_store(m, w);
    case FORM_ACCESS_CHAIN: return check_chain(m, w, n);
    case FORM_ARRAY_LENGTH: return check_length(m, w);
    case FORM_ATOMIC: return check_atomic(m, w);
    case FORM_FETCH: return check_fetch(m, w);
    case FORM_CONTROL_BARRIER: return check_control_barrier(m, w);
    case FORM_MEMORY_BARRIER:
        return (is_constant(m, w[1], SCOPE_DEVICE) && is_constant(m, w[2], SEMANTICS_BUFFERS)) ||
               spirv_fail(m, "is not of the device and its buffers");
    default: return check_call(m, w, n);
    }
}
