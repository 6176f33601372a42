/* Instructions that take values and make one: types of operands and of the result. */
#include "spirv_value.h"

/* A number or bool, or a vector of them. */
struct number {
    enum spirv_kind kind; /* of a component */
    uint32_t bits, count;
    bool is_signed;
};

static bool number_of(const struct spirv_module *m, const struct spirv_id *type, struct number *out)
{
    const struct spirv_id *part = type->kind == KIND_VECTOR ? spirv_type(m, type->type) : type;
    *out = (struct number){part->kind, part->bits, type->count, part->is_signed};
    return type->what == WHAT_TYPE && part->kind >= KIND_BOOL && part->kind <= KIND_FLOAT;
}

static bool operand(struct spirv_module *m, uint32_t id, struct number *out)
{
    const struct spirv_id *type;
    if (!spirv_operand(m, id, &type))
        return false;
    return number_of(m, type, out) || spirv_fail(m, "id %u is not a number", id);
}

static bool wrong(struct spirv_module *m, uint32_t i)
{
    return spirv_fail(m, "operand %u is not of the type that it must be", i);
}

/* `count` operands of the result's kind, bits and components; where `strict` of its type. */
static bool like_result(struct spirv_module *m, enum spirv_kind kind, const struct number *result,
                        const uint32_t *w, uint32_t count, uint32_t strict)
{
    if (result->kind != kind)
        return spirv_fail(m, "its result is not of the type that it must be");
    for (uint32_t i = 0; i < count; i++) {
        struct number x;
        if (!operand(m, w[i], &x))
            return false;
        bool same = x.kind == kind && x.bits == result->bits && x.count == result->count;
        if (!same || (strict && m->ids[w[i]].type != strict))
            return wrong(m, i);
    }
    return true;
}

/* One operand of that kind, with as many components. */
static bool one_of(struct spirv_module *m, enum spirv_kind kind, const struct number *result,
                   uint32_t id, struct number *out)
{
    if (!operand(m, id, out))
        return false;
    return (out->kind == kind && out->count == result->count) || wrong(m, 0);
}

static bool compare(struct spirv_module *m, enum spirv_kind kind, const struct number *result,
                    const uint32_t *w)
{
    struct number x, y;
    if (result->kind != KIND_BOOL)
        return spirv_fail(m, "its result is not a bool");
    if (!one_of(m, kind, result, w[0], &x) || !one_of(m, kind, result, w[1], &y))
        return false;
    return x.bits == y.bits || wrong(m, 1);
}

static bool convert(struct spirv_module *m, enum spirv_form form, const struct number *result,
                    uint32_t id)
{
    bool from_int = form == FORM_INT_TO_FLOAT || form == FORM_INT_RESIZE;
    bool to_int = form == FORM_FLOAT_TO_INT || form == FORM_INT_RESIZE;
    struct number x;
    if (result->kind != (to_int ? KIND_INT : KIND_FLOAT))
        return spirv_fail(m, "its result is not of the type that it must be");
    if (!one_of(m, from_int ? KIND_INT : KIND_FLOAT, result, id, &x))
        return false;
    bool resizes = form == FORM_INT_RESIZE || form == FORM_FLOAT_RESIZE;
    return !resizes || x.bits != result->bits || wrong(m, 0);
}

/* Between types of as many bits: of as many components, or a wide number and a vector of its
   halves. */
static bool bitcast(struct spirv_module *m, const struct number *result, uint32_t id)
{
    struct number x;
    if (!operand(m, id, &x))
        return false;
    bool fits = x.bits * x.count == result->bits * result->count &&
                (x.count == result->count || x.count == 1 || result->count == 1);
    return (fits && x.kind != KIND_BOOL && result->kind != KIND_BOOL) || wrong(m, 0);
}

/* A float of 64 bits from its halves, or the halves of one. */
static bool pack_double(struct spirv_module *m, const struct number *result, uint32_t id,
                        bool unpacks)
{
    struct number x;
    if (!operand(m, id, &x))
        return false;
    const struct number *wide = unpacks ? &x : result, *halves = unpacks ? result : &x;
    return (wide->kind == KIND_FLOAT && wide->bits == 64 && wide->count == 1 &&
            halves->kind == KIND_INT && halves->bits == 32 && halves->count == 2) ||
           spirv_fail(m, "is not of a float of 64 bits and its halves");
}

static bool select_one(struct spirv_module *m, const struct number *result, const uint32_t *w)
{
    struct number x;
    if (!operand(m, w[0], &x))
        return false;
    if (x.kind != KIND_BOOL || x.count != result->count)
        return wrong(m, 0);
    const uint32_t type = m->words[m->at + 1];
    for (int i = 1; i < 3; i++) {
        if (!operand(m, w[i], &x))
            return false;
        if (m->ids[w[i]].type != type)
            return wrong(m, (uint32_t)i);
    }
    return true;
}

/* Of a vector, whether any is or all are. */
static bool reduce_bool(struct spirv_module *m, const struct number *result, uint32_t id)
{
    struct number x;
    if (!operand(m, id, &x))
        return false;
    return (x.kind == KIND_BOOL && x.count > 1 && result->kind == KIND_BOOL &&
            result->count == 1) ||
           wrong(m, 0);
}

static bool shift(struct spirv_module *m, const struct number *result, const uint32_t *w)
{
    struct number x;
    return like_result(m, KIND_INT, result, w, 1, 0) && one_of(m, KIND_INT, result, w[1], &x);
}

/* Base like the result; offset and count are plain integers. */
static bool bit_field(struct spirv_module *m, const struct number *result, const uint32_t *w)
{
    struct number one = {KIND_INT, 32, 1, false}, x;
    if (result->bits != 32)
        return spirv_fail(m, "is not of 32 bits");
    return like_result(m, KIND_INT, result, w, 1, m->words[m->at + 1]) &&
           one_of(m, KIND_INT, &one, w[1], &x) && one_of(m, KIND_INT, &one, w[2], &x);
}

static bool times_scalar(struct spirv_module *m, const struct number *result, const uint32_t *w)
{
    struct number one = {KIND_FLOAT, result->bits, 1, false}, x;
    if (result->count < 2 || !like_result(m, KIND_FLOAT, result, w, 1, 0) ||
        !one_of(m, KIND_FLOAT, &one, w[1], &x))
        return spirv_fail(m, "is not a vector times a number");
    return x.bits == result->bits || wrong(m, 1);
}

/* A struct of two like the operands, which are unsigned. */
static bool mul_extended(struct spirv_module *m, uint32_t type, const uint32_t *w)
{
    const struct spirv_id *t = spirv_type(m, type);
    const uint32_t *members = m->words + t->at + 2;
    struct number part;
    if (t->what != WHAT_TYPE || t->kind != KIND_STRUCT || t->count != 2 ||
        members[0] != members[1] || !number_of(m, spirv_type(m, members[0]), &part) ||
        part.is_signed)
        return spirv_fail(m, "its result is not a pair");
    return like_result(m, KIND_INT, &part, w, 2, members[0]);
}

/* ---- composites ---- */

static bool construct_vector(struct spirv_module *m, const struct spirv_id *t, const uint32_t *w,
                             uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct spirv_id *type, *v = spirv_operand(m, w[i], &type);
        if (!v)
            return false;
        if (v->type != t->type && !(type->kind == KIND_VECTOR && type->type == t->type))
            return wrong(m, i);
        count += type->count;
    }
    return (count == t->count && n > 1) ||
           spirv_fail(m, "has %u components of %u", count, t->count);
}

static bool construct(struct spirv_module *m, uint32_t type, const uint32_t *w, uint32_t n)
{
    const struct spirv_id *t = spirv_type(m, type);
    if (t->what == WHAT_TYPE && t->kind == KIND_VECTOR)
        return construct_vector(m, t, w, n);
    if (t->what != WHAT_TYPE || (t->kind != KIND_ARRAY && t->kind != KIND_STRUCT) || t->count != n)
        return spirv_fail(m, "does not have the parts of its type");
    for (uint32_t i = 0; i < n; i++) {
        const struct spirv_id *part, *v = spirv_operand(m, w[i], &part);
        if (!v)
            return false;
        if (v->type != (t->kind == KIND_STRUCT ? m->words[t->at + 2 + i] : t->type))
            return wrong(m, i);
    }
    return true;
}

static bool extract(struct spirv_module *m, uint32_t type, const uint32_t *w, uint32_t n)
{
    const struct spirv_id *t, *v = spirv_operand(m, w[0], &t);
    uint32_t found = v ? v->type : 0;
    if (!v)
        return false;
    for (uint32_t i = 1; i < n; i++) {
        if (!spirv_is_value_type(t) || t->kind < KIND_VECTOR || w[i] >= t->count)
            return spirv_fail(m, "index %u is not in its type", w[i]);
        found = t->kind == KIND_STRUCT ? m->words[t->at + 2 + w[i]] : t->type;
        t = spirv_type(m, found);
    }
    return found == type || spirv_fail(m, "its result is not of the type that is there");
}

/* A component of a vector, at an index that is guarded. */
static bool extract_dynamic(struct spirv_module *m, uint32_t type, const uint32_t *w)
{
    const struct spirv_id *t;
    struct number index;
    if (!spirv_operand(m, w[0], &t) || !operand(m, w[1], &index))
        return false;
    if (t->kind != KIND_VECTOR || index.kind != KIND_INT || index.bits != 32 || index.count != 1)
        return spirv_fail(m, "is not of a vector, or has no index of 32 bits");
    return t->type == type || spirv_fail(m, "its result is not of the type that is there");
}

static bool shuffle(struct spirv_module *m, uint32_t type, const uint32_t *w, uint32_t n)
{
    const struct spirv_id *t = spirv_type(m, type), *a, *b;
    if (!spirv_operand(m, w[0], &a) || !spirv_operand(m, w[1], &b))
        return false;
    if (t->kind != KIND_VECTOR || a->kind != KIND_VECTOR || b->kind != KIND_VECTOR ||
        a->type != t->type || b->type != t->type || t->count != n - 2)
        return spirv_fail(m, "is not of vectors of one kind");
    for (uint32_t i = 2; i < n; i++)
        if (w[i] >= a->count + b->count)
            return spirv_fail(m, "component %u of %u", w[i], a->count + b->count);
    return true;
}

/* ---- subgroups ---- */

/* `w` begins with a scope. */
static bool of_subgroup(struct spirv_module *m, uint32_t capability, const uint32_t *w)
{
    uint32_t scope;
    return (m->subgroups & capability && spirv_constant(m, w[0], &scope) &&
            scope == SCOPE_SUBGROUP) ||
           spirv_fail(m, "is not of a subgroup, or lacks the capability");
}

static bool ballot(struct spirv_module *m, const struct number *result, const uint32_t *w)
{
    struct number x;
    if (!of_subgroup(m, HAS_BALLOTS, w) || !operand(m, w[1], &x))
        return false;
    return (result->kind == KIND_INT && result->bits == 32 && result->count == 4 &&
            x.kind == KIND_BOOL && x.count == 1) ||
           spirv_fail(m, "is not four words of a bool");
}

static bool subgroup_scan(struct spirv_module *m, const struct number *result, const uint32_t *w)
{
    return of_subgroup(m, HAS_ARITHMETIC, w) &&
           (w[1] == EXCLUSIVE_SCAN || spirv_fail(m, "operation %u is not admitted", w[1])) &&
           like_result(m, KIND_INT, result, w + 2, 1, 0);
}

/* ---- all of them ---- */

/* `w` are `n` operands. */
static bool check(struct spirv_module *m, enum spirv_form form, uint32_t type, const uint32_t *w,
                  uint32_t n)
{
    struct number result;
    switch (form) {
    case FORM_CONSTRUCT: return construct(m, type, w, n);
    case FORM_EXTRACT: return extract(m, type, w, n);
    case FORM_EXTRACT_DYNAMIC: return extract_dynamic(m, type, w);
    case FORM_SHUFFLE: return shuffle(m, type, w, n);
    case FORM_MUL_EXTENDED: return mul_extended(m, type, w);
    default: break;
    }
    if (!number_of(m, spirv_type(m, type), &result))
        return spirv_fail(m, "its result is not a number");
    switch (form) {
    case FORM_INT_UNARY: return like_result(m, KIND_INT, &result, w, 1, 0);
    case FORM_INT_UNARY_32:
        return result.bits == 32 ? like_result(m, KIND_INT, &result, w, 1, 0)
                                 : spirv_fail(m, "is not of 32 bits");
    case FORM_INT_BINARY: return like_result(m, KIND_INT, &result, w, 2, 0);
    case FORM_INT_TERNARY: return like_result(m, KIND_INT, &result, w, 3, 0);
    case FORM_UINT_DIVIDE:
        return result.is_signed ? spirv_fail(m, "is of signed numbers")
                                : like_result(m, KIND_INT, &result, w, 2, type);
    case FORM_INT_DIVIDE:
        return result.is_signed && result.count > 1 ? spirv_fail(m, "is of signed vectors")
                                                    : like_result(m, KIND_INT, &result, w, 2, type);
    case FORM_FLOAT_UNARY: return like_result(m, KIND_FLOAT, &result, w, 1, type);
    case FORM_FLOAT_BINARY: return like_result(m, KIND_FLOAT, &result, w, 2, type);
    case FORM_FLOAT_TERNARY: return like_result(m, KIND_FLOAT, &result, w, 3, type);
    case FORM_BOOL_UNARY: return like_result(m, KIND_BOOL, &result, w, 1, type);
    case FORM_BOOL_BINARY: return like_result(m, KIND_BOOL, &result, w, 2, type);
    case FORM_BOOL_REDUCE: return reduce_bool(m, &result, w[0]);
    case FORM_VECTOR_TIMES_SCALAR: return times_scalar(m, &result, w);
    case FORM_UINT_RESIZE:
    case FORM_FLOAT_TO_UINT:
        if (result.is_signed)
            return spirv_fail(m, "makes a signed number");
        form = form == FORM_UINT_RESIZE ? FORM_INT_RESIZE : FORM_FLOAT_TO_INT;
        return convert(m, form, &result, w[0]);
    case FORM_FLOAT_TO_INT:
    case FORM_INT_TO_FLOAT:
    case FORM_INT_RESIZE:
    case FORM_FLOAT_RESIZE: return convert(m, form, &result, w[0]);
    case FORM_BITCAST: return bitcast(m, &result, w[0]);
    case FORM_PACK_DOUBLE: return pack_double(m, &result, w[0], false);
    case FORM_UNPACK_DOUBLE: return pack_double(m, &result, w[0], true);
    case FORM_SELECT: return select_one(m, &result, w);
    case FORM_INT_COMPARE: return compare(m, KIND_INT, &result, w);
    case FORM_FLOAT_COMPARE: return compare(m, KIND_FLOAT, &result, w);
    case FORM_SHIFT: return shift(m, &result, w);
    case FORM_BALLOT: return ballot(m, &result, w);
    case FORM_SUBGROUP_SCAN: return subgroup_scan(m, &result, w);
    default: return bit_field(m, &result, w);
    }
}

static uint32_t operands_of(enum spirv_form form)
{
    switch (form) {
    case FORM_INT_BINARY:
    case FORM_FLOAT_BINARY: return 2;
    case FORM_INT_TERNARY:
    case FORM_FLOAT_TERNARY: return 3;
    default: return 1;
    }
}

bool spirv_check_value(struct spirv_module *m, const struct spirv_op_rule *rule, const uint32_t *w,
                       uint32_t n)
{
    enum spirv_form form = rule->form;
    uint32_t skip = 3;
    if (form == FORM_EXT_INST) {
        form = spirv_ext_form(w[4]);
        skip = 5;
        if (w[3] != m->import || form == FORM_NONE || n != skip + operands_of(form))
            return spirv_fail(m, "function %u is not admitted so", w[4]);
    }
    return check(m, form, w[1], w + skip, n - skip) && spirv_define_result(m, w[2], w[1]);
}
