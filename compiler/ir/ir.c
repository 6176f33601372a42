#include "ir/ir.h"

#include <stdio.h>
#include <string.h>

int64_t shape_size(const struct shape *s)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < s->rank; i++)
        n *= s->dim[i];
    return n;
}

void shape_strides(const struct shape *s, int64_t out[VKC_MAX_RANK])
{
    int64_t stride = 1;
    for (uint32_t i = s->rank; i-- > 0;) {
        out[i] = stride;
        stride *= s->dim[i];
    }
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank && memcmp(a->dim, b->dim, a->rank * sizeof a->dim[0]) == 0;
}

bool tensor_equal(const struct tensor *a, const struct tensor *b)
{
    return a->type == b->type && shape_equal(&a->shape, &b->shape);
}

struct shape shape_of(uint32_t rank, const int64_t *dims)
{
    struct shape s = {.rank = rank};
    for (uint32_t i = 0; i < rank; i++)
        s.dim[i] = dims[i];
    return s;
}

void tensor_print(char *buf, size_t n, const struct tensor *t)
{
    int at = snprintf(buf, n, "%s[", type_name(t->type));
    for (uint32_t i = 0; i < t->shape.rank && at >= 0 && (size_t)at < n; i++)
        at +=
            snprintf(buf + at, n - (size_t)at, "%s%lld", i ? "," : "", (long long)t->shape.dim[i]);
    if (at >= 0 && (size_t)at < n)
        snprintf(buf + at, n - (size_t)at, "]");
}

static const char *const key_names[ATTR_COUNT] = {
#define K(k) [ATTR_##k] = #k
    K(index),
    K(bits),
    K(literal),
    K(axis),
    K(axes),
    K(keep),
    K(starts),
    K(lengths),
    K(strides),
    K(lo),
    K(hi),
    K(interior),
    K(tie_break),
    K(window),
    K(dilations),
    K(contract_a),
    K(batch_a),
    K(contract_b),
    K(batch_b),
    K(input_dilation),
    K(kernel_dilation),
    K(feature_groups),
    K(batch_groups),
    K(input_permutation),
    K(kernel_permutation),
    K(output_permutation),
    K(left_side),
    K(lower),
    K(transform),
    K(descending),
    K(stable),
    K(length),
    K(name),
    K(options),
    K(callback),
    K(seq),
    K(hooked),
    K(run),
    K(gives),
    K(zeros),
    K(combine),
    K(reverse),
    K(tile),
    K(inverse),
    K(rows),
    K(width),
    K(sweeps),
    K(across),
    K(absolute),
    K(both),
    K(full),
    K(words),
    K(bit),
    K(radix),
#undef K
};

const char *attr_key_name(enum attr_key key)
{
    return key_names[key];
}

enum attr_key attr_key_parse(const char *name, size_t len)
{
    for (int k = ATTR_NONE + 1; k < ATTR_COUNT; k++)
        if (strlen(key_names[k]) == len && memcmp(key_names[k], name, len) == 0)
            return (enum attr_key)k;
    return ATTR_NONE;
}

/* "axis:i keep:b?" */
bool attr_spec_next(const char **at, struct attr_spec *out)
{
    const char *p = *at;
    if (!p || !*p)
        return false;
    size_t len = strcspn(p, ":");
    *out = (struct attr_spec){attr_key_parse(p, len), p[len + 1], p[len + 2] == '?'};
    p += len + 2 + out->optional;
    *at = p + (*p == ' ');
    return true;
}

const struct attr *node_attr(const struct node *n, enum attr_key key)
{
    for (uint32_t i = 0; i < n->nattrs; i++)
        if (n->attrs[i].key == key)
            return &n->attrs[i];
    return NULL;
}

int64_t attr_int(const struct node *n, enum attr_key key, int64_t if_missing)
{
    const struct attr *a = node_attr(n, key);
    return a ? a->i : if_missing;
}

bool attr_bool(const struct node *n, enum attr_key key)
{
    return attr_int(n, key, 0) != 0;
}

const char *attr_text(const struct node *n, enum attr_key key)
{
    const struct attr *a = node_attr(n, key);
    return a && a->text ? a->text : "";
}

const int64_t *attr_list(const struct node *n, enum attr_key key, uint32_t *out_count)
{
    const struct attr *a = node_attr(n, key);
    *out_count = a ? a->count : 0;
    return a ? a->list : NULL;
}

bool attr_list_has(const struct node *n, enum attr_key key, int64_t value)
{
    uint32_t count;
    const int64_t *list = attr_list(n, key, &count);
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == value)
            return true;
    return false;
}

uint32_t *func_use_counts(const struct func *f, struct arena *a)
{
    uint32_t *uses = ARENA_ARRAY(a, uint32_t, f->nnodes);
    if (!uses)
        return NULL;
    for (uint32_t i = 0; i < f->nnodes; i++)
        for (uint32_t j = 0; j < f->nodes[i].nins; j++)
            uses[f->nodes[i].ins[j].node]++;
    for (uint32_t i = 0; i < f->nresults; i++)
        uses[f->results[i].node]++;
    return uses;
}

struct node *func_append(struct graph *g, struct func *f, enum op op, uint32_t label, uint32_t nins,
                         uint32_t nouts, uint32_t nattrs, uint32_t nregions)
{
    if (!arena_grow(g->arena, &f->nodes, f->nnodes, &f->cap_nodes, sizeof *f->nodes))
        return NULL;
    struct node *n = &f->nodes[f->nnodes];
    *n = (struct node){
        .op = op, .nins = nins, .nouts = nouts, .nattrs = nattrs, .nregions = nregions};
    n->ins = ARENA_ARRAY(g->arena, struct value, nins);
    n->outs = ARENA_ARRAY(g->arena, struct tensor, nouts);
    n->attrs = ARENA_ARRAY(g->arena, struct attr, nattrs);
    n->regions = ARENA_ARRAY(g->arena, uint32_t, nregions);
    if (!n->ins || !n->outs || !n->attrs || !n->regions)
        return NULL;
    n->label = label == UINT32_MAX ? f->next_label : label;
    if (n->label >= f->next_label)
        f->next_label = n->label + 1;
    f->nnodes++;
    return n;
}

uint32_t graph_add_func(struct graph *g)
{
    if (!arena_grow(g->arena, &g->funcs, g->nfuncs, &g->cap_funcs, sizeof *g->funcs))
        return UINT32_MAX;
    g->funcs[g->nfuncs] = (struct func){0};
    return g->nfuncs++;
}

static bool attrs_equal(const struct node *x, const struct node *y)
{
    if (x->nattrs != y->nattrs)
        return false;
    if (x->attrs == y->attrs)
        return true;
    for (uint32_t i = 0; i < x->nattrs; i++) {
        const struct attr *a = &x->attrs[i], *b = &y->attrs[i];
        if (a->key != b->key || a->kind != b->kind || a->count != b->count || a->i != b->i ||
            a->bits[0] != b->bits[0] || a->bits[1] != b->bits[1])
            return false;
        if (a->count && memcmp(a->list, b->list, a->count * sizeof *a->list) != 0)
            return false;
        if (strcmp(a->text ? a->text : "", b->text ? b->text : "") != 0)
            return false;
    }
    return true;
}

static bool outs_equal(const struct node *x, const struct node *y)
{
    if (x->nouts != y->nouts)
        return false;
    for (uint32_t i = 0; x->outs != y->outs && i < x->nouts; i++)
        if (!tensor_equal(&x->outs[i], &y->outs[i]))
            return false;
    return true;
}

bool node_alike(const struct node *x, const struct node *y)
{
    return x->op == y->op && x->nregions == y->nregions && outs_equal(x, y) && attrs_equal(x, y);
}

bool func_alike(const struct func *x, const struct func *y)
{
    if (x->nnodes != y->nnodes || x->nresults != y->nresults || x->nparams != y->nparams)
        return false;
    for (uint32_t i = 0; i < x->nresults; i++)
        if (!value_equal(x->results[i], y->results[i]))
            return false;
    for (node_id i = 0; i < x->nnodes; i++) {
        const struct node *a = &x->nodes[i], *b = &y->nodes[i];
        if (a->nins != b->nins || !node_alike(a, b))
            return false;
        for (uint32_t j = 0; j < a->nins; j++)
            if (!value_equal(a->ins[j], b->ins[j]))
                return false;
    }
    return true;
}

struct tensor tensor_row(const struct tensor *t)
{
    struct tensor row = {.type = t->type, .shape = shape_of(t->shape.rank - 1, t->shape.dim + 1)};
    return row;
}

void attr_set_int(struct attr *a, enum attr_key key, int64_t i)
{
    *a = (struct attr){.key = key, .kind = 'i', .i = i};
}

void attr_set_bool(struct attr *a, enum attr_key key, bool b)
{
    *a = (struct attr){.key = key, .kind = 'b', .i = b};
}

void attr_set_list(struct graph *g, struct attr *a, enum attr_key key, const int64_t *list,
                   uint32_t count)
{
    *a = (struct attr){.key = key,
                       .kind = 'I',
                       .count = count,
                       .list = arena_copy(g->arena, list, count * sizeof *list)};
}

void attr_set_text(struct graph *g, struct attr *a, enum attr_key key, const char *text)
{
    *a = (struct attr){.key = key, .kind = 's', .text = arena_strdup(g->arena, text)};
}

void attr_set_bits(struct attr *a, enum attr_key key, uint64_t low, uint64_t high)
{
    *a = (struct attr){.key = key, .kind = 'x', .bits = {low, high}};
}

bool node_has_effect(const struct graph *g, const struct node *n)
{
    if (op_class(n->op) == CLASS_EFFECT)
        return true;
    for (uint32_t i = 0; i < n->nregions; i++)
        if (func_has_effect(g, n->regions[i]))
            return true;
    return false;
}

bool func_has_effect(const struct graph *g, uint32_t func)
{
    const struct func *f = &g->funcs[func];
    for (node_id i = 0; i < f->nnodes; i++)
        if (node_has_effect(g, &f->nodes[i]))
            return true;
    return false;
}
