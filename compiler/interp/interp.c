/* The driver of the interpreter, sources and element-wise ops. */
#include "base/cancel.h"
#include "interp/interp_impl.h"

#include <string.h>

bool interp_no_memory(struct interp *x)
{
    return FAIL(x->d, MEMORY, "n%u %s: no memory for the interpreter", x->n->label,
                op_name(x->n->op));
}

/* ---- element-wise ---- */

/* What the row's function of the operands' kind gives; comparisons and tests give 1 or 0 as any
   kind. */
static union number apply(const struct op_info *o, enum vkc_kind kind, uint32_t width,
                          const union number a[3])
{
    union number r = {0};
    switch (kind) {
    case KIND_FLOAT: r.f = o->ref_float(a[0].f, a[1].f, a[2].f); break;
    case KIND_SINT: r.s = o->ref_sint(a[0].s, a[1].s, a[2].s, width); break;
    case KIND_UINT: r.u = o->ref_uint(a[0].u, a[1].u, a[2].u, width); break;
    case KIND_COMPLEX: r.c = o->ref_complex(a[0].c, a[1].c, a[2].c); break;
    }
    return r;
}

/* The row's result as a number of the output's type. */
static union number to_output(enum vkc_type operand, union number r, enum op_rule rule,
                              enum vkc_type out)
{
    if (rule == RULE_COMPARE || rule == RULE_TEST) {
        r.u = number_is_nonzero(operand, r);
    } else if ((rule == RULE_ABS || rule == RULE_PART) && type_is_complex(operand) &&
               type_is_float(out)) {
        r.f = creal(r.c);
    }
    return r;
}

static void eval_select(struct interp *x, int64_t size)
{
    const struct array *pred = &x->ins[0];
    size_t bytes = type_bytes(x->outs[0].tensor.type);
    for (int64_t i = 0; i < size; i++) {
        bool yes =
            number_is_nonzero(pred->tensor.type, number_load(pred->tensor.type, pred->data, i));
        const char *from = x->ins[yes ? 1 : 2].data;
        memcpy((char *)x->outs[0].data + (size_t)i * bytes, from + (size_t)i * bytes, bytes);
    }
}

static void eval_logical(struct interp *x, int64_t size)
{
    for (int64_t i = 0; i < size; i++) {
        union number a[3] = {{0}, {0}, {0}};
        for (uint32_t k = 0; k < 2; k++) {
            const struct array *in = &x->ins[k];
            a[k].u = number_is_nonzero(in->tensor.type, number_load(in->tensor.type, in->data, i));
        }
        number_store(TYPE_U8, x->outs[0].data, i, apply(&vkc_ops[x->n->op], KIND_UINT, 8, a));
    }
}

static void eval_convert(struct interp *x, int64_t size)
{
    enum vkc_type from = x->ins[0].tensor.type, to = x->outs[0].tensor.type;
    for (int64_t i = 0; i < size; i++)
        number_store(to, x->outs[0].data, i,
                     number_convert(from, number_load(from, x->ins[0].data, i), to));
}

/* Bytes as they are, except that types under 8 bits keep their extension. */
static void eval_bitcast(struct interp *x, int64_t size)
{
    enum vkc_type to = x->outs[0].tensor.type;
    memcpy(x->outs[0].data, x->ins[0].data, (size_t)size * type_bytes(to));
    for (int64_t i = 0; vkc_types[to].bits < 8 && i < size; i++)
        number_store(to, x->outs[0].data, i, number_load(to, x->outs[0].data, i));
}

static void eval_rows(struct interp *x, int64_t size)
{
    const struct op_info *o = &vkc_ops[x->n->op];
    enum vkc_type type = x->ins[0].tensor.type, out = x->outs[0].tensor.type;
    for (int64_t i = 0; i < size; i++) {
        union number a[3] = {{0}, {0}, {0}};
        for (uint32_t k = 0; k < x->n->nins; k++)
            a[k] = number_load(type, x->ins[k].data, i);
        union number r = apply(o, vkc_types[type].kind, vkc_types[type].bits, a);
        number_store(out, x->outs[0].data, i, to_output(type, r, o->rule, out));
    }
}

bool interp_elementwise(struct interp *x)
{
    int64_t size = shape_size(&x->outs[0].tensor.shape);
    switch (vkc_ops[x->n->op].rule) {
    case RULE_SELECT: eval_select(x, size); return true;
    case RULE_LOGICAL: eval_logical(x, size); return true;
    case RULE_CONVERT: eval_convert(x, size); return true;
    case RULE_BITCAST: eval_bitcast(x, size); return true;
    default: eval_rows(x, size); return true;
    }
}

/* ---- sources ---- */

static void eval_constant(struct interp *x)
{
    const struct attr *bits = node_attr(x->n, ATTR_bits);
    struct array *out = &x->outs[0];
    size_t bytes = type_bytes(out->tensor.type);
    unsigned char element[16];
    for (size_t k = 0; k < 16; k++)
        element[k] = (unsigned char)(bits->bits[k / 8] >> k % 8 * 8);
    if (vkc_types[out->tensor.type].bits < 8)
        number_store(out->tensor.type, element, 0, number_load(out->tensor.type, element, 0));
    for (int64_t i = 0, size = shape_size(&out->tensor.shape); i < size; i++)
        memcpy((char *)out->data + (size_t)i * bytes, element, bytes);
}

/* iota counts along an axis or flat; eye is 1 where the last two indices are equal. */
static void eval_generated(struct interp *x)
{
    struct array *out = &x->outs[0];
    struct walk w = walk_dense(&out->tensor.shape);
    uint32_t rank = out->tensor.shape.rank;
    int64_t axis = attr_int(x->n, ATTR_axis, -1);
    do {
        union number count = {0};
        if (x->n->op == OP_EYE)
            count.u = w.at[rank - 1] == w.at[rank - 2];
        else
            count.s = axis < 0 ? w.offset : w.at[axis];
        number_store(out->tensor.type, out->data, w.offset,
                     number_convert(TYPE_U64, count, out->tensor.type));
    } while (walk_next(&w));
}

static bool eval_source(struct interp *x)
{
    if (x->n->op == OP_CONSTANT) {
        eval_constant(x);
    } else if (x->n->op == OP_LITERAL) {
        const struct literal *l = &x->g->literals[attr_int(x->n, ATTR_literal, 0)];
        memcpy(x->outs[0].data, l->data, l->bytes);
    } else if (x->n->op == OP_IOTA || x->n->op == OP_EYE) {
        eval_generated(x);
    } else {
        return FAIL(x->d, USAGE, "n%u %s: has no value outside of its function", x->n->label,
                    op_name(x->n->op));
    }
    return true;
}

/* ---- nodes and functions ---- */

static bool allocate_outputs(struct interp *x)
{
    for (uint32_t i = 0; i < x->n->nouts; i++) {
        x->outs[i] =
            (struct array){x->n->outs[i], arena_alloc(x->arena, tensor_bytes(&x->n->outs[i]), 1)};
        if (!x->outs[i].data)
            return interp_no_memory(x);
    }
    return true;
}

bool interp_fold(const struct graph *g, const struct node *n, struct arena *a,
                 const struct array *inputs, struct array *outputs, interp_call *call, void *with,
                 struct diag *d)
{
    struct interp x = {.g = g,
                       .n = n,
                       .arena = a,
                       .ins = inputs,
                       .outs = outputs,
                       .d = d,
                       .call = call,
                       .with = with};
    return allocate_outputs(&x) && interp_reduce(&x);
}

bool interp_node(const struct graph *g, const struct node *n, struct arena *a,
                 const struct array *inputs, struct array *outputs, struct diag *d)
{
    struct interp x = {.g = g, .n = n, .arena = a, .ins = inputs, .outs = outputs, .d = d};
    if (!allocate_outputs(&x))
        return false;
    if (op_is_made(n->op))
        return interp_made(&x);
    switch (op_class(n->op)) {
    case CLASS_ELEMENTWISE: return interp_elementwise(&x);
    case CLASS_SOURCE: return eval_source(&x);
    case CLASS_MOVEMENT:
    case CLASS_INDEXED: return interp_move(&x);
    case CLASS_SCATTER:
        return n->op == OP_INDEXED_ADD || n->op == OP_INDEXED_PUT ? interp_move(&x)
                                                                  : interp_reduce(&x);
    case CLASS_REDUCE:
    case CLASS_ARGREDUCE:
    case CLASS_FOLD:
    case CLASS_WINDOW: return interp_reduce(&x);
    case CLASS_CONTRACT:
    case CLASS_SOLVE: return interp_contract(&x);
    case CLASS_SORT:
    case CLASS_TRANSFORM: return interp_special(&x);
    case CLASS_CONTROL:
    case CLASS_EFFECT: return interp_control(&x);
    case CLASS_ORDER:
    case CLASS_MERGE:
    case CLASS_DIGITS:
    case CLASS_SCAN:
    case CLASS_PANEL:
    case CLASS_PIVOT:
    case CLASS_REFLECT:
    case CLASS_ROTATE:
    case CLASS_TURN:
    case CLASS_SINGULAR:
    case CLASS_SCORES:
    case CLASS_ATTEND:
    case CLASS_NONE: break;
    }
    return FAIL(d, INTERNAL, "n%u has no op", n->label);
}

bool interp_func(const struct graph *g, uint32_t func, struct arena *a, const struct array *inputs,
                 struct array *outputs, struct diag *d)
{
    const struct func *f = &g->funcs[func];
    uint32_t most = 1;
    for (uint32_t i = 0; i < f->nnodes; i++)
        most = f->nodes[i].nins > most ? f->nodes[i].nins : most;
    struct array **values = ARENA_ARRAY(a, struct array *, f->nnodes),
                 *ins = ARENA_ARRAY(a, struct array, most);
    if (!values || !ins)
        return FAIL(d, MEMORY, "no memory to interpret function %u", func);
    for (uint32_t i = 0; i < f->nnodes; i++) {
        const struct node *n = &f->nodes[i];
        if (!cancel_check(a->cancel, d))
            return false;
        values[i] = ARENA_ARRAY(a, struct array, n->nouts);
        if (!values[i])
            return FAIL(d, MEMORY, "no memory to interpret function %u", func);
        if (n->op == OP_PARAMETER) {
            values[i][0] = inputs[attr_int(n, ATTR_index, 0)];
            continue;
        }
        for (uint32_t k = 0; k < n->nins; k++)
            ins[k] = values[n->ins[k].node][n->ins[k].out];
        if (!interp_node(g, n, a, ins, values[i], d))
            return false;
    }
    for (uint32_t i = 0; i < f->nresults; i++)
        outputs[i] = values[f->results[i].node][f->results[i].out];
    return true;
}

bool interp_run(const struct graph *g, uint32_t func, struct arena *a, const struct array *inputs,
                struct array *outputs, struct diag *d)
{
    if (func >= g->nfuncs)
        return FAIL(d, USAGE, "there is no function %u, the graph has %u", func, g->nfuncs);
    const struct func *f = &g->funcs[func];
    for (uint32_t i = 0; i < f->nparams; i++) {
        char wanted[320], found[320];
        tensor_print(wanted, sizeof wanted, &f->params[i]);
        tensor_print(found, sizeof found, &inputs[i].tensor);
        if (!tensor_equal(&inputs[i].tensor, &f->params[i]))
            return FAIL(d, USAGE, "input %u is %s, the function takes %s", i, found, wanted);
    }
    if (!interp_func(g, func, a, inputs, outputs, d))
        return false;
    for (uint32_t i = 0; i < f->nresults; i++) {
        outputs[i].data = arena_copy(a, outputs[i].data, tensor_bytes(&outputs[i].tensor));
        if (!outputs[i].data)
            return FAIL(d, MEMORY, "no memory for output %u", i);
    }
    return true;
}
