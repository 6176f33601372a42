/* The accumulator of a hero in one thread: its first value, and how it takes in an element. */
#include "codegen/family/row_accumulator.h"

#include <string.h>

#include "codegen/family/contraction.h"
#include "codegen/family/row_elements.h"

/* Whether the accumulator holds the rank of the greatest or least, see rank_f32.glsl. */
bool hero_is_ranked(const struct node *n)
{
    enum vkc_type t = n->outs[0].type;
    return op_has(hero_combine(n), OP_GREATEST | OP_LEAST) && type_is_float(t) && t != TYPE_F64 &&
           !hero_is_serial(n);
}

const char *hero_rank(struct emit *e, const struct node *n, bool back, const char *x)
{
    bool up = op_has(hero_combine(n), OP_GREATEST);
    const char *name = back ? (up ? "nx_of_rank_up" : "nx_of_rank_down")
                       : up ? "nx_rank_up"
                            : "nx_rank_down";
    return arena_printf(e->arena, "%s(%s)", emit_call(e, name, back ? TYPE_U32 : TYPE_F32), x);
}

/* Sums and products of small floats are accumulated as f32 and rounded once. */
enum vkc_type hero_accumulator(const struct node *n)
{
    enum vkc_type t = n->outs[0].type;
    if (hero_is_ranked(n))
        return TYPE_U32;
    return type_is_float(t) && t != TYPE_F64 && !hero_is_serial(n) ? TYPE_F32 : t;
}

const char *hero_join(struct emit *e, const struct node *n, const char *x, const char *y)
{
    if (hero_is_ranked(n))
        return arena_printf(e->arena, "max(%s, %s)", x, y);
    return emit_combine(e, hero_combine(n), hero_accumulator(n), x, y);
}

bool hero_is_compensated(const struct emit *e, const struct node *n)
{
    return op_has(vkc_ops[n->op].reduction, OP_COMPENSATED) && type_is_float(n->outs[0].type) &&
           !e->unit->fast_math;
}

static const char *nan_test(struct emit *e, enum vkc_type t, const char *x)
{
    return arena_printf(e->arena, "%s(%s) != 0u", emit_call(e, "nx_is_nan", t), x);
}

/* "acc_n12", "at_n12" or "low_n12" */
static const char *name_of(const struct emit *e, const struct node *n, const char *what)
{
    return arena_printf(e->arena, "%s_n%u%s", what, n->label,
                        e->of_accumulator ? e->of_accumulator : "");
}

/* Whether an argmax or argmin goes by ranks of its elements, see arg_rank_f32.glsl. */
static bool arg_is_ranked(const struct func *f, const struct node *n)
{
    enum vkc_type t = func_tensor(f, n->ins[0])->type;
    return type_is_float(t) && t != TYPE_F64;
}

enum vkc_type hero_holds(const struct func *f, const struct node *n)
{
    if (op_class(n->op) != CLASS_ARGREDUCE)
        return hero_accumulator(n);
    return arg_is_ranked(f, n) ? TYPE_U32 : func_tensor(f, n->ins[0])->type;
}

static bool takes_last(const struct node *n)
{
    return strcmp(attr_text(n, ATTR_tie_break), "high") == 0;
}

/* The first of several NaN wins, whichever of equal numbers does. */
static const char *rank_beats(struct emit *e, const struct node *n, const char *v, const char *i,
                              const char *b, const char *j)
{
    if (!takes_last(n))
        return arena_printf(e->arena, "%s > %s || (%s == %s && %s < %s)", v, b, v, b, i, j);
    return arena_printf(e->arena, "%s > %s || (%s == %s && (%s < NX_RANK_NAN ? %s > %s : %s < %s))",
                        v, b, v, b, v, i, j, i, j);
}

const char *hero_beats(struct emit *e, const struct node *n, const char *v, const char *i,
                       const char *b, const char *j)
{
    enum vkc_type t = func_tensor(e->func, n->ins[0])->type;
    const char *than = n->op == OP_ARGMAX ? ">" : "<", *tie = takes_last(n) ? ">" : "<";
    if (arg_is_ranked(e->func, n))
        return rank_beats(e, n, v, i, b, j);
    if (!type_is_float(t))
        return arena_printf(
            e->arena,
            "%s == 0xffffffffu || (%s != 0xffffffffu && (%s %s %s || (%s == %s && %s %s %s)))", j,
            i, v, than, b, v, b, i, tie, j);
    const char *vn = nan_test(e, t, v), *bn = nan_test(e, t, b);
    return arena_printf(e->arena,
                        "%s == 0xffffffffu || (%s != 0xffffffffu && (%s ? (!(%s) || %s < %s) : "
                        "(!(%s) && (%s %s %s || (%s == %s && %s %s %s)))))",
                        j, i, vn, bn, i, j, bn, v, than, b, v, b, i, tie, j);
}

/* A thread takes its elements in order, so that of equals it meets the first one first. */
static void take_arg(struct emit *e, const struct node *n, const char *x, const char *r)
{
    uint32_t d = e->scope->depth;
    const char *acc = name_of(e, n, "acc"), *at = name_of(e, n, "at"), *beats;
    if (arg_is_ranked(e->func, n)) {
        const char *rank = emit_temp(e, "k");
        emit_line(
            e, d, "uint %s = %s(%s);", rank,
            emit_call(e, n->op == OP_ARGMAX ? "nx_arg_rank_up" : "nx_arg_rank_down", TYPE_F32), x);
        x = rank;
        beats = takes_last(n) ? arena_printf(e->arena, "%s > %s || (%s == %s && %s < NX_RANK_NAN)",
                                             x, acc, x, acc, x)
                              : arena_printf(e->arena, "%s > %s", x, acc);
    } else
        beats = hero_beats(e, n, x, r, acc, at);
    emit_line(e, d, "if (%s) { %s = %s; %s = %s; } // %s%s%s", beats, acc, x, at, r, op_name(n->op),
              n->loc ? "  " : "", n->loc ? n->loc : "");
}

void hero_begin_each(struct emit *e, const struct node *n, uint32_t count)
{
    enum vkc_type t = hero_holds(e->func, n);
    bool is_arg = op_class(n->op) == CLASS_ARGREDUCE, is_sum = hero_is_compensated(e, n);
    const char *precise = is_sum ? "precise " : "", *type = emit_type(e, t);
    uint64_t bits = 0;
    if (!is_arg && !hero_is_ranked(n) && !op_identity_bits(hero_combine(n), t, &bits))
        emit_fail(e, "n%u %s has no identity for %s", n->label, op_name(n->op), type_name(t));
    emit_line(e, 0, "%s%s acc_n%u_of[%u];", precise, type, n->label, count);
    if (is_arg)
        emit_line(e, 0, "uint at_n%u_of[%u];", n->label, count);
    else if (is_sum)
        emit_line(e, 0, "precise %s low_n%u_of[%u];", type, n->label, count);
    emit_open(e);
    uint32_t d = e->scope->depth;
    emit_line(e, d, "acc_n%u_of[i] = %s;", n->label,
              is_arg ? emit_cast(e, TYPE_S32, t, "0") : emit_constant(e, t, bits, 0));
    if (is_arg)
        emit_line(e, d, "at_n%u_of[i] = 0xffffffffu;", n->label);
    else if (is_sum)
        emit_line(e, d, "low_n%u_of[i] = %s;", n->label, emit_constant(e, t, 0, 0));
    emit_close(e, arena_printf(e->arena, "[[unroll]] for (uint i = 0u; i < %uu; i++)", count));
}

void hero_begin(struct emit *e, const struct node *n, const struct ix *o)
{
    uint32_t l = n->label;
    if (op_class(n->op) == CLASS_ARGREDUCE) {
        enum vkc_type t = hero_holds(e->func, n);
        emit_line(e, 0, "%s acc_n%u = %s;", emit_type(e, t), l, emit_cast(e, TYPE_S32, t, "0"));
        emit_line(e, 0, "uint at_n%u = 0xffffffffu;", l);
        return;
    }
    enum vkc_type t = hero_accumulator(n);
    uint64_t bits = 0;
    if (hero_is_serial(n)) {
        struct expr first = serial_begin(e, n, o);
        if (first.text)
            emit_line(e, 0, "%s acc_n%u = %s;", emit_type(e, n->outs[0].type), l, first.text);
        return;
    }
    /* the rank of the identity is 0 */
    if (!hero_is_ranked(n) && !op_identity_bits(hero_combine(n), t, &bits))
        emit_fail(e, "n%u %s has no identity for %s", l, op_name(n->op), type_name(t));
    const char *precise = hero_is_compensated(e, n) ? "precise " : "";
    emit_line(e, 0, "%s%s acc_n%u = %s;", precise, emit_type(e, t), l,
              emit_constant(e, t, bits, 0));
    if (hero_is_compensated(e, n))
        emit_line(e, 0, "precise %s low_n%u = %s;", emit_type(e, t), l, emit_constant(e, t, 0, 0));
}

void hero_add_exactly(struct emit *e, const struct node *n, const char *x)
{
    struct arena *a = e->arena;
    emit_exact_sum(e, emit_type(e, hero_accumulator(n)), name_of(e, n, "acc"), name_of(e, n, "low"),
                   x, arena_printf(a, " // sum%s%s", n->loc ? "  " : "", n->loc ? n->loc : ""));
    emit_count(e, 7);
}

void hero_add_four(struct emit *e, const struct node *n, const char *const x[4])
{
    const char *four = emit_temp(e, "f");
    emit_line(e, e->scope->depth, "precise %s %s = (%s + %s) + (%s + %s);",
              emit_type(e, hero_accumulator(n)), four, x[0], x[1], x[2], x[3]);
    hero_add_exactly(e, n, four);
}

void hero_accumulate(struct emit *e, const struct node *n, const char *x, const char *r)
{
    uint32_t d = e->scope->depth;
    const char *acc = name_of(e, n, "acc");
    if (hero_is_compensated(e, n)) {
        hero_add_exactly(e, n, x);
        return;
    }
    emit_count(e, op_class(n->op) == CLASS_CONTRACT ? contraction_additions(n) : 1);
    if (op_class(n->op) == CLASS_ARGREDUCE) {
        take_arg(e, n, x, r);
        return;
    }
    if (op_class(n->op) == CLASS_CONTRACT) {
        emit_line(e, d, "%s += %s; // %s%s%s", acc, x, op_name(n->op), n->loc ? "  " : "",
                  n->loc ? n->loc : "");
        return;
    }
    if (hero_is_ranked(n))
        x = hero_rank(e, n, false, x);
    emit_line(e, d, "%s = %s; // %s%s%s", acc, hero_join(e, n, acc, x), op_name(n->op),
              n->loc ? "  " : "", n->loc ? n->loc : "");
}

/* Adds `other` + `other_low` to acc + low of a sum: exact except for the rounding of the low
   parts. */
static void join_sums(struct emit *e, const struct node *n, const char *other,
                      const char *other_low)
{
    uint32_t d = e->scope->depth;
    const char *type = emit_type(e, hero_accumulator(n)), *x = emit_temp(e, "x");
    emit_line(e, d, "%s %s = %s;", type, x, other);
    emit_line(e, d, "%s += %s;", name_of(e, n, "low"), other_low);
    emit_exact_sum(e, type, name_of(e, n, "acc"), name_of(e, n, "low"), x, "");
}

void hero_take(struct emit *e, const struct node *n, const char *part, const char *beside)
{
    const char *acc = name_of(e, n, "acc"), *at = name_of(e, n, "at");
    if (op_class(n->op) == CLASS_ARGREDUCE)
        emit_line(e, e->scope->depth, "if (%s) { %s = %s; %s = %s; }",
                  hero_beats(e, n, part, beside, acc, at), acc, part, at, beside);
    else if (hero_is_compensated(e, n))
        join_sums(e, n, part, beside);
    else
        emit_line(e, e->scope->depth, "%s = %s;", acc, hero_join(e, n, acc, part));
}

void hero_give(struct emit *e, const struct node *n, const char *part, const char *beside)
{
    uint32_t d = e->scope->depth;
    emit_line(e, d, "%s = %s;", part, name_of(e, n, "acc"));
    if (op_class(n->op) == CLASS_ARGREDUCE || hero_is_compensated(e, n))
        emit_line(e, d, "%s = %s;", beside,
                  name_of(e, n, op_class(n->op) == CLASS_ARGREDUCE ? "at" : "low"));
}

void hero_settle(struct emit *e, const struct node *n)
{
    uint32_t l = n->label;
    /* an infinite or NaN sum has no low part; by its bits, as a driver may take any x - x for 0 */
    if (hero_is_compensated(e, n))
        emit_line(e, 0, "if (%s(low_n%u)) acc_n%u += low_n%u;",
                  emit_call(e, "nx_is_finite", hero_holds(e->func, n)), l, l, l);
}

void hero_finish(struct emit *e, node_id hero)
{
    const struct node *n = func_node(e->func, hero);
    enum vkc_type out = n->outs[0].type;
    uint32_t l = n->label;
    const char *value;
    if (op_class(n->op) == CLASS_ARGREDUCE)
        value = emit_cast(e, TYPE_U32, out, arena_printf(e->arena, "at_n%u", l));
    else if (op_class(n->op) == CLASS_CONTRACT)
        value = contraction_sum(e, n, arena_printf(e->arena, "acc_n%u", l));
    else if (hero_is_ranked(n))
        /* one of the elements: nothing to round */
        value = hero_rank(e, n, true, arena_printf(e->arena, "acc_n%u", l));
    else
        value = emit_wrap(e, out, arena_printf(e->arena, "acc_n%u", l));
    emit_line(e, 0, "%s n%u = %s; // %s%s%s", emit_type(e, out), l, value, op_name(n->op),
              n->loc ? "  " : "", n->loc ? n->loc : "");
    emit_hero_is(e, hero, arena_printf(e->arena, "n%u", l), 0);
}
