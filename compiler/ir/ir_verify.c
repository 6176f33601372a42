/* The verifier: what holds for every graph and every node. The rules of single ops are in
   ir_verify_shapes.c, ir_verify_contract.c, ir_verify_control.c and ir_verify_made.c. */
#include "ir/ir_verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool verify_fail(struct verify *v, const char *file, int line, const char *fmt, ...)
{
    char text[sizeof v->d->message];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (v->d->code == DIAG_OK && v->n && v->n->loc)
        snprintf(v->d->loc, sizeof v->d->loc, "%s", v->n->loc);
    if (v->n)
        return diag_fail(v->d, DIAG_INPUT, file, line, "n%u %s: %s", v->n->label, op_name(v->n->op),
                         text);
    return diag_fail(v->d, DIAG_INPUT, file, line, "%s", text);
}

struct tensor_text verify_show(const struct tensor *t)
{
    struct tensor_text text = {"(not a tensor)"};
    if (t->type > TYPE_NONE && t->type < TYPE_COUNT && t->shape.rank <= VKC_MAX_RANK)
        tensor_print(text.s, sizeof text.s, t);
    return text;
}

bool verify_out(struct verify *v, uint32_t i, enum vkc_type type, const struct shape *want)
{
    struct tensor wanted = {type, *want};
    if (tensor_equal(&v->n->outs[i], &wanted))
        return true;
    return BAD(v, "output %u is %s, its inputs make %s", i, verify_show(&v->n->outs[i]).s,
               verify_show(&wanted).s);
}

bool verify_list(struct verify *v, enum attr_key key, uint32_t count, int64_t lo, int64_t hi,
                 const int64_t **out)
{
    uint32_t n;
    *out = attr_list(v->n, key, &n);
    if (n != count)
        return BAD(v, "%s has %u entries, needs %u", attr_key_name(key), n, count);
    for (uint32_t i = 0; i < n; i++)
        if ((*out)[i] < lo || (*out)[i] > hi)
            return BAD(v, "%s[%u] is %lld, must be from %lld to %lld", attr_key_name(key), i,
                       (long long)(*out)[i], (long long)lo, (long long)hi);
    return true;
}

bool verify_axes(struct verify *v, enum attr_key key, uint32_t rank, bool sorted,
                 const int64_t **out, uint32_t *out_count)
{
    *out = attr_list(v->n, key, out_count);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < *out_count; i++) {
        int64_t axis = (*out)[i];
        if (axis < 0 || axis >= (int64_t)rank)
            return BAD(v, "%s[%u] is %lld, the tensor has %u axes", attr_key_name(key), i,
                       (long long)axis, rank);
        if (seen & 1u << axis)
            return BAD(v, "%s names axis %lld twice", attr_key_name(key), (long long)axis);
        if (sorted && i > 0 && axis < (*out)[i - 1])
            return BAD(v, "%s must be sorted, %lld follows %lld", attr_key_name(key),
                       (long long)axis, (long long)(*out)[i - 1]);
        seen |= 1u << axis;
    }
    return true;
}

/* ---- what every node obeys ---- */

/* Dimensions of at least 1, at most VKC_MAX_RANK of them, and fewer than 2^40 bytes in all. */
static bool check_tensor(struct verify *v, const struct tensor *t, const char *what, uint32_t i)
{
    if (t->type <= TYPE_NONE || t->type >= TYPE_COUNT)
        return BAD(v, "%s %u has no type", what, i);
    if (t->shape.rank > VKC_MAX_RANK)
        return BAD(v, "%s %u has %u dimensions, the most is %d", what, i, t->shape.rank,
                   VKC_MAX_RANK);
    int64_t bytes = type_bytes(t->type);
    for (uint32_t k = 0; k < t->shape.rank; k++) {
        int64_t dim = t->shape.dim[k];
        if (dim < 1)
            return BAD(v, "%s %u: dimension %u is %lld, the least is 1", what, i, k,
                       (long long)dim);
        if (dim >= VERIFY_MAX_BYTES || bytes > (VERIFY_MAX_BYTES - 1) / dim)
            return BAD(v, "%s %u is too large: %s takes 2^40 bytes or more", what, i,
                       verify_show(t).s);
        bytes *= dim;
    }
    return true;
}

static bool check_counts(struct verify *v)
{
    const struct node *n = v->n;
    const struct op_info *o = &vkc_ops[n->op];
    if ((int64_t)n->nins < o->min_ins || (o->max_ins >= 0 && (int64_t)n->nins > o->max_ins)) {
        const char *more = o->max_ins < 0 ? " or more" : "";
        return BAD(v, "has %u inputs, needs %d%s", n->nins, o->min_ins, more);
    }
    if (o->outs >= 0 && (int64_t)n->nouts != o->outs)
        return BAD(v, "has %u outputs, needs %d", n->nouts, o->outs);
    if (o->regions >= 0 ? (int64_t)n->nregions != o->regions : n->nregions % 2 == 0)
        return BAD(v, "has %u regions, needs %s", n->nregions,
                   o->regions < 0    ? "an odd number"
                   : o->regions == 0 ? "none"
                   : o->regions == 1 ? "1"
                                     : "2");
    return true;
}

static bool check_inputs(struct verify *v)
{
    const struct node *n = v->n;
    for (uint32_t i = 0; i < n->nins; i++) {
        struct value in = n->ins[i];
        if (in.node >= v->node)
            return BAD(v, "input %u is node %u, a node reads only nodes before it", i, in.node);
        if (in.out >= v->f->nodes[in.node].nouts)
            return BAD(v, "input %u is output %u of n%u, which has %u", i, in.out,
                       v->f->nodes[in.node].label, v->f->nodes[in.node].nouts);
    }
    return true;
}

/* The row's attributes, in the row's order, each of the row's kind. */
static bool check_attrs(struct verify *v)
{
    const struct node *n = v->n;
    uint32_t at = 0;
    struct attr_spec spec;
    for (const char *p = vkc_ops[n->op].attrs; attr_spec_next(&p, &spec);) {
        if (at < n->nattrs && n->attrs[at].key == spec.key) {
            const struct attr *a = &n->attrs[at++];
            if (a->kind != spec.kind)
                return BAD(v, "attribute %s is of kind %c, needs %c", attr_key_name(spec.key),
                           a->kind, spec.kind);
            if ((spec.kind == 's' && !a->text) || (spec.kind == 'I' && a->count && !a->list))
                return BAD(v, "attribute %s has no value", attr_key_name(spec.key));
            if (spec.kind == 'b' && a->i != 0 && a->i != 1)
                return BAD(v, "attribute %s is %lld, must be true or false",
                           attr_key_name(spec.key), (long long)a->i);
        } else if (!spec.optional) {
            return BAD(v, "attribute %s is missing or out of order", attr_key_name(spec.key));
        }
    }
    if (at < n->nattrs) {
        enum attr_key key = n->attrs[at].key;
        const char *name = key > ATTR_NONE && key < ATTR_COUNT ? attr_key_name(key) : "?";
        return BAD(v, "has attribute %s, which the op does not take or has already", name);
    }
    return true;
}

static bool check_node(struct verify *v)
{
    const struct node *n = v->n;
    if (!check_counts(v) || !check_inputs(v) || !check_attrs(v))
        return false;
    for (uint32_t i = 0; i < n->nouts; i++)
        if (!check_tensor(v, &n->outs[i], "output", i))
            return false;
    if (op_is_made(n->op))
        return verify_made(v);
    switch (op_class(n->op)) {
    case CLASS_CONTRACT:
    case CLASS_SOLVE:
    case CLASS_SORT:
    case CLASS_TRANSFORM: return verify_contract(v);
    case CLASS_CONTROL:
    case CLASS_EFFECT:
    case CLASS_FOLD: return verify_control(v);
    default: return n->op == OP_WINDOW_REDUCE ? verify_control(v) : verify_shapes(v);
    }
}

/* ---- what every function and the graph obey ---- */

/* A bit for each label, cleared again after each function. */
static bool check_labels(struct verify *v, uint8_t *used)
{
    const struct func *f = v->f;
    bool ok = true;
    uint32_t done = 0;
    for (; ok && done < f->nnodes; done++) {
        uint32_t label = f->nodes[done].label;
        v->n = &f->nodes[done];
        v->node = done;
        if (label >= VKC_MAX_LABEL || label >= f->next_label)
            ok = BAD(v, "label %u is not below %u", label,
                     f->next_label < VKC_MAX_LABEL ? f->next_label : VKC_MAX_LABEL);
        else if (used[label / 8] & 1u << label % 8)
            ok = BAD(v, "f%u has another node n%u", v->func, label);
        else
            used[label / 8] |= (uint8_t)(1u << label % 8);
    }
    for (uint32_t i = 0; i < done; i++)
        if (f->nodes[i].label < VKC_MAX_LABEL)
            used[f->nodes[i].label / 8] = 0;
    v->n = NULL;
    v->node = ok ? VKC_NO_NODE : v->node;
    return ok;
}

/* Regions point forwards, have one owner, and nest at most VKC_MAX_REGION_DEPTH deep. */
static bool check_regions(struct verify *v, uint8_t *depth)
{
    const struct node *n = v->n;
    for (uint32_t i = 0; i < n->nregions; i++) {
        uint32_t r = n->regions[i];
        if (r >= v->g->nfuncs)
            return BAD(v, "region %u is function %u, the graph has %u", i, r, v->g->nfuncs);
        if (r <= v->func)
            return BAD(v,
                       "region %u is function %u, must come after function %u that holds the node",
                       i, r, v->func);
        if (depth[r] != 0 || r == v->g->entry)
            return BAD(v, "region %u is function %u, which %s", i, r,
                       r == v->g->entry ? "is the entry" : "another node has");
        if (depth[v->func] + 1 > VKC_MAX_REGION_DEPTH)
            return BAD(v, "regions nest deeper than %d", VKC_MAX_REGION_DEPTH);
        depth[r] = (uint8_t)(depth[v->func] + 1);
    }
    return true;
}

static bool check_func(struct verify *v, uint8_t *used, uint8_t *depth)
{
    const struct func *f = v->f;
    for (uint32_t i = 0; i < f->nparams; i++)
        if (!check_tensor(v, &f->params[i], "parameter", i))
            return false;
    if (!check_labels(v, used))
        return false;
    for (uint32_t i = 0; i < f->nnodes; i++) {
        v->n = &f->nodes[i];
        v->node = i;
        if (v->n->op <= OP_NONE || v->n->op >= OP_COUNT)
            return FAIL(v->d, INTERNAL, "n%u of f%u has no op", v->n->label, v->func);
        if (!check_regions(v, depth) || !check_node(v))
            return false;
    }
    v->n = NULL;
    v->node = VKC_NO_NODE;
    for (uint32_t i = 0; i < f->nresults; i++) {
        struct value r = f->results[i];
        if (r.node >= f->nnodes)
            return BAD(v, "result %u of f%u is node %u, the function has %u", i, v->func, r.node,
                       f->nnodes);
        if (r.out >= f->nodes[r.node].nouts)
            return BAD(v, "result %u of f%u is output %u of n%u, which has %u", i, v->func, r.out,
                       f->nodes[r.node].label, f->nodes[r.node].nouts);
    }
    return true;
}

static bool check_donations(struct verify *v)
{
    const struct func *f = &v->g->funcs[v->g->entry];
    for (uint32_t i = 0; i < v->g->ndonations; i++) {
        const struct donation *d = &v->g->donations[i];
        if (d->input >= f->nparams)
            return BAD(v, "donation %u is of input %u, the program has %u", i, d->input,
                       f->nparams);
        if (d->output >= f->nresults)
            return BAD(v, "donation %u is to output %u, the program has %u", i, d->output,
                       f->nresults);
        const struct tensor *in = &f->params[d->input],
                            *out = func_tensor(f, f->results[d->output]);
        if (tensor_bytes(in) != tensor_bytes(out))
            return BAD(v, "donation %u: input %u is %s, output %u is %s: their sizes differ", i,
                       d->input, verify_show(in).s, d->output, verify_show(out).s);
        for (uint32_t k = 0; k < i; k++)
            if (v->g->donations[k].input == d->input || v->g->donations[k].output == d->output)
                return BAD(v, "donation %u repeats the input or output of donation %u", i, k);
    }
    return true;
}

static bool check_row(struct verify *v, const char *what, uint32_t index, bool is_row,
                      const struct tensor *all, const struct tensor *one)
{
    int64_t count = v->g->instances.count;
    if (is_row && (all->shape.rank == 0 || all->shape.dim[0] != count))
        return BAD(v, "%s %u, %s, does not have the rows of %lld instances", what, index,
                   verify_show(all).s, (long long)count);
    struct tensor want = is_row ? tensor_row(all) : *all;
    return tensor_equal(&want, one) || BAD(v, "%s %u of an instance is %s, needs %s", what, index,
                                           verify_show(one).s, verify_show(&want).s);
}

static bool check_instances(struct verify *v)
{
    const struct graph *g = v->g;
    const struct instances *s = &g->instances;
    if (s->count == 0)
        return true;
    if (s->count < 2 || s->body >= g->nfuncs || s->body == g->entry)
        return BAD(v, "%lld instances by function %u", (long long)s->count, s->body);
    const struct func *f = &g->funcs[g->entry], *body = &g->funcs[s->body];
    if (s->nargs != body->nparams || f->nresults != body->nresults)
        return BAD(v, "function %u computes an instance: it needs %u parameters and %u results",
                   s->body, s->nargs, f->nresults);
    for (uint32_t i = 0; i < s->nargs; i++) {
        const struct instance_arg *a = &s->args[i];
        if (a->param >= f->nparams)
            return BAD(v, "instances of parameter %u of %u", a->param, f->nparams);
        if (!check_row(v, "parameter", a->param, a->is_row, &f->params[a->param], &body->params[i]))
            return false;
    }
    for (uint32_t i = 0; i < f->nresults; i++)
        if (!check_row(v, "result", i, true, func_tensor(f, f->results[i]),
                       func_tensor(body, body->results[i])))
            return false;
    return true;
}

static bool check_literals(struct verify *v)
{
    for (uint32_t i = 0; i < v->g->nliterals; i++) {
        const struct literal *l = &v->g->literals[i];
        if (!check_tensor(v, &l->tensor, "literal", i))
            return false;
        if (!l->data || l->bytes != tensor_bytes(&l->tensor))
            return BAD(v, "literal %u has %zu bytes, %s takes %zu", i, l->bytes,
                       verify_show(&l->tensor).s, tensor_bytes(&l->tensor));
    }
    return true;
}

static bool check_graph(struct verify *v, struct arena *scratch)
{
    const struct graph *g = v->g;
    if (g->nfuncs > VKC_MAX_FUNCS)
        return BAD(v, "the graph has %u functions, the most is %d", g->nfuncs, VKC_MAX_FUNCS);
    if (g->entry >= g->nfuncs)
        return BAD(v, "the entry is function %u, the graph has %u", g->entry, g->nfuncs);
    uint64_t nodes = 0;
    uint32_t labels = 0;
    for (uint32_t i = 0; i < g->nfuncs; i++) {
        nodes += g->funcs[i].nnodes;
        labels = g->funcs[i].next_label > labels ? g->funcs[i].next_label : labels;
    }
    if (nodes > VKC_MAX_NODES)
        return BAD(v, "the graph has %llu nodes, the most is %d", (unsigned long long)nodes,
                   VKC_MAX_NODES);
    labels = labels < VKC_MAX_LABEL ? labels : VKC_MAX_LABEL;
    uint8_t *used = arena_alloc(scratch, labels / 8 + 1, 1),
            *depth = arena_alloc(scratch, g->nfuncs, 1);
    if (!used || !depth)
        return FAIL(v->d, MEMORY, "no memory to verify a graph of %u functions", g->nfuncs);
    if (!check_literals(v))
        return false;
    for (v->func = 0; v->func < g->nfuncs; v->func++) {
        v->f = &g->funcs[v->func];
        if (!check_func(v, used, depth))
            return false;
    }
    v->f = NULL;
    return check_instances(v) && check_donations(v);
}

bool verify_graph(const struct graph *g, struct diag *d, uint32_t *out_func, uint32_t *out_node)
{
    struct verify v = {.g = g, .d = d, .node = VKC_NO_NODE};
    struct arena scratch;
    arena_scratch(&scratch, g->arena);
    bool ok = check_graph(&v, &scratch);
    arena_finish(&scratch);
    *out_func = v.f ? v.func : UINT32_MAX;
    *out_node = v.node;
    return ok;
}

bool ir_verify(const struct graph *g, struct diag *d)
{
    bool first = d->code == DIAG_OK;
    uint32_t func, node;
    if (verify_graph(g, d, &func, &node))
        return true;
    if (first && node != VKC_NO_NODE)
        diag_where(d, "$.funcs[%u].nodes[%u]", func, node);
    else if (first && func != UINT32_MAX)
        diag_where(d, "$.funcs[%u]", func);
    else if (first)
        diag_where(d, "$");
    return false;
}
