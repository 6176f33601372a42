#include "codegen/family/row_tree.h"

#include "codegen/family/family.h"
#include "codegen/family/row_accumulator.h"

uint32_t row_tree_slots(const struct emit *e, const struct node *n)
{
    return hero_is_compensated(e, n) ? e->kernel->schedule.group : e->kernel->schedule.group / 2;
}

/* Which of the kernel's heroes it is. */
static uint32_t place_of(const struct emit *e, const struct node *n)
{
    uint32_t h = 0;
    while (func_node(e->func, e->kernel->heroes[h]) != n)
        h++;
    return h;
}

/* An element of the shared array of partial results, half as many as threads, and low parts behind
   them; phases of a workgroup program use the same ones, one behind the other for its heroes. */
static const char *partial(struct emit *e, const struct node *n, const char *prefix,
                           const char *type, const char *slot, uint32_t beyond)
{
    struct arena *a = e->arena;
    uint32_t groups = e->unit->workgroup;
    const char *array = groups ? arena_printf(a, "%s_%s", prefix, type)
                               : arena_printf(a, "%s_n%u", prefix, n->label);
    beyond += groups * place_of(e, n);
    return beyond ? arena_printf(a, "%s[%s + %uu]", array, slot, beyond)
                  : arena_printf(a, "%s[%s]", array, slot);
}

/* Where low parts are, behind the others. */
static uint32_t low_slots(const struct emit *e)
{
    return e->kernel->schedule.group / 2;
}

/* A step of the tree for one hero: the upper threads of a row give their partial results, the lower
   ones add them to their own. */
static void exchange(struct emit *e, const struct node *n, bool give)
{
    bool arg = op_class(n->op) == CLASS_ARGREDUCE;
    const char *type = emit_type(e, hero_holds(e->func, n)),
               *high = partial(e, n, "part", type, "slot", 0),
               *beside = arg ? partial(e, n, "where", "uint", "slot", 0)
                             : partial(e, n, "part", type, "slot", low_slots(e));
    if (give)
        hero_give(e, n, high, beside);
    else
        hero_take(e, n, high, beside);
}

/* From the first thread of a row to all of them. */
static void tell(struct emit *e, const struct node *n, const char *lead, bool give)
{
    bool arg = op_class(n->op) == CLASS_ARGREDUCE;
    const char *there = arg ? partial(e, n, "where", "uint", lead, 0)
                            : partial(e, n, "part", emit_type(e, hero_accumulator(n)), lead, 0),
               *mine = arena_printf(e->arena, arg ? "at_n%u" : "acc_n%u", n->label);
    emit_line(e, e->scope->depth, "%s = %s;", give ? there : mine, give ? mine : there);
}

uint32_t row_tree_apart(const struct emit *e, const node_id *heroes, uint32_t nheroes)
{
    const struct rows_schedule *s = &e->kernel->schedule.rows;
    uint32_t threads = e->unit->workgroup, each = s->row_threads / 4;
    if (nheroes < (uint64_t)e->unit->tuning->sums_apart || !threads || s->row_threads != threads)
        return 0;
    uint32_t first = place_of(e, func_node(e->func, heroes[0]));
    for (uint32_t h = 0; h < nheroes; h++) {
        const struct node *n = func_node(e->func, heroes[h]);
        if (!hero_is_compensated(e, n) || place_of(e, n) != first + h ||
            hero_accumulator(n) != hero_accumulator(func_node(e->func, heroes[0])))
            return 0;
    }
    while (each * nheroes > threads)
        each /= 2;
    return each;
}

void row_tree_sums_apart(struct emit *e, const node_id *heroes, uint32_t nheroes, uint32_t each)
{
    struct arena *a = e->arena;
    const struct node *first = func_node(e->func, heroes[0]);
    enum vkc_type t = hero_accumulator(first);
    const char *type = emit_type(e, t), *array = arena_printf(a, "part_%s", type);
    uint32_t apart = e->unit->workgroup;
    emit_open(e);
    for (uint32_t h = 0; h < nheroes; h++)
        exchange(e, func_node(e->func, heroes[h]), true);
    const char *give = emit_take(e);
    emit_open(e);
    emit_open(e);
    emit_exact_sum(e, type, "high", "low", "x", "");
    const char *add = emit_take(e);
    emit_take(e);
    const struct template_var v[] = {
        {"LEFT", arena_printf(a, "%u", 2 * each)},
        {"EACH", arena_printf(a, "%u", each)},
        {"SUMS", arena_printf(a, "%u", nheroes)},
        {"APART", arena_printf(a, "%u", apart)},
        {"FIRST", arena_printf(a, "%u", apart * place_of(e, first))},
        {"LOW", arena_printf(a, "%u", low_slots(e))},
        {"TYPE", type},
        {"PART", array},
        {"IS_FINITE", emit_call(e, "nx_is_finite", t)},
    };
    const struct template_var blocks[] = {{"GIVE", give}, {"ADD", add}};
    emit_pour(e, "row_apart.glsl", v, sizeof v / sizeof *v, blocks, 2);
    for (uint32_t h = 0; h < nheroes; h++)
        tell(e, func_node(e->func, heroes[h]), "0u", false);
}

void row_tree_join(struct emit *e, const node_id *heroes, uint32_t nheroes, uint32_t down_to)
{
    const struct rows_schedule *s = &e->kernel->schedule.rows;
    struct arena *a = e->arena;
    uint32_t slots = s->row_threads / 2;
    const char *at = s->outer_fast ? arena_printf(a, "* %uu + row", s->group_rows)
                                   : arena_printf(a, "+ %uu * row", slots);
    const struct template_var v[] = {{"SLOTS", arena_printf(a, "%u", slots)},
                                     {"DOWN_TO", arena_printf(a, "%u", down_to)},
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
