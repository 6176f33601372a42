/* What a row of an op's result needs, and how it is made: the rules of batch.def. */
#include <string.h>

#include "passes/batch.h"

enum rule { NO_RULE, EACH, AXIS, RESHAPED, SPREAD, PRODUCT, PLACED, LOOKED_UP };

#define BATCH(op, rule) [OP_##op] = rule,
static const uint8_t rules[OP_COUNT] = {
#include "passes/batch.def"
};

static enum rule rule_of(enum op op)
{
    enum op_class c = op_class(op);
    return c == CLASS_ELEMENTWISE || c == CLASS_REDUCE ? EACH : (enum rule)rules[op];
}

static bool has_rows(const struct batch *b, const struct tensor *t)
{
    return t->shape.rank > 0 && t->shape.dim[0] == b->count;
}

/* What the entry for the first axis is in an attribute with one for each axis, when nothing
   happens along that axis. */
static bool neutral(enum attr_key key, int64_t count, int64_t *out)
{
    switch (key) {
    case ATTR_starts:
    case ATTR_lo:
    case ATTR_hi:
    case ATTR_interior: *out = 0; return true;
    case ATTR_strides: *out = 1; return true;
    case ATTR_lengths: *out = count; return true;
    default: return false;
    }
}

/* Whether each attribute is one that is known not to mix rows. */
static bool attr_allows(const struct batch *b, const struct node *n, const struct attr *a)
{
    int64_t same;
    switch (a->key) {
    case ATTR_bits:
    case ATTR_keep:
    case ATTR_tie_break: return true;
    case ATTR_axis: return a->i >= 1;
    case ATTR_axes:
        if (n->op == OP_TRANSPOSE)
            return a->list[0] == 0;
        for (uint32_t k = 0; k < a->count; k++)
            if (a->list[k] == 0)
                return false;
        return true;
    default: return neutral(a->key, b->count, &same) && a->count > 0 && a->list[0] == same;
    }
}

static bool attrs_allow(const struct batch *b, const struct node *n)
{
    for (uint32_t i = 0; i < n->nattrs; i++)
        if (!attr_allows(b, n, &n->attrs[i]))
            return false;
    return true;
}

/* Without the entry 0, the others one less. */
static void lower_axes(struct graph *g, const struct node *n, enum attr_key key, struct attr *out)
{
    uint32_t count, kept = 0;
    int64_t list[VKC_MAX_RANK];
    const int64_t *axes = attr_list(n, key, &count);
    for (uint32_t i = 0; i < count; i++)
        if (axes[i] != 0)
            list[kept++] = axes[i] - 1;
    attr_set_list(g, out, key, list, kept);
}

static bool row_attrs(struct scope *s, const struct node *n, struct node *row)
{
    int64_t same;
    row->attrs = ARENA_ARRAY(s->b->arena, struct attr, n->nattrs + 1);
    if (!row->attrs)
        return batch_no_memory(s->b);
    if (n->nattrs)
        memcpy(row->attrs, n->attrs, n->nattrs * sizeof *n->attrs);
    for (uint32_t i = 0; i < n->nattrs; i++) {
        struct attr *a = &row->attrs[i];
        if (a->key == ATTR_axis)
            a->i--;
        else if (a->key == ATTR_axes)
            lower_axes(s->b->g, n, ATTR_axes, a);
        else if (neutral(a->key, s->b->count, &same)) {
            a->list++;
            a->count--;
        }
    }
    return !s->b->g->arena->failed || batch_no_memory(s->b);
}

static bool product_needs(const struct batch *b, const struct func *f, const struct node *n,
                          uint8_t *out)
{
    bool shared_a = attr_list_has(n, ATTR_batch_a, 0), shared_b = attr_list_has(n, ATTR_batch_b, 0);
    uint32_t nbatch, ncontracted;
    const int64_t *batch_a = attr_list(n, ATTR_batch_a, &nbatch);
    const int64_t *batch_b = attr_list(n, ATTR_batch_b, &nbatch);
    attr_list(n, ATTR_contract_a, &ncontracted);
    if (nbatch > 0) {
        out[0] = out[1] = NEED_ROW;
        return shared_a && shared_b && batch_a[0] == 0 && batch_b[0] == 0;
    }
    const struct tensor *x = func_tensor(f, n->ins[0]), *y = func_tensor(f, n->ins[1]);
    bool of_a = x->shape.rank > ncontracted; /* the result's first axis is a's first free one */
    out[0] = of_a ? NEED_ROW : NEED_ALL;
    out[1] = of_a ? NEED_ALL : NEED_ROW;
    return of_a ? has_rows(b, x) && !attr_list_has(n, ATTR_contract_a, 0)
                : has_rows(b, y) && !attr_list_has(n, ATTR_contract_b, 0);
}

static bool spread_needs(const struct batch *b, const struct func *f, const struct node *n,
                         uint8_t *out)
{
    const struct tensor *t = func_tensor(f, n->ins[0]);
    uint32_t naxes;
    const int64_t *axes = attr_list(n, ATTR_axes, &naxes);
    for (uint32_t i = 1; i < naxes; i++)
        if (axes[i] == 0)
            return false;
    out[0] = naxes && axes[0] == 0 && t->shape.dim[0] == b->count ? NEED_ROW : NEED_ALL;
    return true;
}

bool batch_row_needs(const struct batch *b, const struct func *f, const struct node *n,
                     uint8_t *out)
{
    enum rule rule = rule_of(n->op);
    if (rule == NO_RULE || n->nouts != 1 || !has_rows(b, &n->outs[0]))
        return false;
    for (uint32_t i = 0; i < n->nins; i++)
        out[i] = NEED_ALL;
    switch (rule) {
    case SPREAD: return spread_needs(b, f, n, out);
    case PRODUCT: return product_needs(b, f, n, out);
    case RESHAPED: out[0] = NEED_ROW; return has_rows(b, func_tensor(f, n->ins[0]));
    case LOOKED_UP:
        out[1] = NEED_ROW;
        return func_tensor(f, n->ins[1])->shape.rank > 1 && has_rows(b, func_tensor(f, n->ins[1]));
    case PLACED:
        out[0] = NEED_ROW;
        if (n->op == OP_PUT_SLICE)
            out[1] = NEED_ROW;
        return has_rows(b, func_tensor(f, n->ins[0])) &&
               (n->op == OP_DYNAMIC_SLICE ? attrs_allow(b, n)
                                          : has_rows(b, func_tensor(f, n->ins[1])));
    default: break;
    }
    for (uint32_t i = 0; i < n->nins; i++) {
        const struct tensor *t = func_tensor(f, n->ins[i]);
        out[i] = t->shape.rank ? NEED_ROW : NEED_ALL;
        if (t->shape.rank && !has_rows(b, t))
            return false;
    }
    return attrs_allow(b, n);
}

/* ---- making ---- */

/* Of an operand [1, ...] that all rows share, what is behind the 1. */
static bool spread_from(struct scope *s, const struct node *n, const struct value *in,
                        struct value *out)
{
    const struct tensor *t = func_tensor(&s->b->g->funcs[s->to], *in);
    uint32_t naxes;
    const int64_t *axes = attr_list(n, ATTR_axes, &naxes);
    *out = *in;
    /* a row has lost the axis already */
    if (naxes == 0 || axes[0] != 0 || t->shape.rank != naxes)
        return true;
    struct tensor rest = tensor_row(t);
    return scope_reshape(s, *in, &rest, out);
}

static bool product_attrs(struct scope *s, const struct node *n, struct node *row)
{
    uint8_t want[2];
    static const enum attr_key keys[2][2] = {{ATTR_contract_a, ATTR_batch_a},
                                             {ATTR_contract_b, ATTR_batch_b}};
    row->attrs = ARENA_ARRAY(s->b->arena, struct attr, n->nattrs + 1);
    if (!row->attrs)
        return batch_no_memory(s->b);
    if (n->nattrs)
        memcpy(row->attrs, n->attrs, n->nattrs * sizeof *n->attrs);
    if (!product_needs(s->b, &s->b->g->funcs[s->func], n, want))
        return false;
    for (uint32_t i = 0; i < n->nattrs; i++)
        for (uint32_t side = 0; side < 2; side++)
            if (want[side] == NEED_ROW &&
                (n->attrs[i].key == keys[side][0] || n->attrs[i].key == keys[side][1]))
                lower_axes(s->b->g, n, n->attrs[i].key, &row->attrs[i]);
    return !s->b->g->arena->failed || batch_no_memory(s->b);
}

/* Without the place along the first axis. */
static void drop_start(struct node *row, const struct value *ins, struct value *kept)
{
    uint32_t starts = row->op == OP_PUT_SLICE ? 2 : 1;
    memcpy(kept, ins, starts * sizeof *ins);
    for (uint32_t i = starts + 1; i < row->nins; i++)
        kept[i - 1] = ins[i];
    row->ins = kept;
    row->nins--;
}

bool batch_row_make(struct scope *s, const struct node *n, const struct value *ins,
                    struct value *out)
{
    struct node row = *n;
    struct tensor t = tensor_row(&n->outs[0]);
    struct value own[VKC_MAX_RANK + 8];
    enum rule rule = rule_of(n->op);
    if (n->nins)
        memcpy(own, ins, n->nins * sizeof *ins);
    row.ins = own;
    row.outs = &t;
    if (rule == RESHAPED)
        return scope_reshape(s, ins[0], &t, out);
    if (rule == PLACED)
        drop_start(&row, ins, own);
    if (rule == SPREAD) {
        if (!spread_from(s, n, ins, &own[0]))
            return false;
        if (tensor_equal(func_tensor(&s->b->g->funcs[s->to], own[0]), &t)) {
            *out = own[0];
            return true;
        }
    }
    bool ok = rule == PRODUCT     ? product_attrs(s, n, &row)
              : rule == LOOKED_UP ? true
                                  : row_attrs(s, n, &row);
    return ok && scope_append(s, &row, out);
}
