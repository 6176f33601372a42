/* Vectors made orthogonal by rotations, some of them per workgroup: jacobi. The algorithm is fixed
   text, jacobi.glsl. This file generates the loads, and the stores of the new vectors. */
#include <string.h>

#include "runtime/bundle.h"
#include "codegen/family/family.h"
#include "codegen/family/schedule.h"
#include "codegen/template.h"
#include "target/limits.h"

struct jacobi {
    enum vkc_type type;
    int64_t matrices, vectors, length; /* vectors of so many elements */
    int64_t rows;                      /* elements that are made orthogonal */
    int64_t width, sweeps;             /* vectors of a workgroup; of their pairs */
};

static struct jacobi jacobi_of(const struct func *f, const struct node *n)
{
    const struct tensor *in = func_tensor(f, n->ins[0]);
    return (struct jacobi){in->type,
                           in->shape.dim[0],
                           in->shape.dim[1],
                           in->shape.dim[2],
                           attr_int(n, ATTR_rows, 0),
                           attr_int(n, ATTR_width, 0),
                           attr_int(n, ATTR_sweeps, 0)};
}

/* A line or two at `depth`, without the last line's end, which the template has. */
static const char *taken(struct emit *e)
{
    const char *text = emit_take(e);
    size_t n = strlen(text);
    return arena_printf(e->arena, "%.*s", n ? (int)n - 1 : 0, text);
}

static const char *place_text(struct emit *e, const struct jacobi *j, const struct node *n)
{
    emit_open(e);
    emit_open(e);
    const struct ix *at = ix_var(e->ix, "at", j->vectors, e->scope->depth);
    emit_line(e, e->scope->depth, "uint at = group %% %lldu * WIDTH + l;",
              (long long)(j->vectors / j->width));
    const char *x = emit_value(e, n->ins[1], &at).text;
    if (x)
        emit_line(e, e->scope->depth, "place[l] = uint(%s);", x);
    const char *text = taken(e);
    emit_take(e);
    return text;
}

/* Begins the statements for element t of vector i of matrix o. */
static void open_element(struct emit *e, const struct jacobi *j, const struct ix **at)
{
    for (int i = 0; i < 3; i++)
        emit_open(e);
    uint32_t depth = e->scope->depth;
    at[0] = ix_var(e->ix, "o", j->matrices, depth);
    at[1] = ix_var(e->ix, "i", j->vectors, depth);
    at[2] = ix_var(e->ix, "t", j->length, depth);
    e->floor = depth;
}

static const char *close_element(struct emit *e)
{
    e->floor = 0;
    const char *text = taken(e);
    emit_take(e);
    emit_take(e);
    return text;
}

static const char *load_text(struct emit *e, const struct jacobi *j, const struct node *n)
{
    const struct ix *at[VKC_MAX_RANK];
    open_element(e, j, at);
    const char *x = emit_value(e, n->ins[0], at).text;
    if (x)
        emit_line(e, e->scope->depth, "x = %s;", x);
    return close_element(e);
}

static const char *store_text(struct emit *e, const struct jacobi *j, const struct node *n)
{
    const struct ix *at[VKC_MAX_RANK];
    open_element(e, j, at);
    emit_results(e, n, e->kernel->heroes[0], ix_linear(e->ix, &n->outs[0].shape, at),
                 emit_type(e, j->type), "combined(l / CHUNK, l % CHUNK)");
    return close_element(e);
}

static bool kernel_jacobi(struct emit *e)
{
    struct kernel *k = e->kernel;
    const struct node *n = func_node(e->func, k->heroes[0]);
    struct jacobi j = jacobi_of(e->func, n);
    enum vkc_type real = type_part(j.type);
    if (e->unit->workgroup)
        return emit_fail(e, "n%u %s takes a workgroup of its own", n->label, op_name(n->op)), false;
    k->shared_bytes = jacobi_shared_bytes(j.width, type_bytes(j.type), type_bytes(real));
    e->iterations = jacobi_iterations(j.width, k->schedule.group, j.rows, j.length, j.sweeps);
    emit_count(e, (uint64_t)(4 * j.width)); /* an element: its products, and the new one */
    emit_type(e, real);
    emit_call(e, "nx_sqrt", real);
    emit_call(e, "nx_div", real);
    if (type_is_complex(j.type)) {
        emit_call(e, "nx_mul", j.type);
        emit_call(e, "nx_conj", j.type);
    }
    e->inner = place_text(e, &j, n);
    e->load = load_text(e, &j, n);
    e->store = store_text(e, &j, n);
    return e->failed == NULL;
}

/* ---- the row ---- */

static void schedule(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    const struct node *n = func_node(unit_func(u), k->heroes[0]);
    struct jacobi j = jacobi_of(unit_func(u), n);
    (void)most_unroll;
    k->schedule = (struct schedule){.group = min32(u->tuning->group, u->target->max_invocations)};
    schedule_spread(k, j.matrices * (j.vectors / j.width));
}

static const char *no_body(struct emit *e)
{
    (void)e;
    return "";
}

static const char *number(struct emit *e, enum vkc_type real, double x)
{
    return arena_printf(e->arena, real == TYPE_F64 ? "%.17glf" : "%.9g", x);
}

/* What jacobi.glsl leaves open. Of squares: cosines that are rounding, and lengths that are. */
static void fill_steps(struct emit *e, const struct jacobi *j, struct kernel_text *t)
{
    enum vkc_type real = type_part(j->type);
    bool is_complex = type_is_complex(j->type);
    const char *type = emit_type(e, j->type);
    double eps = real == TYPE_F64 ? 0x1p-52 : 0x1p-23;
    text_add_number(e, t, "WIDTH", j->width);
    text_add_number(e, t, "CHUNK", JACOBI_CHUNK);
    text_add_number(e, t, "EACH", j->width * j->width / e->kernel->schedule.group);
    text_add_number(e, t, "SWEEPS", j->sweeps);
    text_add(t, "LOOP", e->unit->tuning->unroll_hint ? "" : "[[dont_unroll]] ");
    text_add_number(e, t, "ROWS", j->rows);
    text_add_number(e, t, "LENGTH", j->length);
    text_add(t, "TYPE", type);
    text_add(t, "REAL", emit_type(e, real));
    text_add(t, "RE", is_complex ? ".x" : "");
    text_add(t, "ZERO", arena_printf(e->arena, "%s(0.0)", type));
    text_add(t, "ONE", is_complex ? arena_printf(e->arena, "%s(1.0, 0.0)", type) : "1.0");
    text_add(t, "PRODUCT", is_complex ? "nx_mul(x, y)" : "x * y");
    text_add(t, "CONJUGATE", is_complex ? "nx_conj(x)" : "x");
    text_add(t, "SQUARE", is_complex ? "g.x * g.x + g.y * g.y" : "g * g");
    text_add(t, "PHASE",
             is_complex ? arena_printf(e->arena, "%s(nx_div(g.x, size), nx_div(g.y, size))", type)
                        : "g < 0.0 ? -1.0 : 1.0");
    text_add(t, "TOLERANCE", number(e, real, eps * eps * (double)j->rows));
    text_add(t, "FLOOR", number(e, real, eps * eps));
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    const struct node *n = func_node(e->func, e->kernel->heroes[0]);
    struct jacobi j = jacobi_of(e->func, n);
    fill_steps(e, &j, t);
    text_add(t, "PLACE", e->inner);
    text_add(t, "LOAD", e->load);
    text_add(t, "STORE", e->store);
    text_add_number(e, t, "PARTS", j.vectors / j.width);
    text_add_number(e, t, "GROUPS", j.matrices * (j.vectors / j.width));
    return text_fill(e, t, "jacobi.comp", out);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    if (op_class(n->op) != CLASS_ROTATE)
        return false;
    struct jacobi j = jacobi_of(unit_func(u), n);
    k->space.jacobi = (struct jacobi_space){j.matrices * j.vectors, j.length};
    return true;
}

static int64_t elements(const struct kernel *k)
{
    return k->space.jacobi.vectors * k->space.jacobi.length;
}

static int64_t length(const struct kernel *k)
{
    return k->space.jacobi.length;
}

static void print_space(const struct kernel *k, struct str *out)
{
    str_printf(out, " %lld x %lld", (long long)k->space.jacobi.vectors, (long long)length(k));
}

const struct family jacobi_family = {
    .name = "jacobi",
    .places = elements,
    .length = length,
    .starts = starts,
    .has_place = has_places,
    .print_space = print_space,
    .schedule = schedule,
    .elements_at_once = one_element,
    .write = kernel_jacobi,
    .repeats = elements,
    .body = no_body,
    .fill = fill,
};
