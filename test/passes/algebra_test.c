/* Every row of algebra.def: the interpreter evaluates both sides on edge and random values.
   Exact rows must agree bit for bit, a NaN with any NaN; where the pattern is held to ULPs
   (pow), the replacement may differ by that many. Rows for fast math must come near on ordinary
   values. And every op that ops.def says commutes gives the same bits with its operands swapped. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "passes/algebra.h"
#include "check.h"
#include "interp/interp.h"
#include "base/num.h"
#include "random.h"

enum { VALUES = 512 };

struct test {
    struct arena arena;
    enum vkc_type type;
    struct array vars[ALGEBRA_VARS];
    uint64_t seed;
};

static enum vkc_type part_of(enum vkc_type type)
{
    return type == TYPE_C64 ? TYPE_F32 : type == TYPE_C128 ? TYPE_F64 : type;
}

/* Types under 8 bits have a byte, which holds the sign too. */
static uint64_t as_stored(enum vkc_type type, uint64_t bits)
{
    bits = vkc_types[type].kind == KIND_SINT ? (uint64_t)num_sint_wrap(type, bits)
                                             : num_uint_wrap(type, bits);
    return bits & (UINT64_MAX >> (64 - 8 * type_bytes(type)));
}

/* Edges first, then any bits, then ordinary numbers. */
static uint64_t sample(struct test *t, enum vkc_type type, bool ordinary, uint64_t pick)
{
    static const double edges[] = {0.0,    -0.0,    1,       -1,       2,         -2,
                                   0.5,    3,       1e-40,   -1e-40,   1e-310,    65504,
                                   3.4e38, -3.4e38, 1.7e308, INFINITY, -INFINITY, NAN};
    uint64_t bits = next_random(&t->seed);
    uint32_t width = vkc_types[type].bits, nedges = sizeof edges / sizeof *edges;
    if (type_is_int(type)) {
        uint64_t top = (uint64_t)1 << (width - 1);
        const uint64_t ints[] = {0, 1, UINT64_MAX, 2, top, top - 1, top + 1};
        bits = pick % 3 == 0 ? ints[pick / 3 % 7] : pick % 3 == 1 ? bits : bits % 16;
        return as_stored(type, bits);
    }
    double normal = (double)(int64_t)bits * 0x1p-63 * 8;
    if (ordinary)
        return num_float_encode(type, fabs(normal) + 0.125);
    if (pick % 3 == 0)
        return num_float_encode(type, edges[pick / 3 % nedges]);
    return pick % 3 == 1 ? (width == 64 ? bits : bits & (((uint64_t)1 << width) - 1))
                         : num_float_encode(type, normal);
}

static struct array fill(struct test *t, enum vkc_type type, char name, bool ordinary)
{
    int64_t dims[1] = {VALUES};
    struct array a = {.tensor = {.type = type, .shape = shape_of(1, dims)}};
    enum vkc_type part = part_of(type);
    uint32_t bytes = type_bytes(part), n = VALUES * (type_bytes(type) / bytes);
    a.data = arena_alloc(&t->arena, n, bytes);
    uint64_t constant = sample(t, part, ordinary, next_random(&t->seed) % 1000), bits;
    if (name == 'k')
        constant = num_float_encode(
            part, ldexp(next_random(&t->seed) % 2 ? 1 : -1, (int)(next_random(&t->seed) % 9) - 4));
    for (uint32_t i = 0; i < n; i++) {
        /* sizes without a common factor, so that edges meet all edges */
        bits = variable_is_constant(name) ? constant
                                          : sample(t, part, ordinary,
                                                   name == 'x'   ? i
                                                   : name == 'y' ? i / 54 * 3
                                                                 : i * 7);
        if (variable_is_bool(name))
            bits = next_random(&t->seed) & 1;
        memcpy((char *)a.data + (size_t)i * bytes, &bits, bytes);
    }
    return a;
}

static bool evaluate(struct test *t, const struct term *term, const struct array *like,
                     enum vkc_type root, struct array *out);

static bool operands(struct test *t, const struct term *term, enum vkc_type root,
                     const struct array *like, struct array *ins)
{
    struct array near = *like;
    for (int numbers = 0; numbers < 2; numbers++) {
        for (uint32_t i = 0; i < term->nterms; i++) {
            if ((term->terms[i]->kind == TERM_NUMBER) != (numbers == 1))
                continue;
            /* the predicate of a select has a type of its own */
            if (!evaluate(t, term->terms[i], &near, root, &ins[i]))
                return false;
            if (!(term->op == OP_SELECT && i == 0))
                near = ins[i];
        }
    }
    return true;
}

static bool evaluate(struct test *t, const struct term *term, const struct array *like,
                     enum vkc_type root, struct array *out)
{
    if (term->kind == TERM_VARIABLE) {
        *out = t->vars[term->variable - 'a'];
        return true;
    }
    if (term->kind == TERM_NUMBER) {
        enum vkc_type type = like->tensor.type, part = part_of(type);
        uint64_t bits = type_is_int(type) ? as_stored(type, (uint64_t)(int64_t)term->number)
                                          : num_float_encode(part, term->number);
        *out = *like;
        out->data = arena_alloc(&t->arena, VALUES, type_bytes(type));
        for (int i = 0; i < VALUES; i++)
            memcpy((char *)out->data + (size_t)i * type_bytes(type), &bits, type_bytes(part));
        return true;
    }
    struct array ins[ALGEBRA_MAX_TERMS];
    struct value values[ALGEBRA_MAX_TERMS] = {{0, 0}};
    memset(ins, 0, sizeof ins);
    if (!operands(t, term, root, like, ins))
        return false;
    struct tensor result = ins[term->op == OP_SELECT ? 1 : 0].tensor;
    enum op_rule rule = vkc_ops[term->op].rule;
    if (rule == RULE_COMPARE || rule == RULE_LOGICAL || rule == RULE_TEST)
        result.type = TYPE_U8;
    if (rule == RULE_ABS)
        result.type = part_of(result.type);
    if (term->op == OP_AS_TYPE)
        result.type = root;
    struct node n = {
        .op = term->op, .nins = term->nterms, .nouts = 1, .ins = values, .outs = &result};
    struct graph g = {.arena = &t->arena};
    struct diag d = {0};
    bool ok = interp_node(&g, &n, &t->arena, ins, out, &d);
    if (!ok)
        printf("%s: %s\n", op_name(term->op), d.message);
    return ok;
}

static bool has_op(const struct term *t, enum op op)
{
    if (t->kind == TERM_OP && t->op == op)
        return true;
    for (uint32_t i = 0; i < t->nterms; i++)
        if (has_op(t->terms[i], op))
            return true;
    return false;
}

/* The index of the first element that is off, or -1. */
static int compare(const struct array *x, const struct array *y, bool exact, double ulps)
{
    enum vkc_type type = x->tensor.type, part = part_of(type);
    uint32_t bytes = type_bytes(part), n = VALUES * (type_bytes(type) / bytes);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t a = 0, b = 0;
        memcpy(&a, (char *)x->data + (size_t)i * bytes, bytes);
        memcpy(&b, (char *)y->data + (size_t)i * bytes, bytes);
        if (a == b)
            continue;
        if (type_is_int(part))
            return (int)i;
        double p = num_float_decode(part, a), q = num_float_decode(part, b);
        if ((isnan(p) && isnan(q)) || (!exact && p == q))
            continue;
        double off = fabs(p - q) / (fabs(p) + fabs(q));
        if (exact ? !(ulps > 0 && fabs(p - q) <= ulps * fabs(nextafter(p, INFINITY) - p))
                  : !(off < 0.05))
            return (int)i;
    }
    return -1;
}

static void test_row(const struct algebra_row *row, enum vkc_type type)
{
    struct test t = {.type = type, .seed = 1};
    struct diag d = {0};
    arena_init(&t.arena, 0);
    struct term *pattern = algebra_parse(&t.arena, row->pattern, &d),
                *replacement = algebra_parse(&t.arena, row->replacement, &d);
    CHECK(pattern && replacement, "%s: %s", row->name, d.message);
    for (int round = 0; pattern && replacement && round < 8; round++) {
        for (int i = 0; i < ALGEBRA_VARS; i++)
            t.vars[i] = fill(&t, variable_is_bool((char)('a' + i)) ? TYPE_U8 : type,
                             (char)('a' + i), !row->exact);
        struct array before, after;
        struct array like = t.vars['x' - 'a'];
        bool ok = evaluate(&t, pattern, &like, type, &before);
        like = ok ? before : like;
        ok = ok && evaluate(&t, replacement, &like, before.tensor.type, &after);
        int at = ok ? compare(&before, &after, row->exact, has_op(pattern, OP_POW) ? 2 : 0) : -1;
        CHECK(ok && tensor_equal(&before.tensor, &after.tensor), "%s %s: sides differ in type",
              row->name, type_name(type));
        CHECK(at < 0, "%s %s: %s -> %s differ at %d", row->name, type_name(type), row->pattern,
              row->replacement, at);
        if (!ok || at >= 0)
            break;
    }
    arena_finish(&t.arena);
}

/* Whether the op's row in ops.def has a meaning for the type. */
static bool has_form(const struct op_info *o, enum vkc_type type)
{
    switch (vkc_types[type].kind) {
    case KIND_FLOAT: return o->ref_float != NULL;
    case KIND_SINT: return o->ref_sint != NULL;
    case KIND_UINT: return o->ref_uint != NULL;
    case KIND_COMPLEX: return o->ref_complex != NULL;
    default: return false;
    }
}

static void test_commutes(enum op op, enum vkc_type type)
{
    struct test t = {.type = type, .seed = 1};
    struct term x = {.kind = TERM_VARIABLE, .variable = 'x'},
                y = {.kind = TERM_VARIABLE, .variable = 'y'};
    struct term apart = {.kind = TERM_OP, .op = op, .nterms = 2, .terms = {&x, &y}};
    struct term swapped = {.kind = TERM_OP, .op = op, .nterms = 2, .terms = {&y, &x}};
    struct array as_it_is, other;
    arena_init(&t.arena, 0);
    t.vars['x' - 'a'] = fill(&t, type, 'x', false);
    t.vars['y' - 'a'] = fill(&t, type, 'y', false);
    const struct array *like = &t.vars['x' - 'a'];
    bool ok =
        evaluate(&t, &apart, like, type, &as_it_is) && evaluate(&t, &swapped, like, type, &other);
    int at = ok ? compare(&as_it_is, &other, true, 0) : -1;
    CHECK(ok && at < 0, "%s of %s is said to commute; at %d it does not", op_name(op),
          type_name(type), at);
    arena_finish(&t.arena);
}

int main(void)
{
    static const enum vkc_type types[] = {TYPE_F32, TYPE_F64, TYPE_F16, TYPE_BF16, TYPE_F8,
                                          TYPE_S8,  TYPE_S32, TYPE_S64, TYPE_U8,   TYPE_U32,
                                          TYPE_U64, TYPE_S4,  TYPE_C64};
    for (const struct algebra_row *row = vkc_algebra; row->name; row++) {
        bool any = false;
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            bool boolean = strstr(row->pattern, "(b") != NULL;
            if (!algebra_for_type(row, types[i]) || (boolean && types[i] != TYPE_U8) ||
                (types[i] == TYPE_F8 && !row->exact))
                continue;
            any = true;
            test_row(row, types[i]);
        }
        CHECK(any, "%s is for no type", row->name);
    }
    for (enum op op = OP_NONE + 1; op < OP_COUNT; op++)
        for (size_t i = 0; (vkc_ops[op].flags & OP_COMMUTES) && i < sizeof types / sizeof *types;
             i++)
            if (has_form(&vkc_ops[op], types[i]))
                test_commutes(op, types[i]);
    return check_report();
}
