/* The rules of ops with regions or callbacks: what a region takes and gives back. */
#include "ir/ir_verify.h"

static const struct func *region(const struct verify *v, uint32_t i)
{
    return &v->g->funcs[v->n->regions[i]];
}

/* A result's tensor, or NULL if the region names none that exists: its own check says so later. */
static const struct tensor *region_result(const struct func *r, uint32_t i)
{
    struct value value = r->results[i];
    if (value.node >= r->nnodes || value.out >= r->nodes[value.node].nouts)
        return NULL;
    return &r->nodes[value.node].outs[value.out];
}

/* The region's parameters are the node's inputs. */
static bool takes_inputs(struct verify *v, uint32_t i)
{
    const struct func *r = region(v, i);
    if (r->nparams != v->n->nins)
        return BAD(v, "region %u takes %u parameters, the node has %u inputs", i, r->nparams,
                   v->n->nins);
    for (uint32_t k = 0; k < r->nparams; k++)
        if (!tensor_equal(&r->params[k], verify_in(v, k)))
            return BAD(v, "parameter %u of region %u is %s, input %u is %s", k, i,
                       verify_show(&r->params[k]).s, k, verify_show(verify_in(v, k)).s);
    return true;
}

/* The region's results are the node's outputs. */
static bool gives_outputs(struct verify *v, uint32_t i)
{
    const struct func *r = region(v, i);
    if (r->nresults != v->n->nouts)
        return BAD(v, "region %u gives %u results, the node has %u outputs", i, r->nresults,
                   v->n->nouts);
    for (uint32_t k = 0; k < r->nresults; k++) {
        const struct tensor *t = region_result(r, k);
        if (t && !tensor_equal(t, &v->n->outs[k]))
            return BAD(v, "result %u of region %u is %s, output %u is %s", k, i, verify_show(t).s,
                       k, verify_show(&v->n->outs[k]).s);
    }
    return true;
}

static bool gives_predicate(struct verify *v, uint32_t i)
{
    const struct func *r = region(v, i);
    if (r->nresults != 1)
        return BAD(v, "region %u gives %u results, a predicate is one", i, r->nresults);
    const struct tensor *t = region_result(r, 0);
    if (t && t->shape.rank != 0)
        return BAD(v, "region %u gives %s, a predicate is a scalar", i, verify_show(t).s);
    return true;
}

static bool check_while(struct verify *v)
{
    const struct node *n = v->n;
    if (n->nins != n->nouts)
        return BAD(v, "has %u inputs and %u outputs, both are the carried values", n->nins,
                   n->nouts);
    for (uint32_t i = 0; i < n->nins; i++)
        if (!tensor_equal(verify_in(v, i), &n->outs[i]))
            return BAD(v, "input %u is %s, output %u is %s: a carried value keeps its type", i,
                       verify_show(verify_in(v, i)).s, i, verify_show(&n->outs[i]).s);
    return takes_inputs(v, 0) && gives_predicate(v, 0) && takes_inputs(v, 1) && gives_outputs(v, 1);
}

static bool check_cond(struct verify *v)
{
    for (uint32_t i = 0; i < v->n->nregions; i++) {
        bool is_predicate = i % 2 == 0 && i + 1 < v->n->nregions;
        if (!takes_inputs(v, i) || !(is_predicate ? gives_predicate(v, i) : gives_outputs(v, i)))
            return false;
    }
    return true;
}

static bool check_block(struct verify *v)
{
    if (attr_text(v->n, ATTR_name)[0] == '\0')
        return BAD(v, "has an empty name");
    return takes_inputs(v, 0) && gives_outputs(v, 0);
}

/* The region of reduce and window_reduce: (element, accumulator) to accumulator, scalars of one
   type. */
static bool check_fold_region(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0), *init = verify_in(v, 1);
    const struct tensor scalar = {.type = a->type};
    if (!tensor_equal(init, &scalar))
        return BAD(v, "input 1 is %s, the initial value is %s", verify_show(init).s,
                   verify_show(&scalar).s);
    const struct func *r = region(v, 0);
    if (r->nparams != 2 || r->nresults != 1)
        return BAD(v, "region 0 takes %u parameters and gives %u results, needs 2 and 1",
                   r->nparams, r->nresults);
    const struct tensor *result = region_result(r, 0);
    if (!tensor_equal(&r->params[0], &scalar) || !tensor_equal(&r->params[1], &scalar) ||
        (result && !tensor_equal(result, &scalar)))
        return BAD(v, "region 0 must take %s and %s and give %s", verify_show(&scalar).s,
                   verify_show(&scalar).s, verify_show(&scalar).s);
    return true;
}

static bool check_fold(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    const int64_t *axes;
    uint32_t naxes;
    if (!check_fold_region(v) || !verify_axes(v, ATTR_axes, a->shape.rank, true, &axes, &naxes))
        return false;
    struct shape want = {0};
    for (uint32_t i = 0; i < a->shape.rank; i++) {
        bool reduces = attr_list_has(v->n, ATTR_axes, i);
        if (!reduces || attr_bool(v->n, ATTR_keep))
            want.dim[want.rank++] = reduces ? 1 : a->shape.dim[i];
    }
    return verify_out(v, 0, a->type, &want);
}

static bool check_window_reduce(struct verify *v)
{
    const struct tensor *a = verify_in(v, 0);
    struct shape want;
    return check_fold_region(v) && verify_window(v, &a->shape, true, &want) &&
           verify_out(v, 0, a->type, &want);
}

/* ---- effects ---- */

static bool check_callback(struct verify *v)
{
    int64_t callback = attr_int(v->n, ATTR_callback, 0), seq = attr_int(v->n, ATTR_seq, 0);
    if (callback < 0 || callback >= (int64_t)v->g->ncallbacks)
        return BAD(v, "callback is %lld, the graph has %u", (long long)callback, v->g->ncallbacks);
    return seq >= 0 || BAD(v, "seq is %lld, the least is 0", (long long)seq);
}

static bool check_hook(struct verify *v)
{
    const struct node *n = v->n;
    int64_t hooked = attr_int(n, ATTR_hooked, 0);
    if (!check_callback(v))
        return false;
    if (hooked < 0 || hooked > (int64_t)n->nins)
        return BAD(v, "hooked is %lld of %u inputs", (long long)hooked, n->nins);
    if (n->nouts != n->nins - (uint32_t)hooked)
        return BAD(v, "has %u outputs, passes %u inputs through", n->nouts,
                   n->nins - (uint32_t)hooked);
    for (uint32_t i = 0; i < n->nouts; i++) {
        const struct tensor *in = verify_in(v, (uint32_t)hooked + i);
        if (!verify_out(v, i, in->type, &in->shape))
            return false;
    }
    return true;
}

bool verify_control(struct verify *v)
{
    switch (v->n->op) {
    case OP_WHILE: return check_while(v);
    case OP_COND: return check_cond(v);
    case OP_BLOCK: return check_block(v);
    case OP_FOLD: return check_fold(v);
    case OP_WINDOW_REDUCE: return check_window_reduce(v);
    case OP_HOOK: return check_hook(v);
    case OP_RUNTIME_CALL: return check_callback(v);
    default:
        return FAIL(v->d, INTERNAL, "n%u %s: no rule to verify it by", v->n->label,
                    op_name(v->n->op));
    }
}
