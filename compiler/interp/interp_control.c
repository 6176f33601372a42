/* The interpreter's while, cond, block and effects. Regions nest at most VKC_MAX_REGION_DEPTH
   deep. */
#include "interp/interp_impl.h"

#include <string.h>

static bool is_true(const struct array *a)
{
    return number_is_nonzero(a->tensor.type, number_load(a->tensor.type, a->data, 0));
}

/* Runs a region on arrays in a scratch arena and copies its results to arrays that hold room for
   them. */
static bool run_region(struct interp *x, uint32_t region, const struct array *ins,
                       struct array *results, uint32_t nresults)
{
    struct arena scratch;
    arena_scratch(&scratch, x->arena);
    struct array *found = ARENA_ARRAY(&scratch, struct array, nresults);
    bool ok = found ? interp_func(x->g, x->n->regions[region], &scratch, ins, found, x->d)
                    : interp_no_memory(x);
    for (uint32_t i = 0; ok && i < nresults; i++)
        memcpy(results[i].data, found[i].data, tensor_bytes(&results[i].tensor));
    arena_finish(&scratch);
    return ok;
}

static bool run_predicate(struct interp *x, uint32_t region, const struct array *ins, bool *out)
{
    const struct func *f = &x->g->funcs[x->n->regions[region]];
    unsigned char bytes[16] = {0};
    struct array result = {*func_tensor(f, f->results[0]), bytes};
    if (!run_region(x, region, ins, &result, 1))
        return false;
    *out = is_true(&result);
    return true;
}

/* Two sets of arrays hold the carried values in turn, so that memory does not grow with the
   iterations. */
static bool eval_while(struct interp *x)
{
    uint32_t n = x->n->nouts;
    struct array *now = ARENA_ARRAY(x->arena, struct array, n),
                 *next = ARENA_ARRAY(x->arena, struct array, n);
    if (!now || !next)
        return interp_no_memory(x);
    for (uint32_t i = 0; i < n; i++) {
        size_t bytes = tensor_bytes(&x->ins[i].tensor);
        now[i] = (struct array){x->ins[i].tensor, arena_copy(x->arena, x->ins[i].data, bytes)};
        next[i] = x->outs[i];
        if (!now[i].data)
            return interp_no_memory(x);
    }
    for (;;) {
        bool goes_on;
        if (!run_predicate(x, 0, now, &goes_on))
            return false;
        if (!goes_on)
            break;
        if (!run_region(x, 1, now, next, n))
            return false;
        struct array *old = now;
        now = next;
        next = old;
    }
    for (uint32_t i = 0; i < n; i++)
        x->outs[i].data = now[i].data;
    return true;
}

static bool eval_cond(struct interp *x)
{
    uint32_t last = x->n->nregions - 1, i = 0;
    for (; i < last; i += 2) {
        bool taken;
        if (!run_predicate(x, i, x->ins, &taken))
            return false;
        if (taken)
            return run_region(x, i + 1, x->ins, x->outs, x->n->nouts);
    }
    return run_region(x, last, x->ins, x->outs, x->n->nouts);
}

static bool eval_hook(struct interp *x)
{
    uint32_t hooked = (uint32_t)attr_int(x->n, ATTR_hooked, 0);
    for (uint32_t i = 0; i < x->n->nouts; i++)
        memcpy(x->outs[i].data, x->ins[hooked + i].data, tensor_bytes(&x->outs[i].tensor));
    return true;
}

bool interp_control(struct interp *x)
{
    switch (x->n->op) {
    case OP_WHILE: return eval_while(x);
    case OP_COND: return eval_cond(x);
    case OP_BLOCK: return run_region(x, 0, x->ins, x->outs, x->n->nouts);
    case OP_HOOK: return eval_hook(x);
    default:
        return FAIL(x->d, UNSUPPORTED, "n%u %s: the interpreter has no callbacks%s%s", x->n->label,
                    op_name(x->n->op), x->n->loc ? ", " : "", x->n->loc ? x->n->loc : "");
    }
}
