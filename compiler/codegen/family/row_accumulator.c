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

/* Whether (v, i) beats (b, j) in an argmax or argmin. */
const char *hero_beats(struct emit *e, const struct node *n, const char *v, const char *i,
                       const char *b, const char *j)
{
    enum vkc_type t = func_tensor(e->func, n->ins[0])->type;
    const char *than = n->op == OP_ARGMAX ? ">" : "<",
               *tie = strcmp(attr_text(n, ATTR_tie_break), "high") == 0 ? ">" : "<";
    if (!type_is_float(t))
        return arena_printf(
            e->arena,
            "%s == 0xffffffffu || (%s != 0xffffffffu && (%s %s %s || (%s == %s && %s %s %s)))", j,
            i, v, than, b, v, b, i, tie, j);
    const char *vn = nan_test(e, t, v), *bn = nan_test(e, t, b);
    if (emit_compares_bits(e, t)) {
        bool most = n->op == OP_ARGMAX;
        const char *less = emit_call(e, "nx_less", TYPE_F32),
                   *equal = emit_call(e, "nx_equal", TYPE_F32);
        return arena_printf(e->arena,
                            "%s == 0xffffffffu || (%s != 0xffffffffu && (%s ? (!(%s) || %s < %s) : "
                            "(!(%s) && (%s(%s, %s) || (%s(%s, %s) && %s %s %s)))))",
                            j, i, vn, bn, i, j, bn, less, most ? b : v, most ? v : b, equal, v, b,
                            i, tie, j);
    }
    return arena_printf(e->arena,
                        "%s == 0xffffffffu || (%s != 0xffffffffu && (%s ? (!(%s) || %s < %s) : "
                        "(!(%s) && (%s %s %s || (%s == %s && %s %s %s)))))",
                        j, i, vn, bn, i, j, bn, v, than, b, v, b, i, tie, j);
}

void hero_begin(struct emit *e, const struct node *n, const struct ix *o)
{
    uint32_t l = n->label;
    if (op_class(n->op) == CLASS_ARGREDUCE) {
        enum vkc_type in = func_tensor(e->func, n->ins[0])->type;
        emit_line(e, 0, "%s acc_n%u = %s;", emit_type(e, in), l, emit_cast(e, TYPE_S32, in, "0"));
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
    emit_exact_sum(e, emit_type(e, hero_accumulator(n)), arena_printf(a, "acc_n%u", n->label),
                   arena_printf(a, "low_n%u", n->label), x,
                   arena_printf(a, " // sum%s%s", n->loc ? "  " : "", n->loc ? n->loc : ""));
    emit_count(e, 7);
}

void hero_accumulate(struct emit *e, const struct node *n, const char *x, const char *r)
{
    uint32_t l = n->label, d = e->scope->depth;
    if (hero_is_compensated(e, n)) {
        hero_add_exactly(e, n, x);
        return;
    }
    emit_count(e, op_class(n->op) == CLASS_CONTRACT ? contraction_additions(n) : 1);
    if (op_class(n->op) == CLASS_ARGREDUCE) {
        const char *acc = arena_printf(e->arena, "acc_n%u", l),
                   *at = arena_printf(e->arena, "at_n%u", l);
        emit_line(e, d, "if (%s) { %s = %s; %s = %s; } // %s%s%s", hero_beats(e, n, x, r, acc, at),
                  acc, x, at, r, op_name(n->op), n->loc ? "  " : "", n->loc ? n->loc : "");
        return;
    }
    if (op_class(n->op) == CLASS_CONTRACT) {
        emit_line(e, d, "acc_n%u += %s; // %s%s%s", l, x, op_name(n->op), n->loc ? "  " : "",
                  n->loc ? n->loc : "");
        return;
    }
    if (hero_is_ranked(n))
        x = hero_rank(e, n, false, x);
    emit_line(e, d, "acc_n%u = %s; // %s%s%s", l,
              hero_join(e, n, arena_printf(e->arena, "acc_n%u", l), x), op_name(n->op),
              n->loc ? "  " : "", n->loc ? n->loc : "");
}
