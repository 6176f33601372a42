#include "codegen/family/columns.h"

struct columns columns_of(const struct func *f, const struct kernel *k)
{
    const struct tensor *in = func_tensor(f, func_node(f, k->heroes[0])->ins[0]);
    return (struct columns){.type = in->type,
                            .matrices = in->shape.dim[0],
                            .rows = in->shape.dim[1],
                            .width = in->shape.dim[2]};
}

void columns_open(struct emit *e, const struct columns *c, int64_t wide, const struct ix **at)
{
    at[0] = ix_var(e->ix, "o", c->matrices, 0);
    for (int i = 0; i < 3; i++)
        emit_open(e);
    at[1] = ix_var(e->ix, "i", c->rows, e->scope->depth);
    at[2] = ix_var(e->ix, "j", wide, e->scope->depth);
    e->floor = e->scope->depth;
}

const char *columns_close(struct emit *e)
{
    e->floor = 0;
    const char *text = emit_take(e);
    emit_take(e);
    emit_take(e);
    return text;
}

const char *columns_load(struct emit *e, const struct columns *c, const char *to)
{
    const struct ix *at[VKC_MAX_RANK];
    columns_open(e, c, c->width, at);
    const char *x = emit_value(e, func_node(e->func, e->kernel->heroes[0])->ins[0], at).text;
    if (x)
        emit_line(e, e->scope->depth, "%s = %s;", to, x);
    return columns_close(e);
}

void columns_store(struct emit *e, const struct columns *c, const struct ix *const *at,
                   const char *text)
{
    const struct node *n = func_node(e->func, e->kernel->heroes[0]);
    emit_results(e, n, e->kernel->heroes[0], ix_linear(e->ix, &n->outs[0].shape, at),
                 emit_type(e, c->type), text);
}

/* ---- columns of struct family ---- */

bool columns_start(const struct unit *u, struct kernel *k, struct value v, enum op_class class)
{
    const struct node *n = func_node(unit_func(u), v.node);
    if (op_class(n->op) != class)
        return false;
    const struct shape *s = &func_tensor(unit_func(u), n->ins[0])->shape;
    k->space.columns = (struct columns_space){s->dim[0], s->dim[1], s->dim[2]};
    return true;
}

int64_t columns_width(const struct kernel *k)
{
    return k->space.columns.width;
}

void columns_print_space(const struct kernel *k, struct str *out)
{
    const struct columns_space *s = &k->space.columns;
    str_printf(out, " %lld x %lld x %lld", (long long)s->matrices, (long long)s->rows,
               (long long)s->width);
}
