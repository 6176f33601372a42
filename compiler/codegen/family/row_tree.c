#include "codegen/family/row_tree.h"

#include "codegen/family/family.h"
#include "codegen/family/row_accumulator.h"

uint32_t row_tree_slots(const struct emit *e, const struct node *n)
{
    return hero_is_compensated(e, n) ? e->kernel->schedule.group : e->kernel->schedule.group / 2;
}

/* The shared array of partial results, half as many as threads, and low parts behind them;
   phases of a workgroup program use the same ones. */
static const char *partial(struct emit *e, const struct node *n, const char *prefix,
                           const char *type)
{
    uint32_t h = 0;
    while (func_node(e->func, e->kernel->heroes[h]) != n)
        h++;
    return e->unit->workgroup ? arena_printf(e->arena, "%s_%s_%u", prefix, type, h)
                              : arena_printf(e->arena, "%s_n%u", prefix, n->label);
}

/* Adds `other` + `other_low` to acc + low of a sum: exact except for the rounding of the low
   parts. */
static void join_sums(struct emit *e, const struct node *n, const char *other,
                      const char *other_low)
{
    uint32_t l = n->label, d = e->scope->depth;
    const char *type = emit_type(e, hero_accumulator(n)), *x = emit_temp(e, "x");
    emit_line(e, d, "%s %s = %s;", type, x, other);
    emit_line(e, d, "low_n%u += %s;", l, other_low);
    emit_exact_sum(e, type, arena_printf(e->arena, "acc_n%u", l),
                   arena_printf(e->arena, "low_n%u", l), x, "");
}

/* A step of the tree for one hero: the upper threads of a row give their partial results, the lower
   ones add them to their own. */
static void exchange(struct emit *e, const struct node *n, bool give)
{
    struct arena *a = e->arena;
    uint32_t l = n->label, d = e->scope->depth;
    bool arg = op_class(n->op) == CLASS_ARGREDUCE;
    enum vkc_type t = arg ? func_tensor(e->func, n->ins[0])->type : hero_accumulator(n);
    const char *part = partial(e, n, "part", emit_type(e, t)),
               *high = arena_printf(a, "%s[slot]", part);
    const char *low = arena_printf(a, "%s[slot + %uu]", part, e->kernel->schedule.group / 2),
               *at = arena_printf(a, "%s[slot]", partial(e, n, "where", "uint"));
    const char *acc = arena_printf(a, "acc_n%u", l), *index = arena_printf(a, "at_n%u", l);
    if (give) {
        emit_line(e, d, "%s = %s;", high, acc);
        if (arg || hero_is_compensated(e, n))
            emit_line(e, d, arg ? "%s = at_n%u;" : "%s = low_n%u;", arg ? at : low, l);
    } else if (arg)
        emit_line(e, d, "if (%s) { %s = %s; %s = %s; }", hero_beats(e, n, high, at, acc, index),
                  acc, high, index, at);
    else if (hero_is_compensated(e, n))
        join_sums(e, n, high, low);
    else
        emit_line(e, d, "%s = %s;", acc, hero_join(e, n, acc, high));
}

void row_tree_join(struct emit *e, const node_id *heroes, uint32_t nheroes)
{
    const struct rows_schedule *s = &e->kernel->schedule.rows;
    struct arena *a = e->arena;
    uint32_t slots = s->row_threads / 2;
    const char *at = s->outer_fast ? arena_printf(a, "* %uu + row", s->group_rows)
                                   : arena_printf(a, "+ %uu * row", slots);
    const struct template_var v[] = {{"SLOTS", arena_printf(a, "%u", slots)},
                                     {"MASK", arena_printf(a, "%u", slots - 1)},
                                     {"AT", at}};
    const char *moved[2];
    for (uint32_t take = 0; take < 2; take++) {
        emit_open(e);
        emit_open(e);
        for (uint32_t h = 0; h < nheroes; h++)
            exchange(e, func_node(e->func, heroes[h]), !take);
        moved[take] = emit_take(e);
        emit_take(e); /* of the loop: nothing is computed there */
    }
    const struct template_var blocks[] = {{"GIVE", moved[0]}, {"TAKE", moved[1]}};
    emit_pour(e, "row_tree.glsl", v, sizeof v / sizeof *v, blocks, 2);
}

/* From the first thread of a row to all of them. */
static void tell(struct emit *e, const struct node *n, const char *lead, bool give)
{
    bool arg = op_class(n->op) == CLASS_ARGREDUCE;
    const char *array = arg ? partial(e, n, "where", "uint")
                            : partial(e, n, "part", emit_type(e, hero_accumulator(n)));
    const char *there = arena_printf(e->arena, "%s[%s]", array, lead),
               *mine = arena_printf(e->arena, arg ? "at_n%u" : "acc_n%u", n->label);
    emit_line(e, e->scope->depth, "%s = %s;", give ? there : mine, give ? mine : there);
}

void row_tree_tell(struct emit *e, const node_id *heroes, uint32_t nheroes)
{
    const struct rows_schedule *s = &e->kernel->schedule.rows;
    const char *lead =
        s->outer_fast ? "row" : arena_printf(e->arena, "%uu * row", s->row_threads / 2);
    emit_open(e);
    for (uint32_t h = 0; h < nheroes; h++)
        tell(e, func_node(e->func, heroes[h]), lead, true);
    const struct template_var give = {"GIVE", emit_take(e)};
    emit_pour(e, "row_tell.glsl", NULL, 0, &give, 1);
    for (uint32_t h = 0; h < nheroes; h++)
        tell(e, func_node(e->func, heroes[h]), lead, false);
}
