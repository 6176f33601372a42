#include "spirv_module.h"

#include <stdarg.h>
#include <stdio.h>

bool spirv_fail(struct spirv_module *m, const char *format, ...)
{
    if (!m->error_size || m->error[0])
        return false;
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const struct spirv_op_rule *rule =
        m->at < m->nwords ? spirv_op_rule(m->words[m->at] & 0xffff) : NULL;
    if (rule && m->at >= 5)
        snprintf(m->error, m->error_size, "SPIR-V word %u, Op%s: %s", m->at, rule->name, text);
    else
        snprintf(m->error, m->error_size, "SPIR-V word %u: %s", m->at, text);
    return false;
}

static const struct spirv_id nothing;

const struct spirv_id *spirv_look(const struct spirv_module *m, uint32_t id)
{
    return id < m->bound ? &m->ids[id] : &nothing;
}

const struct spirv_id *spirv_type(const struct spirv_module *m, uint32_t id)
{
    const struct spirv_id *t = spirv_look(m, id);
    return t->what == WHAT_TYPE ? t : &nothing;
}

const struct spirv_id *spirv_operand(struct spirv_module *m, uint32_t id,
                                     const struct spirv_id **out_type)
{
    const struct spirv_id *v = spirv_look(m, id);
    bool is_value = v->what == WHAT_CONSTANT || v->what == WHAT_VARIABLE ||
                    v->what == WHAT_PARAMETER || v->what == WHAT_RESULT;
    if (!is_value || (v->scope && (v->level > m->level || m->open[v->level] != v->scope))) {
        spirv_fail(m, "id %u is not a value that is defined on every path here", id);
        return NULL;
    }
    *out_type = spirv_type(m, v->type);
    return v;
}

bool spirv_define(struct spirv_module *m, uint32_t id, enum spirv_what what, uint32_t type,
                  uint32_t targets)
{
    if (!id || id >= m->bound)
        return spirv_fail(m, "id %u is outside the bound, %u", id, m->bound);
    struct spirv_id *v = &m->ids[id];
    if (v->what != WHAT_NOTHING || v->role != LABEL_UNSEEN)
        return spirv_fail(m, "id %u is defined twice", id);
    for (int row = 0; row < DECORATION_COUNT; row++)
        if (v->marks >> row & 1 &&
            !(spirv_decoration_rule(row)->targets & targets & spirv_side(v->of_member >> row & 1)))
            return spirv_fail(m, "id %u cannot be decorated with %s", id,
                              spirv_decoration_rule(row)->name);
    v->what = (uint8_t)what;
    v->op = m->words[m->at] & 0xffff;
    v->at = m->at;
    v->type = type;
    return true;
}

bool spirv_define_result(struct spirv_module *m, uint32_t id, uint32_t type)
{
    if (!spirv_define(m, id, WHAT_RESULT, type, ON_RESULT))
        return false;
    m->ids[id].scope = m->open[m->level];
    m->ids[id].level = m->level;
    return true;
}

bool spirv_is_value_type(const struct spirv_id *t)
{
    return t->what == WHAT_TYPE && t->kind >= KIND_BOOL && t->kind <= KIND_STRUCT;
}

bool spirv_constant(const struct spirv_module *m, uint32_t id, uint32_t *out)
{
    const struct spirv_id *v = spirv_look(m, id), *t = spirv_type(m, v->type);
    if (v->what != WHAT_CONSTANT || v->op != OP_Constant || t->kind != KIND_INT || t->bits != 32)
        return false;
    *out = m->words[v->at + 3];
    return true;
}
