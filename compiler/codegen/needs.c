#include "codegen/needs.h"

#include "codegen/template.h"

static bool add_call(struct needs *n, struct arena *a, uint16_t call)
{
    for (uint32_t i = 0; i < n->ncalls; i++)
        if (n->calls[i] == call)
            return true;
    if (!arena_grow(a, &n->calls, n->ncalls, &n->cap_calls, sizeof *n->calls))
        return false;
    n->calls[n->ncalls++] = call;
    return true;
}

const char *needs_type(struct needs *n, enum vkc_type t)
{
    const struct type_info *i = &vkc_types[t];
    if (t == TYPE_F64 || t == TYPE_C128)
        n->features |= VKB_FEATURE_F64;
    else if (i->bits == 64 && type_is_int(t))
        n->features |= VKB_FEATURE_I64;
    return i->glsl;
}

bool needs_call(struct needs *n, struct arena *a, const char *name, enum vkc_type t,
                uint32_t *out_size)
{
    uint16_t call;
    *out_size = 0;
    if (library_find(name, vkc_types[t].glsl, &call)) {
        *out_size = vkc_library[call].size;
        return add_call(n, a, call);
    }
    n->missing = arena_strdup(a, name);
    n->missing_type = vkc_types[t].glsl;
    return !a->failed; /* where memory is out, a name may be empty */
}

bool needs_join(struct needs *n, struct arena *a, const struct needs *other)
{
    n->features |= other->features;
    if (other->missing) {
        n->missing = other->missing;
        n->missing_type = other->missing_type;
    }
    for (uint32_t i = 0; i < other->ncalls; i++)
        if (!add_call(n, a, other->calls[i]))
            return false;
    return true;
}

bool needs_functions(struct needs *n, struct arena *a, struct str *out, struct diag *d)
{
    uint32_t features = 0;
    if (n->missing)
        return FAIL(d, UNSUPPORTED, "%s has no version for %s yet", n->missing, n->missing_type);
    str_add(out, template_text("prelude.glsl"));
    if (!library_print(a, n->calls, n->ncalls, out, &features))
        return FAIL(d, MEMORY, "out of memory");
    n->features |= features;
    return true;
}

void needs_extensions(const struct needs *n, struct str *out)
{
    if (n->features & VKB_FEATURE_I64)
        str_add(out, "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n");
    if (n->features & VKB_FEATURE_COOPERATIVE_MATRIX)
        str_add(out, "#pragma use_vulkan_memory_model\n"
                     "#extension GL_KHR_memory_scope_semantics : require\n"
                     "#extension GL_KHR_shader_subgroup_basic : require\n"
                     "#extension GL_EXT_spirv_intrinsics : require\n");
    if (n->features & VKB_FEATURE_BALLOT_32)
        str_add(out, "#extension GL_KHR_memory_scope_semantics : require\n"
                     "#extension GL_KHR_shader_subgroup_arithmetic : require\n"
                     "#extension GL_KHR_shader_subgroup_ballot : require\n");
    if (n->features & VKB_FEATURE_ROUND_NEAREST_16)
        str_add(out, "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n");
    if (n->features & VKB_FEATURE_ADDRESSES)
        str_add(out, "#extension GL_EXT_buffer_reference : require\n"
                     "#extension GL_EXT_buffer_reference_uvec2 : require\n");
}
