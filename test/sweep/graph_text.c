#include "graph_text.h"

#include <stdio.h>

#include "interp/interp_impl.h"

void gt_init(struct graph_text *g, struct arena *a)
{
    *g = (struct graph_text){.arena = a};
    gt_begin(g);
}

uint32_t gt_begin(struct graph_text *g)
{
    struct gt_func *f = &g->funcs[g->nfuncs];
    str_init(&f->params, g->arena);
    str_init(&f->nodes, g->arena);
    str_init(&f->results, g->arena);
    g->current = g->nfuncs;
    return g->nfuncs++;
}

/* Regions do not nest: what follows belongs to the entry. */
void gt_end(struct graph_text *g)
{
    g->current = 0;
}

const char *gt_json(const struct graph_text *g, const char *name)
{
    struct str s;
    str_init(&s, g->arena);
    str_printf(&s,
               "{\"schema\": \"nx.vulkan.graph/1\", \"nx\": \"0.13.1\", \"producer\": \"sweep\", "
               "\"name\": \"%s\", \"entry\": 0, \"funcs\": [\n",
               name);
    for (uint32_t i = 0; i < g->nfuncs; i++)
        str_printf(&s, "%s{\"params\": [%s], \"nodes\": [\n%s], \"results\": [%s]}", i ? ",\n" : "",
                   str_text(&g->funcs[i].params), str_text(&g->funcs[i].nodes),
                   str_text(&g->funcs[i].results));
    str_add(&s, "],\n\"literals\": [], \"donations\": [], \"callbacks\": 0}\n");
    return str_text(&s);
}

/* ---- lists ---- */

const char *gt_list(struct graph_text *g, const int64_t *list, uint32_t n)
{
    struct str s;
    str_init(&s, g->arena);
    for (uint32_t i = 0; i < n; i++)
        str_printf(&s, "%s%lld", i ? "," : "[", (long long)list[i]);
    str_add(&s, n ? "]" : "[]");
    return str_text(&s);
}

const char *gt_axes(struct graph_text *g, uint32_t axes)
{
    int64_t list[VKC_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < VKC_MAX_RANK; i++)
        if (axes & 1u << i)
            list[n++] = i;
    return gt_list(g, list, n);
}

static const char *tensor_text(struct graph_text *g, const struct tensor *t)
{
    return arena_printf(g->arena, "{\"type\": \"%s\", \"shape\": %s}", type_name(t->type),
                        gt_list(g, t->shape.dim, t->shape.rank));
}

/* ---- nodes ---- */

const struct tensor *gt_tensor(const struct graph_text *g, struct value v)
{
    return &g->funcs[g->current].outs[v.node][v.out];
}

struct value gt_node_of(struct graph_text *g, const char *op, uint32_t nouts,
                        const struct tensor *outs, uint32_t nins, const struct value *ins,
                        const char *more)
{
    struct gt_func *f = &g->funcs[g->current];
    struct value v = {f->nnodes, 0};
    arena_grow(g->arena, &f->outs, f->nnodes, &f->cap, sizeof *f->outs);
    str_printf(&f->nodes, "%s{\"id\": %u, \"op\": \"%s\", \"ins\": [", f->nnodes ? ",\n" : "",
               f->nnodes, op);
    for (uint32_t i = 0; i < nins; i++)
        str_printf(&f->nodes, "%s[%u, %u]", i ? ", " : "", ins[i].node, ins[i].out);
    str_add(&f->nodes, "], \"outs\": [");
    for (uint32_t i = 0; i < nouts; i++) {
        str_printf(&f->nodes, "%s%s", i ? ", " : "", tensor_text(g, &outs[i]));
        f->outs[f->nnodes][i] = outs[i];
    }
    str_printf(&f->nodes, "]%s}", more);
    f->nnodes++;
    return v;
}

struct value gt_node(struct graph_text *g, const char *op, enum vkc_type type,
                     const struct shape *shape, uint32_t nins, const struct value *ins,
                     const char *more)
{
    struct tensor t = {type, *shape};
    return gt_node_of(g, op, 1, &t, nins, ins, more);
}

void gt_result(struct graph_text *g, struct value v)
{
    struct gt_func *f = &g->funcs[g->current];
    str_printf(&f->results, "%s[%u, %u]", f->nresults++ ? ", " : "", v.node, v.out);
}

struct value gt_param_filled(struct graph_text *g, enum vkc_type type, const struct shape *shape,
                             enum gt_fill fill, int64_t bound)
{
    struct gt_func *f = &g->funcs[g->current];
    struct tensor t = {type, *shape};
    str_printf(&f->params, "%s%s", f->nparams ? ", " : "", tensor_text(g, &t));
    if (g->current == 0) {
        arena_grow(g->arena, &g->params, f->nparams, &g->cap_params, sizeof *g->params);
        g->params[f->nparams] = (struct gt_param){t, fill, bound};
    }
    return gt_node(g, "parameter", type, shape, 0, NULL,
                   arena_printf(g->arena, ", \"attrs\": {\"index\": %u}", f->nparams++));
}

struct value gt_param(struct graph_text *g, enum vkc_type type, const struct shape *shape)
{
    return gt_param_filled(g, type, shape, GT_VALUES, 0);
}

/* The bytes of an element, most significant first. */
static const char *bits_text(struct graph_text *g, enum vkc_type type, const uint8_t *bytes)
{
    char text[2 * 16 + 1] = "";
    for (uint32_t i = 0; i < type_bytes(type); i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[type_bytes(type) - 1 - i]);
    return arena_printf(g->arena, ", \"attrs\": {\"bits\": \"%s\"}", text);
}

struct value gt_constant(struct graph_text *g, enum vkc_type type, const struct shape *shape,
                         double x)
{
    uint8_t bytes[16] = {0};
    union number n = {.s = (int64_t)x};
    if (type_is_float(type))
        n.f = x;
    if (type_is_complex(type))
        n.c = complex_of(x, 0);
    number_store(type, bytes, 0, n);
    return gt_node(g, "constant", type, shape, 0, NULL, bits_text(g, type, bytes));
}

struct value gt_identity(struct graph_text *g, enum op reduce, enum vkc_type type)
{
    static const struct shape scalar = {0};
    uint64_t bits[2] = {0, 0};
    if (reduce == OP_SUM && (type_is_float(type) || type_is_complex(type)))
        return gt_constant(g, type, &scalar, -0.0);
    if (type_is_complex(type))
        return gt_constant(g, type, &scalar, reduce == OP_PRODUCT);
    op_identity_bits(reduce, type, &bits[0]);
    return gt_node(g, "constant", type, &scalar, 0, NULL,
                   bits_text(g, type, (const uint8_t *)bits));
}

struct value gt_unary(struct graph_text *g, const char *op, struct value x)
{
    const struct tensor t = *gt_tensor(g, x);
    return gt_node(g, op, t.type, &t.shape, 1, &x, "");
}

struct value gt_binary(struct graph_text *g, const char *op, struct value x, struct value y)
{
    const struct tensor t = *gt_tensor(g, x);
    return gt_node(g, op, t.type, &t.shape, 2, (struct value[]){x, y}, "");
}

struct value gt_convert(struct graph_text *g, struct value x, enum vkc_type type)
{
    const struct tensor t = *gt_tensor(g, x);
    return t.type == type ? x : gt_node(g, "as_type", type, &t.shape, 1, &x, "");
}

/* ---- shapes ---- */

struct value gt_reduce(struct graph_text *g, const char *op, struct value x, uint32_t axes,
                       bool keep)
{
    const struct tensor t = *gt_tensor(g, x);
    struct shape to = {0};
    for (uint32_t i = 0; i < t.shape.rank; i++)
        if (!(axes & 1u << i))
            to.dim[to.rank++] = t.shape.dim[i];
        else if (keep)
            to.dim[to.rank++] = 1;
    bool truth = op[0] == 'a'; /* all, any */
    return gt_node(g, op, truth ? TYPE_U8 : t.type, &to, 1, &x,
                   arena_printf(g->arena, ", \"attrs\": {\"axes\": %s, \"keep\": %s}",
                                gt_axes(g, axes), keep ? "true" : "false"));
}

struct value gt_broadcast(struct graph_text *g, struct value x, const struct shape *to,
                          const int64_t *axes)
{
    const struct tensor t = *gt_tensor(g, x);
    return gt_node(
        g, "broadcast", t.type, to, 1, &x,
        arena_printf(g->arena, ", \"attrs\": {\"axes\": %s}", gt_list(g, axes, t.shape.rank)));
}

struct value gt_stretch(struct graph_text *g, struct value x, const struct shape *to)
{
    static const int64_t axes[] = {0, 1, 2, 3, 4, 5};
    return gt_broadcast(g, x, to, axes);
}

struct value gt_transpose(struct graph_text *g, struct value x, const int64_t *axes)
{
    const struct tensor t = *gt_tensor(g, x);
    struct shape to = {.rank = t.shape.rank};
    for (uint32_t i = 0; i < to.rank; i++)
        to.dim[i] = t.shape.dim[axes[i]];
    return gt_node(
        g, "transpose", t.type, &to, 1, &x,
        arena_printf(g->arena, ", \"attrs\": {\"axes\": %s}", gt_list(g, axes, to.rank)));
}

struct value gt_reverse(struct graph_text *g, struct value x, uint32_t axes)
{
    const struct tensor t = *gt_tensor(g, x);
    return gt_node(g, "reverse", t.type, &t.shape, 1, &x,
                   arena_printf(g->arena, ", \"attrs\": {\"axes\": %s}", gt_axes(g, axes)));
}

struct value gt_slice(struct graph_text *g, struct value x, const int64_t *starts,
                      const int64_t *lengths, const int64_t *strides)
{
    const struct tensor t = *gt_tensor(g, x);
    struct shape to = {.rank = t.shape.rank};
    for (uint32_t i = 0; i < to.rank; i++)
        to.dim[i] = (lengths[i] + strides[i] - 1) / strides[i];
    return gt_node(g, "slice", t.type, &to, 1, &x,
                   arena_printf(g->arena,
                                ", \"attrs\": {\"starts\": %s, \"lengths\": %s, \"strides\": %s}",
                                gt_list(g, starts, to.rank), gt_list(g, lengths, to.rank),
                                gt_list(g, strides, to.rank)));
}

struct value gt_pad(struct graph_text *g, struct value x, struct value with, const int64_t *lo,
                    const int64_t *hi, const int64_t *interior)
{
    const struct tensor t = *gt_tensor(g, x);
    struct shape to = t.shape;
    for (uint32_t i = 0; i < to.rank; i++)
        to.dim[i] += lo[i] + hi[i] + interior[i] * (to.dim[i] - 1);
    return gt_node(g, "pad", t.type, &to, 2, (struct value[]){x, with},
                   arena_printf(g->arena, ", \"attrs\": {\"lo\": %s, \"hi\": %s, \"interior\": %s}",
                                gt_list(g, lo, to.rank), gt_list(g, hi, to.rank),
                                gt_list(g, interior, to.rank)));
}

struct value gt_concatenate(struct graph_text *g, struct value x, struct value y, uint32_t axis)
{
    const struct tensor t = *gt_tensor(g, x);
    struct shape to = t.shape;
    to.dim[axis] += gt_shape(g, y)->dim[axis];
    return gt_node(g, "concatenate", t.type, &to, 2, (struct value[]){x, y},
                   arena_printf(g->arena, ", \"attrs\": {\"axis\": %u}", axis));
}

struct value gt_reshape(struct graph_text *g, struct value x, const struct shape *to)
{
    const struct tensor t = *gt_tensor(g, x);
    return gt_node(g, "reshape", t.type, to, 1, &x, "");
}
