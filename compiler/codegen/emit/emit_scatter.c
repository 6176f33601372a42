/* search and segment_sum: element-wise values that take a loop. The loop is written where the
   value is asked for, and computes its operands inside. */
#include "codegen/emit/emit.h"

static void comment(struct emit *e, const struct node *n, const char *type, const char *name,
                    const char *value)
{
    emit_line(e, e->scope->depth, "%s %s = %s; // %s%s%s", type, name, value, op_name(n->op),
              n->loc ? "  " : "", n->loc ? n->loc : "");
    e->statements++;
}

struct expr emit_search(struct emit *e, struct value v, const struct ix *const *idx)
{
    const struct node *n = func_node(e->func, v.node);
    int64_t count = func_tensor(e->func, n->ins[0])->shape.dim[0];
    struct expr x = emit_value(e, n->ins[1], idx);
    if (!x.text)
        return x;
    struct arena *a = e->arena;
    const char *lo = emit_temp(e, "lo"), *hi = emit_temp(e, "hi"), *at = emit_temp(e, "at"),
               *name = emit_temp(e, "found");
    emit_open(e);
    const struct ix *middle = emit_index_var(e, at, count, e->scope->depth);
    struct expr key = emit_value(e, n->ins[0], &middle);
    if (!key.text)
        return key;
    const struct template_var fetched = {"FETCH", emit_take(e)};
    const struct template_var vars[] = {
        {"LO", lo},        {"HI", hi},
        {"AT", at},        {"COUNT", arena_printf(a, "%lld", (long long)count)},
        {"KEY", key.text}, {"X", x.text}};
    if (!emit_pour(e, "search.glsl", vars, sizeof vars / sizeof *vars, &fetched, 1))
        return (struct expr){NULL, 0};
    emit_count(e, 16);
    comment(e, n, "int", name, arena_printf(a, "int(%s)", lo));
    return (struct expr){name, e->scope->depth};
}

void emit_exact_sum(struct emit *e, const char *type, const char *acc, const char *low,
                    const char *x, const char *note)
{
    const char *s = emit_temp(e, "s"), *b = emit_temp(e, "b");
    const struct template_var v[] = {{"TYPE", type}, {"ACC", acc}, {"LOW", low},  {"X", x},
                                     {"S", s},       {"B", b},     {"NOTE", note}};
    emit_pour(e, "exact_sum.glsl", v, sizeof v / sizeof *v, NULL, 0);
}

/* Adds x to `acc`; for floats, what is rounded away is collected in `low`. */
static void add(struct emit *e, enum vkc_type t, const char *acc, const char *low, const char *x)
{
    if (low)
        emit_exact_sum(e, emit_type(e, t), acc, low, x, "");
    else
        emit_line(e, e->scope->depth, "%s = %s;", acc, emit_combine(e, OP_SUM, t, acc, x));
}

/* The update that stands at place j of the order. */
static bool add_update(struct emit *e, const struct node *n, const char *j, const struct ix *rest,
                       enum vkc_type t, const char *acc, const char *low)
{
    int64_t count = func_tensor(e->func, n->ins[1])->shape.dim[0];
    const struct ix *place = emit_index_var(e, j, count, e->scope->depth), *at[2] = {NULL, rest};
    struct expr which = emit_value(e, n->ins[2], &place);
    if (!which.text)
        return false;
    const char *row = emit_temp(e, "row");
    emit_line(e, e->scope->depth, "uint %s = min(%s, %lldu);", row, which.text,
              (long long)count - 1);
    at[0] = emit_index_var(e, row, count, e->scope->depth);
    struct expr x = emit_value(e, n->ins[1], at);
    if (x.text)
        add(e, t, acc, low, x.text);
    return x.text != NULL;
}

static bool add_tile(struct emit *e, const struct node *n, const char *j, int64_t tile,
                     const struct ix *rest, enum vkc_type t, const char *acc, const char *low)
{
    const char *which = emit_temp(e, "tile");
    emit_line(e, e->scope->depth, "uint %s = %s / %lldu;", which, j, (long long)tile);
    const struct ix *at[2] = {
        emit_index_var(e, which, func_tensor(e->func, n->ins[4])->shape.dim[0], e->scope->depth),
        rest};
    struct expr x = emit_value(e, n->ins[4], at);
    if (x.text)
        add(e, t, acc, low, x.text);
    return x.text != NULL;
}

struct expr emit_segment_sum(struct emit *e, struct value v, const struct ix *const *idx)
{
    const struct node *n = func_node(e->func, v.node);
    enum vkc_type t = n->outs[0].type;
    struct arena *a = e->arena;
    int64_t tile = attr_int(n, ATTR_tile, 1), count = func_tensor(e->func, n->ins[1])->shape.dim[0];
    const struct ix *next = ix_add_const(e->ix, idx[0], 1);
    struct expr x = emit_value(e, n->ins[0], idx), first = emit_value(e, n->ins[3], &idx[0]),
                end = emit_value(e, n->ins[3], &next);
    if (!x.text || !first.text || !end.text)
        return (struct expr){NULL, 0};
    bool compensated = type_is_float(t) && !e->unit->fast_math;
    const char *acc = emit_temp(e, "acc"), *low = compensated ? emit_temp(e, "low") : NULL,
               *j = emit_temp(e, "j"), *zero = emit_constant(e, t, 0, 0);
    comment(e, n, arena_printf(a, "%s%s", compensated ? "precise " : "", emit_type(e, t)), acc,
            x.text);
    if (low)
        emit_line(e, e->scope->depth, "precise %s %s = %s;", emit_type(e, t), low, zero);
    const char *stop = arena_printf(a, "min(uint(%s), %lldu)", end.text, (long long)count);
    const char *begin = arena_printf(a, "uint(%s)", first.text);
    emit_open(e);
    if (n->nins == 5) {
        const char *take_tile, *take;
        emit_open(e);
        if (!add_tile(e, n, j, tile, idx[1], t, acc, low))
            return (struct expr){NULL, 0};
        take_tile = emit_take(e);
        emit_open(e);
        if (!add_update(e, n, j, idx[1], t, acc, low))
            return (struct expr){NULL, 0};
        take = emit_take(e);
        emit_take(e); /* of the loop: nothing is computed there */
        const struct template_var blocks[] = {{"TAKE_TILE", take_tile}, {"TAKE", take}};
        const struct template_var vars[] = {{"J", j},
                                            {"FIRST", begin},
                                            {"END", stop},
                                            {"TILE", arena_printf(a, "%lld", (long long)tile)}};
        if (!emit_pour(e, "segment_tiles.glsl", vars, sizeof vars / sizeof *vars, blocks, 2))
            return (struct expr){NULL, 0};
    } else {
        if (!add_update(e, n, j, idx[1], t, acc, low))
            return (struct expr){NULL, 0};
        emit_close(e, arena_printf(a, "for (uint %s = %s; %s < %s; %s++)", j, begin, j, stop, j));
    }
    /* an infinite or NaN sum has no low part; one of 0 would make 0 of a -0 that nothing was added
       to */
    if (low) {
        const char *is_finite = emit_call(e, "nx_is_finite", t),
                   *is_not_zero = emit_call(e, "nx_nz", t);
        emit_line(e, e->scope->depth, "if (%s(%s) && %s(%s)) %s += %s;", is_finite, low,
                  is_not_zero, low, acc, low);
    }
    emit_count(e, 8);
    return (struct expr){acc, e->scope->depth};
}
