#include "spirv_check.h"

#include <stdlib.h>
#include <string.h>

#include "bundle.h"
#include "error.h"
#include "spirv_flow.h"
#include "spirv_memory.h"
#include "spirv_type.h"
#include "spirv_value.h"

#define SPIRV_MAGIC 0x07230203u
#define SPIRV_VERSION 0x00010300u
#define FIRST_BUILT_IN 24u
#define FIRST_FLOAT_CONTROL 4464u /* of the capabilities, in the order of the modes */
#define FIRST_FLOAT_MODE 4459u

enum { CAP_SHADER = 1, CAP_SAMPLED_BUFFER = 46, CAP_ADDRESSES = 5347 };
enum { MODEL_COMPUTE = 5, MODE_LOCAL_SIZE = 17 };

/* ---- before the annotations ---- */

/* Text in words, NUL-terminated within them. */
static const char *text(const uint32_t *w, uint32_t n)
{
    return memchr(w, 0, (size_t)n * 4) ? (const char *)w : NULL;
}

static bool check_capability(struct spirv_module *m, uint32_t number)
{
    uint32_t features;
    if (!spirv_capability(number, &features))
        return spirv_fail(m, "capability %u is not admitted", number);
    if (features && !(features & m->claim->features))
        return spirv_fail(m, "capability %u is not among the kernel's features", number);
    if (number == CAP_SAMPLED_BUFFER)
        m->has_texels = true;
    else if (number < 32)
        m->capabilities |= 1u << number;
    else if (number < FIRST_FLOAT_CONTROL)
        m->subgroups |= 1u << (number - CAP_SUBGROUPS);
    else
        m->float_controls |= 1u << (number - FIRST_FLOAT_CONTROL);
    return true;
}

static bool check_import(struct spirv_module *m, const uint32_t *w, uint32_t n)
{
    const char *name = text(w + 2, n - 2);
    if (m->import || !name || strcmp(name, "GLSL.std.450"))
        return spirv_fail(m, "must import GLSL.std.450, once");
    m->import = w[1];
    return spirv_define(m, w[1], WHAT_IMPORT, 0, 0);
}

/* The interface is looked at when its variables are known. */
static bool check_entry(struct spirv_module *m, const uint32_t *w)
{
    if (m->entry || w[1] != MODEL_COMPUTE || memcmp(w + 3, "main\0\0\0", 8))
        return spirv_fail(m, "must be one compute entry point \"main\"");
    m->entry = w[2];
    m->entry_at = m->at;
    return true;
}

static bool check_mode(struct spirv_module *m, const uint32_t *w, uint32_t n)
{
    if (w[1] != m->entry)
        return spirv_fail(m, "is of id %u, which is not the entry point", w[1]);
    if (w[2] == MODE_LOCAL_SIZE) {
        if (m->has_size || n != 6 ||
            memcmp(w + 3, m->claim->local_size, sizeof m->claim->local_size))
            return spirv_fail(m, "must set the workgroup once, to the kernel's %u x %u x %u",
                              m->claim->local_size[0], m->claim->local_size[1],
                              m->claim->local_size[2]);
        return m->has_size = true;
    }
    uint32_t feature = n == 4 ? spirv_mode_feature(w[2], w[3]) : 0;
    bool is_capable = feature && m->float_controls >> (w[2] - FIRST_FLOAT_MODE) & 1;
    if (!is_capable || !(feature & m->claim->features))
        return spirv_fail(m, "mode %u is not admitted, or not among the kernel's features", w[2]);
    return true;
}

static bool check_decorate(struct spirv_module *m, const uint32_t *w, uint32_t n, bool is_member)
{
    uint32_t id = w[1], number = w[2 + is_member], nlead = 3 + is_member,
             operand = n > nlead ? w[nlead] : 0;
    int row = spirv_decoration_row(number);
    if (!id || id >= m->bound || row < 0 || n != nlead + spirv_decoration_rule(row)->operands)
        return spirv_fail(m, "decoration %u is not admitted so", number);
    struct spirv_id *v = &m->ids[id];
    bool fits = spirv_decoration_rule(row)->targets & spirv_side(is_member);
    if (v->what != WHAT_NOTHING || v->marks >> row & 1 || !fits || (is_member && w[2]))
        return spirv_fail(m, "id %u, or its member, cannot be decorated with %s", id,
                          spirv_decoration_rule(row)->name);
    v->marks |= 1u << row;
    v->of_member |= (uint32_t)is_member << row;
    switch (row) {
    case DECORATION_ArrayStride: v->stride = operand; break;
    case DECORATION_Binding: v->binding = operand; break;
    case DECORATION_BuiltIn:
        v->built_in = operand;
        if (!spirv_built_in_target(operand) || m->built_ins >> (operand - FIRST_BUILT_IN) & 1)
            return spirv_fail(m, "built-in %u is not admitted, or is used twice", operand);
        m->built_ins |= 1u << (operand - FIRST_BUILT_IN);
        break;
    case DECORATION_DescriptorSet:
    case DECORATION_Offset:
        if (operand)
            return spirv_fail(m, "%s %u, must be 0", spirv_decoration_rule(row)->name, operand);
        break;
    default: break;
    }
    return true;
}

/* ---- constants, variables ---- */

static bool check_constant(struct spirv_module *m, const uint32_t *w, uint32_t n)
{
    const struct spirv_id *t = spirv_type(m, w[1]);
    bool is_number = t->what == WHAT_TYPE && (t->kind == KIND_INT || t->kind == KIND_FLOAT);
    if (!is_number || n != 3 + (t->bits + 31u) / 32)
        return spirv_fail(m, "is not a number of its type");
    return spirv_define(m, w[2], WHAT_CONSTANT, w[1], 0);
}

/* The built-in constant is the size of the workgroup, and overrides what LocalSize says. */
static bool check_size_constant(struct spirv_module *m, const uint32_t *w, uint32_t n)
{
    for (uint32_t i = 3; i < 6; i++) {
        uint32_t size = 0;
        if (n != 6 || !spirv_constant(m, w[i], &size) || size != m->claim->local_size[i - 3])
            return spirv_fail(m, "the built-in workgroup is not the kernel's %u x %u x %u",
                              m->claim->local_size[0], m->claim->local_size[1],
                              m->claim->local_size[2]);
    }
    return true;
}

static bool check_composite(struct spirv_module *m, const uint32_t *w, uint32_t n)
{
    const struct spirv_id *t = spirv_type(m, w[1]);
    if (!spirv_is_value_type(t) || t->kind < KIND_VECTOR || n != 3 + t->count)
        return spirv_fail(m, "does not have the parts of its type");
    for (uint32_t i = 0; i < t->count; i++) {
        const struct spirv_id *part = spirv_look(m, w[3 + i]);
        uint32_t wanted = t->kind == KIND_STRUCT ? m->words[t->at + 2 + i] : t->type;
        if (part->what != WHAT_CONSTANT || part->type != wanted)
            return spirv_fail(m, "part %u is not a constant of its type", i);
    }
    if (!spirv_define(m, w[2], WHAT_CONSTANT, w[1], ON_CONSTANT))
        return false;
    if (!spirv_has_mark(&m->ids[w[2]], DECORATION_BuiltIn))
        return true;
    return m->ids[w[2]].built_in == BUILT_IN_WorkgroupSize
               ? check_size_constant(m, w, n)
               : spirv_fail(m, "is a built-in that is not a constant");
}

/* A buffer, whose elements have that many bytes; or texels, of which there is one at least. */
static bool check_bound(struct spirv_module *m, struct spirv_id *v, uint32_t least_bytes,
                        bool is_texels)
{
    if (!spirv_has_mark(v, DECORATION_Binding) || !spirv_has_mark(v, DECORATION_DescriptorSet))
        return spirv_fail(m, "has no binding");
    if (v->binding >= m->claim->nbindings)
        return spirv_fail(m, "binding %u, the kernel has %u", v->binding, m->claim->nbindings);
    if (is_texels != (v->binding < VKB_MAX_TEXELS && m->claim->texels >> v->binding & 1))
        return spirv_fail(m, "binding %u is %stexels, unlike the kernel's", v->binding,
                          is_texels ? "" : "not ");
    if (m->uses[v->binding].least_bytes < least_bytes)
        m->uses[v->binding].least_bytes = least_bytes;
    return true;
}

static bool check_input(struct spirv_module *m, struct spirv_id *v, const struct spirv_id *to)
{
    bool is_uint3 = to->kind == KIND_VECTOR && to->count == 3 && to->type == m->uint_type;
    m->ninputs++;
    return (spirv_has_mark(v, DECORATION_BuiltIn) &&
            spirv_built_in_target(v->built_in) == ON_INPUT && is_uint3) ||
           spirv_fail(m, "is not a built-in of three words");
}

static bool check_global(struct spirv_module *m, const uint32_t *w)
{
    const struct spirv_id *t = spirv_type(m, w[1]), *to = spirv_type(m, t->type);
    if (t->what != WHAT_TYPE || t->kind != KIND_POINTER || t->storage != w[3] ||
        w[3] == STORAGE_Function)
        return spirv_fail(m, "storage class %u is not that of its type, or local", w[3]);
    uint32_t targets = w[3] == STORAGE_Input             ? ON_INPUT
                       : w[3] == STORAGE_StorageBuffer   ? ON_BUFFER
                       : w[3] == STORAGE_UniformConstant ? ON_TEXELS
                                                         : 0;
    if (!spirv_define(m, w[2], WHAT_VARIABLE, w[1], targets))
        return false;
    struct spirv_id *v = &m->ids[w[2]];
    v->storage = w[3], v->root = w[2];
    if (w[3] == STORAGE_Input)
        return check_input(m, v, to);
    if (w[3] == STORAGE_StorageBuffer)
        return to->kind == KIND_BLOCK ? check_bound(m, v, to->stride, false)
                                      : spirv_fail(m, "is not a block");
    if (w[3] == STORAGE_UniformConstant) /* its type says that it is an image */
        return check_bound(m, v, 1, true);
    if (w[3] == STORAGE_PushConstant) {
        if (m->has_pushed || to->kind != KIND_PUSHED)
            return spirv_fail(m, "is not a block of words, or the second one");
        return m->has_pushed = true;
    }
    if (to->kind != KIND_ARRAY)
        return spirv_fail(m, "shared memory that is not an array");
    m->shared_bytes += to->bytes;
    return m->shared_bytes <= m->claim->shared_bytes ||
           spirv_fail(m, "%llu bytes of shared memory, the kernel says %u",
                      (unsigned long long)m->shared_bytes, m->claim->shared_bytes);
}

/* Every input is in the interface once, and nothing else. */
static bool check_interface(struct spirv_module *m)
{
    const uint32_t *w = m->words + m->entry_at;
    uint32_t n = w[0] >> 16, seen = 0;
    m->at = m->entry_at;
    for (uint32_t i = 5; i < n; i++) {
        const struct spirv_id *v = spirv_look(m, w[i]);
        uint32_t bit = v->what == WHAT_VARIABLE && v->storage == STORAGE_Input
                           ? 1u << (v->built_in - FIRST_BUILT_IN)
                           : 0;
        if (!bit || seen & bit)
            return spirv_fail(m, "its interface lists id %u twice, or it is not an input", w[i]);
        seen |= bit;
    }
    return n - 5 == m->ninputs || spirv_fail(m, "an input is not in its interface");
}

static bool check_declaration(struct spirv_module *m, const struct spirv_op_rule *rule,
                              const uint32_t *w, uint32_t n)
{
    switch (rule->form) {
    case FORM_CAPABILITY: return check_capability(m, w[1]);
    case FORM_EXTENSION_NAME: {
        const char *name = text(w + 1, n - 1);
        m->has_extension = true;
        return (name && spirv_extension(name)) || spirv_fail(m, "the extension is not admitted");
    }
    case FORM_IMPORT: return check_import(m, w, n);
    case FORM_MEMORY_MODEL:
        return (w[1] == 0 && w[2] == 1) || spirv_fail(m, "must be logical, GLSL450");
    case FORM_ENTRY: return check_entry(m, w);
    case FORM_MODE: return check_mode(m, w, n);
    case FORM_DECORATE: return check_decorate(m, w, n, false);
    case FORM_MEMBER_DECORATE: return check_decorate(m, w, n, true);
    case FORM_CONSTANT_BOOL:
        return spirv_type(m, w[1])->kind == KIND_BOOL
                   ? spirv_define(m, w[2], WHAT_CONSTANT, w[1], 0)
                   : spirv_fail(m, "is not a bool");
    case FORM_CONSTANT: return check_constant(m, w, n);
    case FORM_CONSTANT_COMPOSITE: return check_composite(m, w, n);
    case FORM_VARIABLE: return check_global(m, w);
    default: return spirv_check_type(m, rule->form, w, n);
    }
}

/* ---- the whole ---- */

/* Lengths, admitted instructions, their order; where functions begin, and how many calls there
   are. */
static bool survey(struct spirv_module *m, uint32_t *out_calls)
{
    uint32_t rank = RANK_CAPABILITIES;
    const uint32_t *h = m->words;
    if (m->nwords < 5 || h[0] != SPIRV_MAGIC || h[1] != SPIRV_VERSION || h[4])
        return spirv_fail(m, "no header of SPIR-V 1.3");
    if (m->nwords > SPIRV_MAX_WORDS || h[3] < 2 || h[3] > m->nwords)
        return spirv_fail(m, "%u words, bound %u: at most %u, and fewer ids than words", m->nwords,
                          h[3], SPIRV_MAX_WORDS);
    for (uint32_t at = 5; at < m->nwords; at += h[at] >> 16) {
        uint32_t n = h[at] >> 16, op = h[at] & 0xffff;
        const struct spirv_op_rule *rule = spirv_op_rule(op);
        m->at = at;
        if (!n || n > m->nwords - at)
            return spirv_fail(m, "an instruction of %u words", n);
        if (op == OP_Capability && n == 2 && h[at + 1] == CAP_ADDRESSES)
            return spirv_fail(m, "uses addresses of buffers, which only a trusted bundle may: load "
                                 "it as trusted, or "
                                 "compile it for tensors that fit one binding");
        if (!rule)
            return spirv_fail(m, "instruction %u is not admitted", op);
        if (n < rule->least || n > rule->most)
            return spirv_fail(m, "has %u words, must have %u to %u", n, rule->least, rule->most);
        uint32_t here = op == OP_Variable && rank == RANK_BODY ? (uint32_t)RANK_BODY : rule->rank;
        if (here < rank)
            return spirv_fail(m, "comes after something that it must precede");
        rank = here;
        if (rank >= RANK_GLOBALS && !m->globals_at)
            m->globals_at = at;
        if (rank == RANK_BODY && !m->body_at)
            m->body_at = at;
        m->nfunctions += op == OP_Function;
        *out_calls += op == OP_FunctionCall;
    }
    if (!m->body_at || m->nfunctions > SPIRV_MAX_FUNCTIONS)
        return spirv_fail(m, "%u functions, must be 1 to %u", m->nfunctions, SPIRV_MAX_FUNCTIONS);
    m->bound = h[3];
    return true;
}

static bool allocate(struct spirv_module *m, uint32_t ncalls)
{
    m->ids = host_alloc(m->bound, sizeof *m->ids);
    m->uses = host_alloc(m->claim->nbindings, sizeof *m->uses);
    m->functions = host_alloc(m->nfunctions, sizeof *m->functions);
    m->calls = host_alloc(ncalls, sizeof *m->calls);
    m->stack = host_alloc(SPIRV_MAX_NESTING + 1, sizeof *m->stack);
    m->open = host_alloc(SPIRV_MAX_NESTING + 2, sizeof *m->open);
    return m->ids && m->uses && m->functions && m->calls && m->stack && m->open;
}

static bool check_declarations(struct spirv_module *m)
{
    bool has_model = false;
    for (m->at = 5; m->at < m->body_at; m->at += m->words[m->at] >> 16) {
        const uint32_t *w = m->words + m->at;
        has_model |= (w[0] & 0xffff) == OP_MemoryModel;
        if (!check_declaration(m, spirv_op_rule(w[0] & 0xffff), w, w[0] >> 16))
            return false;
    }
    if (m->float_controls && !m->has_extension)
        return spirv_fail(m, "controls floats, but does not name the extension");
    if (!(m->capabilities >> CAP_SHADER & 1) || !m->import || !has_model || !m->entry ||
        !m->has_size || !m->void_type || !m->uint_type)
        return spirv_fail(m, "a part is missing that every module of the compiler has");
    return check_interface(m);
}

/* Functions are known before their bodies are checked, since calls go forward. */
static void note_functions(struct spirv_module *m)
{
    uint32_t count = 0;
    for (uint32_t at = m->body_at; at < m->nwords; at += m->words[at] >> 16) {
        if ((m->words[at] & 0xffff) != OP_Function)
            continue;
        m->functions[count++].at = at;
        if (m->words[at + 2] < m->bound)
            m->ids[m->words[at + 2]].root = count;
    }
}

static bool check_body(struct spirv_module *m)
{
    for (m->at = m->body_at; m->at < m->nwords; m->at += m->words[m->at] >> 16) {
        const uint32_t *w = m->words + m->at;
        const struct spirv_op_rule *rule = spirv_op_rule(w[0] & 0xffff);
        uint32_t n = w[0] >> 16;
        bool ok = rule->form <= FORM_CONSTANT_COMPOSITE ? spirv_fail(m, "stands in a function")
                  : rule->form >= FORM_FUNCTION && rule->form <= FORM_PHI
                      ? spirv_check_flow(m, rule, w, n)
                  : !m->block || m->merge_at
                      ? spirv_fail(m, "stands outside of a block, or after a merge instruction")
                  : rule->form == FORM_VARIABLE || rule->form <= FORM_MEMORY_BARRIER
                      ? spirv_check_memory(m, rule, w, n)
                      : spirv_check_value(m, rule, w, n);
        m->may_declare &= rule->form == FORM_VARIABLE || rule->form == FORM_LABEL;
        m->may_join &= rule->form == FORM_PHI || rule->form == FORM_LABEL;
        if (!ok)
            return false;
    }
    m->at = m->nwords;
    if (m->function)
        return spirv_fail(m, "the last function does not end");
    for (uint32_t id = 0; id < m->bound; id++)
        if (m->ids[id].what == WHAT_NOTHING && (m->ids[id].marks || m->ids[id].role))
            return spirv_fail(m, "id %u is decorated or branched to, but not defined", id);
    return spirv_check_calls(m);
}

bool spirv_open(const uint32_t *words, uint32_t nwords, const struct spirv_claim *claim,
                struct spirv_module *out, char *error, size_t error_size)
{
    *out = (struct spirv_module){
        .words = words, .nwords = nwords, .claim = claim, .error = error, .error_size = error_size};
    if (error_size)
        error[0] = '\0';
    uint32_t ncalls = 0;
    if (!survey(out, &ncalls))
        return false;
    if (!allocate(out, ncalls)) {
        out->at = 0;
        out->out_of_memory = true;
        return spirv_fail(out, "out of memory");
    }
    note_functions(out);
    return check_declarations(out) && check_body(out);
}

void spirv_close(struct spirv_module *m)
{
    free(m->ids);
    free(m->uses);
    free(m->functions);
    free(m->calls);
    free(m->stack);
    free(m->open);
    *m = (struct spirv_module){0};
}
