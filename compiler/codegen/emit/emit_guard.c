/* Values read under a condition, or at an index that is data: pad, concatenate, dynamic_slice,
   put_slice and gather. What a condition guards is computed inside it; nothing is read out of
   bounds. */
#include "codegen/emit/emit.h"

#include <string.h>

/* ---- guarded values: only one of several sources is read ---- */

/* Declares the variable that the branches assign to. */
static const char *declare(struct emit *e, struct value v, const char *initial)
{
    const char *name = emit_variable(e, v);
    const char *type = emit_type(e, func_tensor(e->func, v)->type);
    if (initial)
        emit_line(e, e->scope->depth, "%s %s = %s; // %s", type, name, initial,
                  op_name(func_node(e->func, v.node)->op));
    else
        emit_line(e, e->scope->depth, "%s %s; // %s", type, name,
                  op_name(func_node(e->func, v.node)->op));
    e->statements++;
    return name;
}

/* head { ... name = source at idx; }, in a scope that is open and gets closed. The branches of
   one choice are gathered in `chain`, since statements that they need from further out must not
   come between an if and its else. */
static bool close_branch(struct emit *e, const char *head, const char *name, struct value source,
                         const struct ix *const *idx, struct str *chain)
{
    struct expr x = emit_value(e, source, idx);
    if (x.text)
        emit_line(e, e->scope->depth, "%s = %s;", name, x.text);
    emit_close_into(e, head, chain);
    return x.text != NULL;
}

static bool branch(struct emit *e, const char *head, const char *name, struct value source,
                   const struct ix *const *idx, struct str *chain)
{
    emit_open(e);
    return close_branch(e, head, name, source, idx, chain);
}

/* A variable that is `p`; NULL where that cannot be written. */
static const char *named_index(struct emit *e, const struct ix *p)
{
    struct expr text = emit_index(e, p);
    if (!text.text)
        return NULL;
    const char *name = emit_temp(e, "p");
    emit_line(e, emit_depth(e, p->depth), "uint %s = %s;", name, text.text);
    return name;
}

const struct ix *emit_bounded(struct emit *e, const struct ix *p, int64_t span, int64_t step,
                              struct str *cond)
{
    if (p->min >= 0 && p->max < span && step == 1)
        return p;
    const char *name = named_index(e, p);
    if (!name)
        return NULL;
    str_printf(cond, "%s%s < %lldu", cond->len ? " && " : "", name, (long long)span);
    if (step > 1)
        str_printf(cond, " && %s %% %lldu == 0u", name, (long long)step);
    /* what is read there stays inside the guard */
    const struct ix *var = emit_index_var(e, name, span, e->scope->depth + 1);
    return step > 1 ? ix_div(e->ix, var, step) : var;
}

struct expr emit_if(struct emit *e, const char *cond, const char *initial, struct value v,
                    const struct ix *const *idx)
{
    if (cond[0] == '\0')
        return emit_value(e, v, idx);
    const char *name = emit_temp(e, "x");
    emit_line(e, e->scope->depth, "%s %s = %s;", emit_type(e, func_tensor(e->func, v)->type), name,
              initial);
    emit_open(e);
    struct expr x = emit_value(e, v, idx);
    if (x.text)
        emit_line(e, e->scope->depth, "%s = %s;", name, x.text);
    emit_close(e, arena_printf(e->arena, "if (%s)", cond));
    return x.text ? (struct expr){name, e->scope->depth} : x;
}

struct expr emit_pad(struct emit *e, struct value v, const struct ix *const *idx)
{
    const struct node *n = func_node(e->func, v.node);
    const struct shape *in = &func_tensor(e->func, n->ins[0])->shape;
    uint32_t count;
    const int64_t *lo = attr_list(n, ATTR_lo, &count),
                  *interior = attr_list(n, ATTR_interior, &count);
    const struct ix *at[VKC_MAX_RANK];
    struct str cond;
    str_init(&cond, e->arena);
    for (uint32_t i = 0; i < in->rank; i++) {
        int64_t step = interior[i] + 1, span = (in->dim[i] - 1) * step + 1;
        at[i] = emit_bounded(e, ix_add_const(e->ix, idx[i], -lo[i]), span, step, &cond);
        if (!at[i])
            return (struct expr){NULL, 0};
    }
    if (!cond.len)
        return emit_value(e, n->ins[0], at);
    struct expr value = emit_value(e, n->ins[1], NULL);
    if (!value.text)
        return value;
    const char *name = declare(e, v, value.text);
    struct str chain;
    str_init(&chain, e->arena);
    if (!branch(e, arena_printf(e->arena, "if (%s)", str_text(&cond)), name, n->ins[0], at, &chain))
        return (struct expr){NULL, 0};
    str_add(&e->scope->text, str_text(&chain));
    return (struct expr){name, e->scope->depth};
}

struct expr emit_concatenate(struct emit *e, struct value v, const struct ix *const *idx)
{
    const struct node *n = func_node(e->func, v.node);
    uint32_t axis = (uint32_t)attr_int(n, ATTR_axis, 0), rank = n->outs[0].shape.rank;
    const struct ix *at[VKC_MAX_RANK], *pos = idx[axis];
    memcpy(at, idx, rank * sizeof *idx);
    int64_t start = 0;
    uint32_t first = 0, last = n->nins - 1;
    int64_t first_start = 0;
    for (uint32_t i = 0; i < n->nins; i++) { /* the pieces that the index can reach */
        int64_t len = func_tensor(e->func, n->ins[i])->shape.dim[axis];
        if (start <= pos->min)
            first = i, first_start = start;
        if (pos->max < start + len) {
            last = i;
            break;
        }
        start += len;
    }
    if (first == last) {
        at[axis] = ix_add_const(e->ix, pos, -first_start);
        return emit_value(e, n->ins[first], at);
    }
    struct expr text = emit_index(e, pos);
    if (!text.text)
        return text;
    const char *name = declare(e, v, NULL);
    const char *at_text = ix_is_atom(pos) ? text.text : arena_printf(e->arena, "(%s)", text.text);
    struct str chain;
    str_init(&chain, e->arena);
    start = first_start;
    for (uint32_t i = first; i <= last; i++) {
        int64_t len = func_tensor(e->func, n->ins[i])->shape.dim[axis];
        const char *head =
            i == last ? "else"
                      : arena_printf(e->arena, "%sif (%s < %lldu)", i > first ? "else " : "",
                                     at_text, (long long)(start + len));
        emit_open(e);
        const char *p = emit_temp(e, "p");
        emit_line(e, e->scope->depth, "uint %s = %s - %lldu;", p, at_text, (long long)start);
        at[axis] = emit_index_var(e, p, len, e->scope->depth);
        if (!close_branch(e, head, name, n->ins[i], at, &chain))
            return (struct expr){NULL, 0};
        start += len;
    }
    str_add(&e->scope->text, str_text(&chain));
    return (struct expr){name, e->scope->depth};
}

/* ---- indices that are data ---- */

/* A scalar start, clamped to 0 .. most, as an index. */
static const struct ix *emit_start(struct emit *e, struct value v, const struct ix *const *idx,
                                   int64_t most)
{
    const struct tensor *t = func_tensor(e->func, v);
    struct expr x = emit_value(e, v, idx);
    if (!x.text)
        return NULL;
    if (most == 0)
        return ix_const(e->ix, 0);
    bool wide = vkc_types[t->type].bits == 64, is_signed = vkc_types[t->type].kind == KIND_SINT;
    const char *type = emit_type(e, is_signed ? (wide ? TYPE_S64 : TYPE_S32)
                                    : wide    ? TYPE_U64
                                              : TYPE_U32);
    const char *name = emit_temp(e, "s");
    x.depth = emit_depth(e, x.depth);
    if (is_signed)
        emit_line(e, x.depth, "uint %s = uint(clamp(%s, %s(0), %s(%lld)));", name, x.text, type,
                  type, (long long)most);
    else
        emit_line(e, x.depth, "uint %s = uint(min(%s, %s(%lldu)));", name, x.text, type,
                  (long long)most);
    return emit_index_var(e, name, most + 1, x.depth);
}

struct expr emit_dynamic_slice(struct emit *e, struct value v, const struct ix *const *idx)
{
    const struct node *n = func_node(e->func, v.node);
    const struct shape *in = &func_tensor(e->func, n->ins[0])->shape;
    uint32_t count;
    const int64_t *lengths = attr_list(n, ATTR_lengths, &count),
                  *strides = attr_list(n, ATTR_strides, &count);
    const struct ix *at[VKC_MAX_RANK];
    for (uint32_t i = 0; i < in->rank; i++) {
        const struct ix *start = emit_start(e, n->ins[1 + i], NULL, in->dim[i] - lengths[i]);
        if (!start)
            return (struct expr){NULL, 0};
        at[i] = ix_add(e->ix, start, ix_scale(e->ix, idx[i], strides[i]));
    }
    return emit_value(e, n->ins[0], at);
}

/* `p` as an index below `span`, which it is though its own bounds do not say so. */
static const struct ix *known_bounded(struct emit *e, const struct ix *p, int64_t span)
{
    if (p->min >= 0 && p->max < span)
        return p;
    const char *name = named_index(e, p);
    return name ? emit_index_var(e, name, span, emit_depth(e, p->depth)) : NULL;
}

struct expr emit_put_slice(struct emit *e, struct value v, const struct ix *const *idx)
{
    const struct node *n = func_node(e->func, v.node);
    const struct shape *in = &n->outs[0].shape, *part = &func_tensor(e->func, n->ins[1])->shape;
    const struct ix *at[VKC_MAX_RANK];
    struct str cond;
    str_init(&cond, e->arena);
    for (uint32_t i = 0; i < in->rank; i++) {
        const struct ix *start = emit_start(e, n->ins[2 + i], NULL, in->dim[i] - part->dim[i]);
        if (!start)
            return (struct expr){NULL, 0};
        at[i] = ix_add(e->ix, idx[i], ix_scale(e->ix, start, -1));
        at[i] = n == e->unit->only_slice ? known_bounded(e, at[i], part->dim[i])
                                         : emit_bounded(e, at[i], part->dim[i], 1, &cond);
        if (!at[i])
            return (struct expr){NULL, 0};
    }
    if (!cond.len)
        return emit_value(e, n->ins[1], at);
    const char *name = declare(e, v, NULL);
    struct str chain;
    str_init(&chain, e->arena);
    if (!branch(e, arena_printf(e->arena, "if (%s)", str_text(&cond)), name, n->ins[1], at,
                &chain) ||
        !branch(e, "else", name, n->ins[0], idx, &chain))
        return (struct expr){NULL, 0};
    str_add(&e->scope->text, str_text(&chain));
    return (struct expr){name, e->scope->depth};
}

struct expr emit_gather(struct emit *e, struct value v, const struct ix *const *idx)
{
    const struct node *n = func_node(e->func, v.node);
    const struct shape *in = &func_tensor(e->func, n->ins[0])->shape,
                       *indices = &func_tensor(e->func, n->ins[1])->shape;
    uint32_t count, batch = indices->rank - 1, rest = batch;
    const int64_t *axes = attr_list(n, ATTR_axes, &count);
    const struct ix *at[VKC_MAX_RANK], *where[VKC_MAX_RANK];
    for (uint32_t i = 0; i < in->rank; i++) {
        uint32_t k = 0;
        while (k < count && axes[k] != i)
            k++;
        if (k == count) {
            at[i] = idx[rest++];
            continue;
        }
        memcpy(where, idx, batch * sizeof *idx);
        where[batch] = ix_const(e->ix, k);
        at[i] = emit_start(e, n->ins[1], where, in->dim[i] - 1);
        if (!at[i])
            return (struct expr){NULL, 0};
    }
    return emit_value(e, n->ins[0], at);
}
