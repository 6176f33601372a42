/* The row program: `outer` rows of `inner` elements; reductions along the rows (heroes), what is computed
   per row from them, and what is computed per element from that. Softmax is one of these: a loop for the
   maximum, one for the sum of exponentials, one for the quotients.

   A row is shared by `row_threads` threads, each taking every row_threads-th element; their partial
   results meet in shared memory in a fixed tree, so that the same bits come out of every run. Floating
   sums are compensated (Neumaier) up to the root of the tree, so the error of a sum does not grow with its
   length, nor does it depend on how many threads there were. A small matrix
   product is a row program whose elements are products. */
#include <string.h>

#include "runtime/bundle.h"
#include "codegen/family/rows.h"
#include "codegen/members.h"
#include "codegen/family/contraction.h"
#include "codegen/family/row_elements.h"
#include "codegen/family/map.h"

/* ---- accumulators ---- */

/* Whether the accumulator holds the rank of the greatest or least, see rank_f32.glsl. */
static bool is_ranked(const struct node *n)
{
    enum op op = hero_combine(n);
    enum vkc_type t = n->outs[0].type;
    return (op == OP_REDUCE_MAX || op == OP_REDUCE_MIN) && type_is_float(t) && t != TYPE_F64 && !hero_is_serial(n);
}

static const char *rank_call(struct emit *e, const struct node *n, bool back, const char *x)
{
    const char *name = arena_printf(e->arena, "nx_%srank_%s(", back ? "of_" : "", hero_combine(n) == OP_REDUCE_MAX ? "up" : "down");
    emit_note_calls(e, name, back ? TYPE_U32 : TYPE_F32);
    return arena_printf(e->arena, "%s%s)", name, x);
}

/* Sums and products of small floats are accumulated as f32 and rounded once. */
enum vkc_type hero_accumulator(const struct node *n)
{
    enum vkc_type t = n->outs[0].type;
    if (is_ranked(n))
        return TYPE_U32;
    return type_is_float(t) && t != TYPE_F64 && !hero_is_serial(n) ? TYPE_F32 : t;
}

static const char *combine(struct emit *e, const struct node *n, const char *x, const char *y)
{
    if (is_ranked(n))
        return arena_printf(e->arena, "max(%s, %s)", x, y);
    return emit_combine(e, hero_combine(n), hero_accumulator(n), x, y);
}

static bool compensated(const struct emit *e, const struct node *n)
{
    return (n->op == OP_SUM || n->op == OP_WINDOW_SUM) && type_is_float(n->outs[0].type) && !e->unit->fast_math;
}

static const char *nan_test(struct emit *e, enum vkc_type t, const char *x)
{
    emit_note_calls(e, "nx_is_nan(", t);
    return type_is_float(t) ? arena_printf(e->arena, "nx_is_nan(%s) != 0u", x) : "false";
}

/* Whether (v, i) beats (b, j) in an argmax or argmin. */
static const char *beats(struct emit *e, const struct node *n, const char *v, const char *i, const char *b, const char *j)
{
    enum vkc_type t = func_tensor(e->func, n->ins[0])->type;
    const char *than = n->op == OP_ARGMAX ? ">" : "<", *tie = strcmp(attr_text(n, ATTR_tie_break), "high") == 0 ? ">" : "<";
    if (!type_is_float(t))
        return arena_printf(e->arena, "%s == 0xffffffffu || (%s != 0xffffffffu && (%s %s %s || (%s == %s && %s %s %s)))", j, i, v, than, b, v, b, i, tie, j);
    const char *vn = nan_test(e, t, v), *bn = nan_test(e, t, b);
    if (emit_compares_bits(e, t)) {
        emit_note_calls(e, "nx_less( nx_equal(", TYPE_F32);
        bool most = n->op == OP_ARGMAX;
        return arena_printf(e->arena, "%s == 0xffffffffu || (%s != 0xffffffffu && (%s ? (!(%s) || %s < %s) : (!(%s) && (nx_less(%s, %s) || (nx_equal(%s, %s) && %s %s %s)))))", j, i,
                            vn, bn, i, j, bn, most ? b : v, most ? v : b, v, b, i, tie, j);
    }
    return arena_printf(e->arena, "%s == 0xffffffffu || (%s != 0xffffffffu && (%s ? (!(%s) || %s < %s) : (!(%s) && (%s %s %s || (%s == %s && %s %s %s)))))", j, i, vn,
                        bn, i, j, bn, v, than, b, v, b, i, tie, j);
}

static void accumulator_begin(struct emit *e, const struct node *n, const struct ix *o)
{
    uint32_t l = n->label;
    if (op_class(n->op) == CLASS_ARGREDUCE) {
        enum vkc_type in = func_tensor(e->func, n->ins[0])->type;
        emit_line(e, 0, "%s acc_n%u = %s;", vkc_types[in].glsl, l, emit_cast(e, TYPE_S32, in, "0"));
        emit_line(e, 0, "uint at_n%u = 0xffffffffu;", l);
        return;
    }
    enum vkc_type t = hero_accumulator(n);
    uint64_t bits = 0;
    if (hero_is_serial(n)) {
        struct expr first = serial_begin(e, n, o);
        if (first.text)
            emit_line(e, 0, "%s acc_n%u = %s;", vkc_types[n->outs[0].type].glsl, l, first.text);
        return;
    }
    if (!is_ranked(n) && !op_identity_bits(hero_combine(n), t, &bits)) /* the rank of the identity is 0 */
        emit_fail(e, "n%u %s has no identity for %s", l, op_name(n->op), type_name(t));
    const char *precise = compensated(e, n) ? "precise " : "";
    emit_line(e, 0, "%s%s acc_n%u = %s;", precise, vkc_types[t].glsl, l, emit_constant(e, t, bits, 0));
    if (compensated(e, n))
        emit_line(e, 0, "precise %s low_n%u = %s;", vkc_types[t].glsl, l, emit_constant(e, t, 0, 0));
}

/* Knuth's exact sum of two: s + error = acc + x */
static void add_exactly(struct emit *e, const struct node *n, const char *x)
{
    uint32_t l = n->label, d = e->scope->depth;
    const char *g = vkc_types[hero_accumulator(n)].glsl, *s = emit_temp(e, "s"), *b = emit_temp(e, "b");
    emit_line(e, d, "precise %s %s = acc_n%u + %s; // sum%s%s", g, s, l, x, n->loc ? "  " : "", n->loc ? n->loc : "");
    emit_line(e, d, "precise %s %s = %s - acc_n%u;", g, b, s, l);
    emit_line(e, d, "low_n%u += (acc_n%u - (%s - %s)) + (%s - %s);", l, l, s, b, x, b);
    emit_line(e, d, "acc_n%u = %s;", l, s);
    e->flops += 7;
}

static void accumulate(struct emit *e, const struct node *n, const char *x, const char *r)
{
    uint32_t l = n->label, d = e->scope->depth;
    if (compensated(e, n)) {
        add_exactly(e, n, x);
        return;
    }
    e->flops += 1;
    if (op_class(n->op) == CLASS_ARGREDUCE) {
        const char *acc = arena_printf(e->arena, "acc_n%u", l), *at = arena_printf(e->arena, "at_n%u", l);
        emit_line(e, d, "if (%s) { %s = %s; %s = %s; } // %s%s%s", beats(e, n, x, r, acc, at), acc, x, at, r, op_name(n->op), n->loc ? "  " : "",
                  n->loc ? n->loc : "");
        return;
    }
    if (op_class(n->op) == CLASS_CONTRACT) {
        emit_line(e, d, "acc_n%u += %s; // %s%s%s", l, x, op_name(n->op), n->loc ? "  " : "", n->loc ? n->loc : "");
        return;
    }
    if (is_ranked(n))
        x = rank_call(e, n, false, x);
    emit_line(e, d, "acc_n%u = %s; // %s%s%s", l, combine(e, n, arena_printf(e->arena, "acc_n%u", l), x), op_name(n->op), n->loc ? "  " : "",
              n->loc ? n->loc : "");
}

/* ---- the tree over the threads of a row ---- */

uint32_t hero_slots(const struct emit *e, const struct node *n)
{
    return compensated(e, n) ? e->kernel->schedule.group : e->kernel->schedule.group / 2;
}

/* The shared array of partial results, half as many as threads, and low parts behind them; phases of a workgroup program use the same ones. */
static const char *partial(struct emit *e, const struct node *n, const char *prefix, const char *type)
{
    uint32_t h = 0;
    while (func_node(e->func, e->kernel->heroes[h]) != n)
        h++;
    return e->unit->workgroup ? arena_printf(e->arena, "%s_%s_%u", prefix, type, h)
                              : arena_printf(e->arena, "%s_n%u", prefix, n->label);
}

enum { HELD = 4 };

struct rows {
    const struct ix *o, *r, *flat;  /* row, position in it, and both as the flat index of the elements */
    const struct ix *part;          /* which of the row's threads this is */
    struct slots level;             /* by node: how many heroes lie on the longest path to it, itself included */
    uint32_t phases;
    const char *(*held)[HELD];      /* four neighbours of straight code: by hero, what is yet to be summed, and */
    const char *(*stored)[HELD];    /* by root, what is yet to be stored */
    const struct ix *place[HELD];   /* and where: `flat` of each of the four */
    uint32_t nheld;
};

/* 0: no hero leads to it, or it is not computed here. */
static uint32_t level(const struct rows *w, node_id id)
{
    const struct slot *s = slots_get(&w->level, id);
    return s ? s->count : 0;
}

/* acc + low of a sum becomes the sum of its own and `other`, `other_low`: exact but for the low parts' rounding. */
static void join_sums(struct emit *e, const struct node *n, const char *other, const char *other_low)
{
    uint32_t l = n->label, d = e->scope->depth;
    const char *g = vkc_types[hero_accumulator(n)].glsl, *x = emit_temp(e, "x"), *s = emit_temp(e, "s"), *b = emit_temp(e, "b");
    emit_line(e, d, "%s %s = %s;", g, x, other);
    emit_line(e, d, "precise %s %s = acc_n%u + %s;", g, s, l, x);
    emit_line(e, d, "precise %s %s = %s - acc_n%u;", g, b, s, l);
    emit_line(e, d, "low_n%u = (low_n%u + %s) + ((acc_n%u - (%s - %s)) + (%s - %s));", l, l, other_low, l, s, b, x, b);
    emit_line(e, d, "acc_n%u = %s;", l, s);
}

/* What a step of the tree does with a hero: the upper threads of a row give what they have, the lower ones take it. */
static void exchange(struct emit *e, const struct node *n, bool give)
{
    struct arena *a = e->arena;
    uint32_t l = n->label, d = e->scope->depth;
    bool arg = op_class(n->op) == CLASS_ARGREDUCE;
    enum vkc_type t = arg ? func_tensor(e->func, n->ins[0])->type : hero_accumulator(n);
    const char *part = partial(e, n, "part", vkc_types[t].glsl), *high = arena_printf(a, "%s[slot]", part);
    const char *low = arena_printf(a, "%s[slot + %uu]", part, e->kernel->schedule.group / 2), *at = arena_printf(a, "%s[slot]", partial(e, n, "where", "uint"));
    const char *acc = arena_printf(a, "acc_n%u", l), *index = arena_printf(a, "at_n%u", l);
    if (give) {
        emit_line(e, d, "%s = %s;", high, acc);
        if (arg || compensated(e, n))
            emit_line(e, d, arg ? "%s = at_n%u;" : "%s = low_n%u;", arg ? at : low, l);
    } else if (arg)
        emit_line(e, d, "if (%s) { %s = %s; %s = %s; }", beats(e, n, high, at, acc, index), acc, high, index, at);
    else if (compensated(e, n))
        join_sums(e, n, high, low);
    else
        emit_line(e, d, "%s = %s;", acc, combine(e, n, acc, high));
}

static void exchange_all(struct emit *e, const struct rows *w, uint32_t phase, bool give)
{
    for (uint32_t h = 0; h < e->kernel->nheroes; h++)
        if (level(w, e->kernel->heroes[h]) == phase)
            exchange(e, func_node(e->func, e->kernel->heroes[h]), give);
}

/* Meets the partial results of all heroes of a phase: one walk up the tree, whatever their number. At each step
   thread p of a row gives to p - half_row, through the slot p mod row_threads / 2, which nobody but p itself has
   read since it was last written: so one barrier a step is enough. The first thread ends up with the results. */
static void tree(struct emit *e, const struct rows *w, uint32_t phase)
{
    const struct schedule *s = &e->kernel->schedule;
    struct arena *a = e->arena;
    uint32_t slots = s->row_threads / 2;
    const char *slot = s->outer_fast ? "uint slot = (%s & %uu) * %uu + row;" : "uint slot = (%s & %uu) + %uu * row;";
    uint32_t step = s->outer_fast ? s->group_rows : slots;
    emit_open(e);
    emit_open(e);
    emit_line(e, e->scope->depth, slot, "part", slots - 1, step);
    exchange_all(e, w, phase, true);
    emit_close(e, "if (part >= half_row && part < 2u * half_row)");
    emit_line(e, e->scope->depth, "barrier();");
    emit_open(e);
    emit_line(e, e->scope->depth, slot, "(part + half_row)", slots - 1, step);
    exchange_all(e, w, phase, false);
    emit_close(e, "if (part < half_row)");
    emit_close(e, arena_printf(a, "[[unroll]] for (uint half_row = %uu; half_row > 0u; half_row >>= 1)", slots));
}

/* From the first thread of a row to all of them. */
static void tell(struct emit *e, const struct node *n, const char *lead, bool give)
{
    bool arg = op_class(n->op) == CLASS_ARGREDUCE;
    const char *array = arg ? partial(e, n, "where", "uint") : partial(e, n, "part", vkc_types[hero_accumulator(n)].glsl);
    const char *there = arena_printf(e->arena, "%s[%s]", array, lead), *mine = arena_printf(e->arena, arg ? "at_n%u" : "acc_n%u", n->label);
    emit_line(e, e->scope->depth, "%s = %s;", give ? there : mine, give ? mine : there);
}

static void tell_all(struct emit *e, const struct rows *w, uint32_t phase)
{
    const struct kernel *k = e->kernel;
    const char *lead = k->schedule.outer_fast ? "row" : arena_printf(e->arena, "%uu * row", k->schedule.row_threads / 2);
    emit_open(e);
    for (uint32_t h = 0; h < k->nheroes; h++)
        if (level(w, k->heroes[h]) == phase)
            tell(e, func_node(e->func, k->heroes[h]), lead, true);
    emit_close(e, "if (part == 0u)");
    emit_line(e, 0, "barrier();");
    for (uint32_t h = 0; h < k->nheroes; h++)
        if (level(w, k->heroes[h]) == phase)
            tell(e, func_node(e->func, k->heroes[h]), lead, false);
}

/* What the heroes of a phase are once their loop is over. */
static void finish(struct emit *e, const struct rows *w, uint32_t phase)
{
    struct kernel *k = e->kernel;
    bool shared = false;
    for (uint32_t h = 0; h < k->nheroes; h++)
        shared |= k->schedule.row_threads > 1 && level(w, k->heroes[h]) == phase;
    if (shared)
        tree(e, w, phase);
    for (uint32_t h = 0; h < k->nheroes; h++) {
        const struct node *n = func_node(e->func, k->heroes[h]);
        uint32_t l = n->label;
        if (level(w, k->heroes[h]) != phase)
            continue;
        bool arg = op_class(n->op) == CLASS_ARGREDUCE;
        enum vkc_type t = arg ? func_tensor(e->func, n->ins[0])->type : hero_accumulator(n);
        if (shared)
            k->shared_bytes += hero_slots(e, n) * ((type_bytes(t) < 4 ? 4 : type_bytes(t)) + (arg ? 4 : 0));
        if (compensated(e, n)) { /* an infinite or NaN sum has no low part; by its bits, as a driver may take any x - x for 0 */
            emit_note_calls(e, "nx_is_finite(", t);
            emit_line(e, 0, "if (nx_is_finite(low_n%u)) acc_n%u += low_n%u;", l, l, l);
        }
    }
    if (shared)
        tell_all(e, w, phase);
    for (uint32_t h = 0; h < k->nheroes; h++) {
        const struct node *n = func_node(e->func, k->heroes[h]);
        enum vkc_type out = n->outs[0].type;
        uint32_t l = n->label;
        if (level(w, k->heroes[h]) != phase)
            continue;
        const char *value;
        if (op_class(n->op) == CLASS_ARGREDUCE)
            value = emit_cast(e, TYPE_U32, out, arena_printf(e->arena, "at_n%u", l));
        else if (op_class(n->op) == CLASS_CONTRACT)
            value = contraction_sum(e, n, arena_printf(e->arena, "acc_n%u", l));
        else if (is_ranked(n))
            value = rank_call(e, n, true, arena_printf(e->arena, "acc_n%u", l)); /* one of the elements: nothing to round */
        else
            value = emit_wrap(e, out, arena_printf(e->arena, "acc_n%u", l));
        emit_line(e, 0, "%s n%u = %s; // %s%s%s", vkc_types[out].glsl, l, value, op_name(n->op), n->loc ? "  " : "", n->loc ? n->loc : "");
        emit_hero_is(e, k->heroes[h], arena_printf(e->arena, "n%u", l), 0);
    }
}

/* ---- the loops ---- */

static bool levels(struct emit *e, struct rows *w)
{
    struct members m = {0};
    if (!members_of(e->unit, e->arena, e->kernel, &m))
        return FAIL(e->diag, MEMORY, "out of memory");
    members_sort(&m);
    for (uint32_t i = 0; i < m.nnodes; i++) {
        const struct node *n = func_node(e->func, m.nodes[i]);
        struct slot *s = slots_put(e->arena, &w->level, m.nodes[i]);
        if (!s)
            return FAIL(e->diag, MEMORY, "out of memory");
        for (uint32_t j = 0; j < n->nins; j++)
            if (level(w, n->ins[j].node) > s->count)
                s->count = level(w, n->ins[j].node);
        for (uint32_t h = 0; h < e->kernel->nheroes; h++)
            s->count += e->kernel->heroes[h] == m.nodes[i];
        w->phases = s->count > w->phases ? s->count : w->phases;
    }
    return true;
}

static bool per_element(const struct emit *e, struct value root)
{
    return e->kernel->inner > 1 && shape_size(&func_tensor(e->func, root)->shape) == e->kernel->outer * e->kernel->inner;
}

/* The loop in which a per-element root is stored: the first in which all it needs is known. */
static uint32_t root_phase(const struct rows *w, struct value root)
{
    return level(w, root.node) + 1;
}

/* One element at `flat`, or four held ones, each at its own place: along another axis than the last, neighbours in the
   row are not neighbours in memory. */
static void store_root(struct emit *e, const struct rows *w, uint32_t root, const char *const *text, uint32_t count)
{
    const struct kernel *k = e->kernel;
    bool guarded = k->schedule.row_threads > 1 && k->outer % k->schedule.group_rows != 0;
    emit_open(e);
    if (count == HELD)
        emit_store_four(e, k->roots[root], w->place, text);
    else
        emit_store(e, k->roots[root], w->flat, *text);
    emit_close(e, guarded ? "if (live)" : NULL);
}

static void loop_body(struct emit *e, struct rows *w, uint32_t phase)
{
    struct kernel *k = e->kernel;
    struct expr r = emit_index(e, w->r);
    if (!r.text)
        return;
    for (uint32_t h = 0; h < k->nheroes && !e->failed; h++) {
        const struct node *n = func_node(e->func, k->heroes[h]);
        if (level(w, k->heroes[h]) != phase)
            continue;
        if (hero_is_serial(n)) {
            serial_step(e, n, w->o, w->r, arena_printf(e->arena, "acc_n%u", n->label));
            continue;
        }
        struct expr x = hero_element(e, n, w->o, w->r);
        if (x.text && w->held && compensated(e, n))
            w->held[h][w->nheld] = x.text;
        else if (x.text)
            accumulate(e, n, x.text, r.text);
    }
    for (uint32_t i = 0; i < k->nroots && !e->failed; i++) {
        if (!per_element(e, k->roots[i]) || root_phase(w, k->roots[i]) != phase)
            continue;
        struct expr x = emit_flat(e, k->roots[i], w->flat);
        if (!x.text)
            return;
        if (w->stored)
            w->stored[i][w->nheld] = x.text;
        else
            store_root(e, w, i, &x.text, 1);
    }
}

static void flat_element_index(struct emit *e, struct rows *w)
{
    for (uint32_t h = 0; h < e->kernel->nheroes; h++) {
        const struct node *n = func_node(e->func, e->kernel->heroes[h]);
        if (op_class(n->op) != CLASS_REDUCE && op_class(n->op) != CLASS_ARGREDUCE)
            continue;
        const struct ix *at[VKC_MAX_RANK];
        reduce_index(e, n, w->o, w->r, at);
        w->flat = ix_linear(e->ix, &func_tensor(e->func, n->ins[0])->shape, at);
        return;
    }
}

/* One element of the row, at index `r`. */
static void element(struct emit *e, struct rows *w, uint32_t phase, const struct ix *r)
{
    w->r = r;
    flat_element_index(e, w);
    loop_body(e, w, phase);
}

/* Four neighbours of long rows are summed in pairs and their sum is added exactly: two roundings more, as many
   as the tree has for 4 threads, and a third of the work. */
static void sum_held(struct emit *e, struct rows *w, uint32_t phase)
{
    for (uint32_t h = 0; h < e->kernel->nheroes && !e->failed; h++) {
        const struct node *n = func_node(e->func, e->kernel->heroes[h]);
        const char *const *x = w->held[h];
        if (level(w, e->kernel->heroes[h]) != phase || !compensated(e, n) || !x[HELD - 1])
            continue;
        const char *four = emit_temp(e, "f");
        emit_line(e, e->scope->depth, "precise %s %s = (%s + %s) + (%s + %s);", vkc_types[hero_accumulator(n)].glsl, four, x[0], x[1], x[2], x[3]);
        add_exactly(e, n, four);
    }
}

/* `count` groups of `vector` neighbouring elements, each group a thread's, the first group being number
   `first` of thread 0. With `guard`, the last ones may lie past the end of the row. */
static void elements(struct emit *e, struct rows *w, uint32_t phase, const struct ix *first, uint32_t count, bool guard)
{
    const struct kernel *k = e->kernel;
    const struct schedule *s = &k->schedule;
    for (uint32_t c = 0; c < count && !e->failed; c++) {
        const struct ix *group = ix_add_const(e->ix, first, (int64_t)c * s->row_threads);
        int64_t groups = k->inner / s->vector;
        bool past = guard && group->max >= groups;
        const char *name = NULL;
        if (past) {
            struct expr text = emit_index(e, group);
            if (!text.text)
                return;
            name = emit_temp(e, "g");
            emit_line(e, e->scope->depth, "uint %s = %s;", name, text.text);
            emit_open(e);
            group = ix_var(e->ix, name, groups, e->scope->depth);
        }
        if (s->vector == HELD) {
            w->held = (const char *(*)[HELD])arena_alloc(e->arena, k->nheroes, sizeof *w->held);
            w->stored = (const char *(*)[HELD])arena_alloc(e->arena, k->nroots, sizeof *w->stored);
        }
        for (w->nheld = 0; w->nheld < s->vector && !e->failed; w->nheld++) {
            element(e, w, phase, ix_add_const(e->ix, ix_scale(e->ix, group, s->vector), w->nheld));
            w->place[w->nheld] = w->flat;
        }
        if (w->held)
            sum_held(e, w, phase);
        for (uint32_t i = 0; w->stored && i < k->nroots && !e->failed; i++)
            if (w->stored[i][HELD - 1])
                store_root(e, w, i, w->stored[i], HELD);
        w->held = w->stored = NULL;
        if (past)
            emit_close(e, arena_printf(e->arena, "if (%s < %lldu)", name, (long long)groups));
    }
}

/* Short rows: a plain loop. Long ones: straight code for `unroll` elements of a thread, with constant
   distances and whole vectors, so that their loads are in flight together; what fits is written out
   without a loop, and then its values stay in registers from one phase to the next. */
static void walk_row(struct emit *e, struct rows *w, uint32_t phase)
{
    const struct kernel *k = e->kernel;
    const struct schedule *s = &k->schedule;
    const char *part = s->row_threads > 1 ? "part" : "0u";
    if (s->unroll == 1) {
        emit_open(e);
        element(e, w, phase, e->position);
        const char *head = arena_printf(e->arena, "for (uint r = %s; r < %lldu; r += %uu)", part, (long long)k->inner, s->row_threads);
        emit_close(e, k->inner == 1 && s->row_threads == 1 ? NULL : head);
        e->iterations += (uint64_t)(k->inner + s->row_threads - 1) / s->row_threads;
        return;
    }
    const struct ix *mine = ix_var(e->ix, "part", s->row_threads, 0);
    if (w->part)
        mine = w->part;
    w->part = mine;
    int64_t groups = k->inner / s->vector;
    uint32_t each = s->unroll / s->vector;
    int64_t passes = groups / ((int64_t)s->row_threads * each), rest = groups - passes * s->row_threads * each;
    const struct ix *first = mine;
    if (passes > 1) {
        emit_open(e);
        const struct ix *step = ix_var(e->ix, "step", passes, 1);
        elements(e, w, phase, ix_add(e->ix, mine, ix_scale(e->ix, step, (int64_t)s->row_threads * each)), each, false);
        emit_close(e, arena_printf(e->arena, "for (uint step = 0u; step < %lldu; step++)", (long long)passes));
        e->iterations += (uint64_t)passes;
    } else if (passes == 1)
        elements(e, w, phase, mine, each, false);
    first = ix_add_const(e->ix, mine, passes * s->row_threads * each);
    elements(e, w, phase, first, (uint32_t)((rest + s->row_threads - 1) / s->row_threads), true);
}

static bool loop(struct emit *e, struct rows *w, uint32_t phase)
{
    struct kernel *k = e->kernel;
    for (uint32_t h = 0; h < k->nheroes; h++)
        if (level(w, k->heroes[h]) == phase)
            accumulator_begin(e, func_node(e->func, k->heroes[h]), w->o);
    walk_row(e, w, phase);
    if (!e->failed)
        finish(e, w, phase);
    return e->failed == NULL;
}

static void row_roots(struct emit *e, struct rows *w)
{
    struct kernel *k = e->kernel;
    const char **text = ARENA_ARRAY(e->arena, const char *, k->nroots);
    bool any = false;
    if (!text) {
        emit_fail(e, "out of memory");
        return;
    }
    for (uint32_t i = 0; i < k->nroots && !e->failed; i++)
        if (shape_size(&func_tensor(e->func, k->roots[i])->shape) == k->outer) {
            text[i] = emit_flat(e, k->roots[i], w->o).text;
            any |= !emit_is_local(e, k->roots[i]);
        }
    if (e->failed)
        return;
    bool shared_row = k->schedule.row_threads > 1;
    for (uint32_t i = 0; i < k->nroots; i++) /* every thread has the sum of the only row */
        if (text[i] && emit_is_local(e, k->roots[i]))
            emit_store(e, k->roots[i], w->o, text[i]);
    if (any && shared_row)
        emit_open(e);
    for (uint32_t i = 0; i < k->nroots; i++)
        if (text[i] && !emit_is_local(e, k->roots[i]))
            emit_store(e, k->roots[i], w->o, text[i]);
    if (any && shared_row)
        emit_close(e, "if (live && part == 0u)");
    emit_scalars(e, k->outer, shared_row ? "if (o == 0u && live && part == 0u)" : "if (o == 0u)");
}

static bool emit_all(struct emit *e, struct rows *w)
{
    uint32_t last = w->phases;
    for (uint32_t i = 0; i < e->kernel->nroots; i++)
        if (per_element(e, e->kernel->roots[i]) && root_phase(w, e->kernel->roots[i]) > last)
            last = root_phase(w, e->kernel->roots[i]);
    for (uint32_t phase = 1; phase <= last; phase++)
        if (!loop(e, w, phase))
            return false;
    row_roots(e, w);
    return e->failed == NULL;
}

/* ---- the kernel ---- */

/* Whether rows have elements, where a result is made of them. */
static bool have_places(struct emit *e, const struct rows *w)
{
    const struct kernel *k = e->kernel;
    for (uint32_t i = 0; i < k->nroots; i++)
        if (per_element(e, k->roots[i]) && !w->flat)
            return emit_fail(e, "n%u has an element for every product of a contraction",
                             func_node(e->func, k->roots[i].node)->label).text != NULL;
    return true;
}

bool kernel_rows(struct emit *e)
{
    struct kernel *k = e->kernel;
    struct rows w = {0};
    w.o = ix_var(e->ix, "o", k->outer, 0);
    w.r = ix_var(e->ix, "r", k->inner, 1);
    e->hero_index = w.o;
    e->vectors = k->schedule.vector == 4;
    e->row = w.o;
    e->position = w.r;
    flat_element_index(e, &w);
    return levels(e, &w) && have_places(e, &w) && emit_all(e, &w);
}
