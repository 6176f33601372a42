/* Does      rewrites element-wise nodes by the rows of algebra.def; shortens chains of conversions;
             leaves out limits that a value keeps by itself
   Requires  nothing; canon and fold make more rows fit
   Keeps     bits, or comes nearer to the true value; with fast_math stays near
   Cost      linear: rows by op, at most STEPS rewrites per node */
#include <math.h>
#include <string.h>

#include "passes/algebra.h"
#include "passes/bounds.h"
#include "passes/build.h"
#include "base/num.h"
#include "passes/pass.h"

enum { STEPS = 8 };

struct rule {
    const struct algebra_row *row;
    const struct term *pattern, *replacement;
    struct rule *next; /* of the same op */
};

struct rules {
    struct rule *of[OP_COUNT];
};

/* ---- matching ---- */

struct binding {
    struct value of[ALGEBRA_VARS];
    bool set[ALGEBRA_VARS];
};

/* A finite power of two with an exact reciprocal, both normal. */
static bool is_power_of_two(const struct build *b, struct value v)
{
    uint64_t bits[2];
    enum vkc_type type = build_tensor(b, v)->type;
    if (!type_is_float(type) || !build_splat_bits(b, v, bits))
        return false;
    double x = num_float_decode(type, bits[0]);
    int exp;
    if (!isfinite(x) || x == 0 || fabs(frexp(x, &exp)) != 0.5)
        return false;
    double least = type == TYPE_F64                        ? 0x1p-1022
                   : type == TYPE_F32 || type == TYPE_BF16 ? 0x1p-126
                   : type == TYPE_F8E4M3FN                 ? 0x1p-6
                                                           : 0x1p-14;
    return fabs(x) >= least && fabs(1 / x) >= least && num_float_round(type, 1 / x) == 1 / x;
}

static bool match_variable(const struct build *b, char name, struct value v, struct binding *bound)
{
    uint64_t bits[2];
    int i = name - 'a';
    if (bound->set[i])
        return value_equal(bound->of[i], v);
    if (variable_is_bool(name) && !(build_tensor(b, v)->type == TYPE_U8 && build_is_bool(b, v)))
        return false;
    if (name == 'k' ? !is_power_of_two(b, v)
                    : variable_is_constant(name) && !build_splat_bits(b, v, bits))
        return false;
    bound->set[i] = true;
    bound->of[i] = v;
    return true;
}

static bool match_ins(const struct build *b, const struct term *t, const struct value *ins,
                      uint32_t flip, struct binding *bound);

/* Recursion is on the depth of a row. */
static bool match(const struct build *b, const struct term *t, struct value v,
                  struct binding *bound)
{
    if (t->kind == TERM_NUMBER)
        return build_is_number(b, v, t->number);
    if (t->kind == TERM_VARIABLE)
        return match_variable(b, t->variable, v, bound);
    const struct node *n = build_def(b, v);
    if (n->op != t->op)
        return false;
    const struct binding before = *bound;
    for (uint32_t flip = 0; flip <= ((vkc_ops[n->op].flags & OP_COMMUTES) ? 1u : 0u); flip++) {
        *bound = before;
        if (match_ins(b, t, n->ins, flip, bound))
            return true;
    }
    return false;
}

static bool match_ins(const struct build *b, const struct term *t, const struct value *ins,
                      uint32_t flip, struct binding *bound)
{
    for (uint32_t i = 0; i < t->nterms; i++)
        if (!match(b, t->terms[i], ins[flip ? 1 - i : i], bound))
            return false;
    return true;
}

/* ---- replacing ---- */

/* `like` is what a number is shaped and typed like. */
static struct value instantiate(struct build *b, const struct term *t, const struct binding *bound,
                                const struct tensor *like, enum vkc_type root)
{
    if (t->kind == TERM_NUMBER)
        return build_number(b, like, t->number);
    if (t->kind == TERM_VARIABLE)
        return bound->of[t->variable - 'a'];
    struct value ins[ALGEBRA_MAX_TERMS] = {{0, 0}};
    struct tensor near = *like;
    for (uint32_t numbers = 0; numbers < 2; numbers++) {
        for (uint32_t i = 0; i < t->nterms; i++) {
            if ((t->terms[i]->kind == TERM_NUMBER) != (numbers == 1))
                continue;
            ins[i] = instantiate(b, t->terms[i], bound, &near, root);
            if (!build_ok(b, ins[i]))
                return BUILD_NONE;
            near = *build_tensor(b, ins[i]);
        }
    }
    return t->op == OP_AS_TYPE ? build_convert(b, ins[0], root)
                               : build_op(b, t->op, ins, t->nterms);
}

/* The type that a row's kinds speak of. */
static enum vkc_type kind_of(const struct build *b, const struct binding *bound)
{
    char name = bound->set['x' - 'a'] ? 'x' : 'b';
    return build_tensor(b, bound->of[name - 'a'])->type;
}

static bool apply_rows(struct build *b, const struct node *n, struct value *out)
{
    const struct rules *rules = b->r->context;
    for (const struct rule *r = rules->of[n->op]; r; r = r->next) {
        for (uint32_t flip = 0; flip <= ((vkc_ops[n->op].flags & OP_COMMUTES) ? 1u : 0u); flip++) {
            struct binding bound = {.set = {false}};
            if (!match_ins(b, r->pattern, n->ins, flip, &bound) ||
                !algebra_for_type(r->row, kind_of(b, &bound)))
                continue;
            struct tensor root = n->outs[0];
            *out = instantiate(b, r->replacement, &bound, &root, root.type);
            return true;
        }
    }
    return false;
}

/* ---- conversions ---- */

/* Every value of `from` is one of `to`. */
static bool is_lossless(enum vkc_type from, enum vkc_type to)
{
    const struct type_info *f = &vkc_types[from], *t = &vkc_types[to];
    if (from == to)
        return true;
    if (f->kind == KIND_COMPLEX || t->kind == KIND_COMPLEX)
        return from == TYPE_C64 && to == TYPE_C128;
    static const uint32_t digits[TYPE_COUNT] = {
        [TYPE_F8] = 3,   [TYPE_F8E4M3FN] = 4, [TYPE_F16] = 11,
        [TYPE_BF16] = 8, [TYPE_F32] = 24,     [TYPE_F64] = 53};
    if (t->kind == KIND_FLOAT && f->kind != KIND_FLOAT) /* the greatest must be in range as well */
        return f->bits <= digits[to] && t->bits >= 16;
    if (t->kind == KIND_FLOAT)
        return to == TYPE_F64 || (to == TYPE_F32 && f->bits < 32) ||
               (to == TYPE_F16 && f->bits == 8) || (to == TYPE_BF16 && f->bits == 8);
    if (f->kind == KIND_FLOAT)
        return false;
    return f->kind == t->kind ? t->bits >= f->bits : f->kind == KIND_UINT && t->bits > f->bits;
}

/* Whether from -> middle -> to is from -> to. */
static bool middle_is_idle(enum vkc_type from, enum vkc_type middle, enum vkc_type to)
{
    if (type_is_int(from) && !type_is_int(middle) && type_is_int(to) && !is_lossless(from, to))
        /* what is out of range saturates coming from a float, and wraps coming from an integer */
        return false;
    if (is_lossless(from, middle))
        return true;
    return type_is_int(from) && type_is_int(middle) && type_is_int(to) &&
           vkc_types[middle].bits >= vkc_types[to].bits;
}

/* What the value was before conversions that keep zero and non-zero apart. */
static struct value truth_of(const struct build *b, struct value v)
{
    for (uint32_t i = 0; i < STEPS; i++) {
        const struct node *n = build_def(b, v);
        if (n->op != OP_AS_TYPE || !is_lossless(build_tensor(b, n->ins[0])->type, n->outs[0].type))
            break;
        v = n->ins[0];
    }
    return v;
}

static bool apply_conversions(struct build *b, const struct node *n, struct value *out)
{
    const struct node *in = build_def(b, n->ins[0]);
    enum vkc_type to = n->outs[0].type;
    if (n->op == OP_AS_TYPE || n->op == OP_BITCAST) {
        if (build_tensor(b, n->ins[0])->type == to) {
            *out = n->ins[0];
            return true;
        }
        if (in->op != n->op)
            return false;
        struct value x = in->ins[0];
        enum vkc_type from = build_tensor(b, x)->type;
        if (n->op == OP_AS_TYPE && !middle_is_idle(from, in->outs[0].type, to))
            return false;
        if (n->op == OP_AS_TYPE || from == to) {
            *out = build_convert(b, x, to);
        } else {
            struct node cast = *n;
            cast.ins = &x;
            *out = build_node(b, &cast);
        }
        return true;
    }
    bool truth = n->op == OP_SELECT || vkc_ops[n->op].rule == RULE_LOGICAL;
    struct value ins[ALGEBRA_MAX_TERMS];
    bool shorter = false;
    for (uint32_t i = 0; truth && i < n->nins; i++) {
        ins[i] = n->op == OP_SELECT && i > 0 ? n->ins[i] : truth_of(b, n->ins[i]);
        shorter |= !value_equal(ins[i], n->ins[i]);
    }
    if (shorter)
        *out = build_op(b, n->op, ins, n->nins);
    return shorter;
}

/* A limit that a value keeps by the way it is made: max(x, c) with x from c on is x. */
static bool apply_bounds(const struct build *b, const struct node *n, struct value *out)
{
    uint64_t bits[2];
    double least, most;
    for (uint32_t i = 0; i < 2 && (n->op == OP_MAX || n->op == OP_MIN); i++) {
        *out = n->ins[1 - i];
        if (!build_splat_bits(b, n->ins[i], bits) || !bounds_of(b, *out, &least, &most))
            continue;
        double c = num_float_decode(n->outs[0].type, bits[0]);
        /* zeros of x are +0, which is less than none */
        if (n->op == OP_MAX ? least >= c : most <= c && c != 0)
            return true;
    }
    return false;
}

static bool rewrite(struct build *b, const struct node *n, const struct value *ins,
                    struct value *outs)
{
    if (op_class(n->op) != CLASS_ELEMENTWISE)
        return false;
    struct node now = *n;
    struct value operands[ALGEBRA_MAX_TERMS], v;
    memcpy(operands, ins, n->nins * sizeof *ins);
    now.ins = operands;
    bool any = false;
    for (uint32_t step = 0; step < STEPS && (apply_conversions(b, &now, &v) ||
                                             apply_rows(b, &now, &v) || apply_bounds(b, &now, &v));
         step++) {
        any = true;
        outs[0] = v;
        if (!build_ok(b, v) || op_class(build_def(b, v)->op) != CLASS_ELEMENTWISE)
            break;
        now = *build_def(b, v);
        memcpy(operands, now.ins, now.nins * sizeof *operands);
        now.ins = operands;
    }
    return any;
}

bool pass_algebra(struct graph *g, const struct pass_options *o, bool *out_changed, struct diag *d)
{
    struct rules rules = {{NULL}};
    uint32_t count = 0;
    while (vkc_algebra[count].name)
        count++;
    while (count-- > 0) { /* backwards: each goes before those that follow it */
        const struct algebra_row *row = &vkc_algebra[count];
        if (!row->exact && !o->fast_math)
            continue;
        struct rule *r = ARENA_NEW(g->arena, struct rule);
        if (!r)
            return FAIL(d, MEMORY, "out of memory");
        r->row = row;
        r->pattern = algebra_parse(g->arena, row->pattern, d);
        r->replacement = algebra_parse(g->arena, row->replacement, d);
        if (!r->pattern || !r->replacement)
            return false;
        r->next = rules.of[r->pattern->op];
        rules.of[r->pattern->op] = r;
    }
    struct rebuild r = {
        .g = g, .options = o, .d = d, .fn = rewrite, .context = &rules, .fold = true};
    return rebuild_run(&r, out_changed);
}
