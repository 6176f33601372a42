/* Copies what an instance needs of a function: needs from results to parameters, then nodes in
   order. */
#include <string.h>

#include "passes/batch.h"

enum { DEEPEST = 8 }; /* loops in loops */

bool batch_no_memory(struct batch *b)
{
    b->failed = true;
    return FAIL(b->d, MEMORY, "out of memory while finding instances");
}

bool scope_open(struct batch *b, uint32_t func, struct scope *out)
{
    const struct func *f = &b->g->funcs[func];
    uint32_t slots = 0;
    *out = (struct scope){.b = b, .func = func, .refused = VKC_NO_NODE};
    if (b->depth >= DEEPEST)
        return false;
    out->first = ARENA_ARRAY(b->arena, uint32_t, f->nnodes + 1);
    for (node_id i = 0; out->first && i < f->nnodes; i++) {
        out->first[i] = slots;
        slots += f->nodes[i].nouts;
    }
    out->need = ARENA_ARRAY(b->arena, uint8_t, slots + 1);
    out->row = ARENA_ARRAY(b->arena, struct value, slots + 1);
    out->all = ARENA_ARRAY(b->arena, struct value, slots + 1);
    out->may = ARENA_ARRAY(b->arena, uint8_t, f->nparams + 1);
    out->param = ARENA_ARRAY(b->arena, uint8_t, f->nparams + 1);
    out->given_row = ARENA_ARRAY(b->arena, struct value, f->nparams + 1);
    out->given_all = ARENA_ARRAY(b->arena, struct value, f->nparams + 1);
    out->loops = ARENA_ARRAY(b->arena, struct loop_scopes *, f->nnodes + 1);
    return (out->first && out->need && out->row && out->all && out->may && out->param &&
            out->given_row && out->given_all && out->loops) ||
           batch_no_memory(b);
}

void scope_need(struct scope *s, struct value v, uint8_t need)
{
    s->need[s->first[v.node] + v.out] |= need;
}

struct value scope_value(const struct scope *s, struct value v, uint8_t need)
{
    uint32_t slot = s->first[v.node] + v.out;
    return need == NEED_ROW ? s->row[slot] : s->all[slot];
}

/* What every instance may compute again, all of it: part of the kernel that reads it. */
static bool is_cheap(enum op op)
{
    enum op_class c = op_class(op);
    return c == CLASS_ELEMENTWISE || c == CLASS_SOURCE || c == CLASS_MOVEMENT || c == CLASS_INDEXED;
}

static bool node_needs(struct scope *s, node_id id)
{
    const struct func *f = &s->b->g->funcs[s->func];
    const struct node *n = func_node(f, id);
    uint8_t need = 0, want[VKC_MAX_RANK + 8];
    for (uint32_t o = 0; o < n->nouts; o++)
        need |= s->need[s->first[id] + o];
    if (!need)
        return true;
    if (n->op == OP_PARAMETER) {
        uint32_t i = (uint32_t)attr_int(n, ATTR_index, 0);
        s->param[i] |= need;
        if (need & ~s->may[i])
            s->refused = i;
        return s->refused == VKC_NO_NODE;
    }
    if (n->op == OP_WHILE && (need & NEED_ROW))
        return batch_loop_needs(s, id);
    if ((need & NEED_ALL) && !is_cheap(n->op))
        return false;
    for (uint32_t i = 0; (need & NEED_ALL) && i < n->nins; i++)
        scope_need(s, n->ins[i], NEED_ALL);
    if (!(need & NEED_ROW))
        return true;
    bool few = n->nins <= sizeof want;
    if (!few || n->nregions || !batch_row_needs(s->b, f, n, want))
        return false;
    for (uint32_t i = 0; i < n->nins; i++)
        scope_need(s, n->ins[i], want[i]);
    return true;
}

bool scope_needs(struct scope *s)
{
    for (node_id i = s->b->g->funcs[s->func].nnodes; i-- > 0;)
        if (!node_needs(s, i))
            return false;
    return true;
}

/* ---- making ---- */

bool scope_append(struct scope *s, const struct node *n, struct value *out)
{
    struct graph *g = s->b->g;
    struct node *made = func_append(g, &g->funcs[s->to], n->op, UINT32_MAX, n->nins, n->nouts,
                                    n->nattrs, n->nregions);
    if (!made)
        return batch_no_memory(s->b);
    if (n->nins)
        memcpy(made->ins, n->ins, n->nins * sizeof *n->ins);
    if (n->nattrs)
        memcpy(made->attrs, n->attrs, n->nattrs * sizeof *n->attrs);
    if (n->nregions)
        memcpy(made->regions, n->regions, n->nregions * sizeof *n->regions);
    memcpy(made->outs, n->outs, n->nouts * sizeof *n->outs);
    made->loc = n->loc;
    *out = (struct value){g->funcs[s->to].nnodes - 1, 0};
    return true;
}

bool scope_reshape(struct scope *s, struct value v, const struct tensor *to, struct value *out)
{
    struct tensor t = *to;
    *out = v;
    if (tensor_equal(func_tensor(&s->b->g->funcs[s->to], v), to))
        return true;
    struct node n = {.op = OP_RESHAPE, .nins = 1, .nouts = 1, .ins = &v, .outs = &t};
    return scope_append(s, &n, out);
}

static bool make_all(struct scope *s, const struct node *n, node_id id)
{
    struct node copy = *n;
    struct value *ins = ARENA_ARRAY(s->b->arena, struct value, n->nins + 1), made;
    if (!ins)
        return batch_no_memory(s->b);
    for (uint32_t i = 0; i < n->nins; i++)
        ins[i] = scope_value(s, n->ins[i], NEED_ALL);
    copy.ins = ins;
    if (!scope_append(s, &copy, &made))
        return false;
    for (uint32_t o = 0; o < n->nouts; o++)
        s->all[s->first[id] + o] = (struct value){made.node, o};
    return true;
}

static bool node_make(struct scope *s, node_id id)
{
    /* by value: functions may move when one is added */
    const struct node n = s->b->g->funcs[s->func].nodes[id];
    uint8_t need = 0, want[VKC_MAX_RANK + 8];
    struct value ins[VKC_MAX_RANK + 8];
    for (uint32_t o = 0; o < n.nouts; o++)
        need |= s->need[s->first[id] + o];
    if (!need)
        return true;
    if (n.op == OP_PARAMETER) {
        uint32_t i = (uint32_t)attr_int(&n, ATTR_index, 0);
        s->row[s->first[id]] = s->given_row[i];
        s->all[s->first[id]] = s->given_all[i];
        return true;
    }
    if (n.op == OP_WHILE && (need & NEED_ROW))
        return batch_loop_make(s, id);
    if ((need & NEED_ALL) && !make_all(s, &n, id))
        return false;
    if (!(need & NEED_ROW))
        return true;
    if (!batch_row_needs(s->b, &s->b->g->funcs[s->func], &n, want))
        return false;
    for (uint32_t i = 0; i < n.nins; i++)
        ins[i] = scope_value(s, n.ins[i], want[i]);
    return batch_row_make(s, &n, ins, &s->row[s->first[id]]);
}

bool scope_make(struct scope *s)
{
    for (node_id i = 0; i < s->b->g->funcs[s->func].nnodes; i++)
        if (!node_make(s, i))
            return false;
    return true;
}
