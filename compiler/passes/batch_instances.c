/* Does      finds out whether a function, such as the entry, computes every row of its results,
             along a first axis that all of them have, from rows of its parameters and what all rows
             share (batch.def has the rules), and if so makes the function that computes one: an
             instance
   Requires  to come after all passes, which renumber functions; it is not in their table, since the
             graph that they give stays as it is: only a plan asks for it
   Cost      linear */
#include "passes/batch.h"
#include "passes/instances.h"

/* an instance is a workgroup: every device takes that many along x */
enum { MOST_NODES = 6000, MOST_COUNT = 65535 };

/* Whether rows of the tensor are whole words, so that no two instances write the same one. */
static bool row_is_words(const struct tensor *t)
{
    struct tensor row = tensor_row(t);
    return shape_size(&row.shape) * type_bytes(t->type) % 4 == 0 &&
           shape_size(&t->shape) <= INT32_MAX;
}

/* A parameter of the body for what is needed of parameter `param` of the function. */
static bool add_arg(struct scope *s, uint32_t param, bool is_row, struct value *out)
{
    struct graph *g = s->b->g;
    struct instances *x = s->b->found;
    struct func *f = &g->funcs[s->to];
    struct tensor t = g->funcs[s->func].params[param];
    struct attr at;
    if (is_row)
        t = tensor_row(&t);
    struct node n = {.op = OP_PARAMETER, .nouts = 1, .nattrs = 1, .outs = &t, .attrs = &at};
    attr_set_int(&at, ATTR_index, x->nargs);
    f->params[x->nargs] = t;
    x->args[x->nargs++] = (struct instance_arg){param, is_row};
    return scope_append(s, &n, out);
}

/* Room for the parameters and results, and the parameters. */
static bool add_args(struct scope *s)
{
    struct graph *g = s->b->g;
    const struct func whole = g->funcs[s->func];
    struct instances *x = s->b->found;
    struct func *f = &g->funcs[s->to];
    uint32_t most = 2 * whole.nparams + 1; /* of one both a row and all */
    f->params = ARENA_ARRAY(g->arena, struct tensor, most);
    f->param_names = ARENA_ARRAY(g->arena, const char *, most);
    f->results = ARENA_ARRAY(g->arena, struct value, whole.nresults + 1);
    x->args = ARENA_ARRAY(g->arena, struct instance_arg, most);
    if (!f->params || !f->param_names || !f->results || !x->args)
        return batch_no_memory(s->b);
    for (uint32_t i = 0; i < whole.nparams; i++) {
        if ((s->param[i] & NEED_ROW) && !add_arg(s, i, true, &s->given_row[i]))
            return false;
        if ((s->param[i] & NEED_ALL) && !add_arg(s, i, false, &s->given_all[i]))
            return false;
    }
    g->funcs[s->to].nparams = x->nargs;
    return true;
}

static bool has_rows(const struct tensor *t, int64_t count)
{
    return t->shape.rank > 0 && t->shape.dim[0] == count && row_is_words(t);
}

static bool function_needs(struct batch *b, const struct func *f, struct scope *s)
{
    if (f->nresults == 0 || f->nnodes > MOST_NODES || func_has_effect(b->g, b->func) ||
        func_tensor(f, f->results[0])->shape.rank == 0)
        return false;
    b->count = func_tensor(f, f->results[0])->shape.dim[0];
    if (b->count < 2 || b->count > MOST_COUNT || !scope_open(b, b->func, s))
        return false;
    for (uint32_t i = 0; i < f->nparams; i++)
        s->may[i] = has_rows(&f->params[i], b->count) ? NEED_ROW | NEED_ALL : NEED_ALL;
    for (uint32_t i = 0; i < f->nresults; i++) {
        if (!has_rows(func_tensor(f, f->results[i]), b->count))
            return false;
        scope_need(s, f->results[i], NEED_ROW);
    }
    if (!scope_needs(s))
        return false;
    for (uint32_t i = 0; i < f->nparams; i++)
        if (s->param[i] & NEED_ROW)
            return true;
    return false; /* the rows differ in their number at most */
}

static bool make_body(struct batch *b, struct scope *s)
{
    struct graph *g = b->g;
    s->to = graph_add_func(g);
    if (s->to == UINT32_MAX)
        return batch_no_memory(b);
    if (!add_args(s) || !scope_make(s))
        return false;
    const struct func whole = g->funcs[b->func];
    struct func *f = &g->funcs[s->to];
    for (uint32_t i = 0; i < whole.nresults; i++)
        f->results[f->nresults++] = scope_value(s, whole.results[i], NEED_ROW);
    b->found->body = s->to;
    b->found->count = b->count;
    return true;
}

bool batch_function(struct graph *g, uint32_t func, struct instances *out, struct diag *d)
{
    struct arena scratch;
    struct batch b = {.g = g, .func = func, .found = out, .arena = &scratch, .d = d};
    struct scope s;
    uint32_t nfuncs = g->nfuncs;
    *out = (struct instances){0};
    arena_scratch(&scratch, g->arena);
    const struct func whole = g->funcs[func];
    if (!function_needs(&b, &whole, &s) || !make_body(&b, &s)) {
        g->nfuncs = nfuncs;
        *out = (struct instances){0};
    }
    arena_finish(&scratch);
    return !b.failed;
}

bool batch_instances(struct graph *g, struct diag *d)
{
    g->instances = (struct instances){0};
    return g->ndonations > 0 || batch_function(g, g->entry, &g->instances, d);
}
