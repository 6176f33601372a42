/* Rotations that make vectors orthogonal, found on the matrix of their products: jacobi. A matrix
   is a workgroup's, in shared memory, or on CPUs a few threads', each with the products and a part
   of the turns in registers. The algorithm is fixed text: jacobi.glsl with jacobi_group.glsl or
   jacobi_alone.comp. This file generates the loads of the products, and the stores of the turns. */
#include "runtime/bundle.h"
#include "codegen/family/columns.h"
#include "codegen/family/schedule.h"
#include "codegen/template.h"
#include "target/limits.h"

static const struct node *hero_of(struct emit *e)
{
    return func_node(e->func, e->kernel->heroes[0]);
}

static const char *load_text(struct emit *e, const struct columns *c)
{
    const struct ix *at[VKC_MAX_RANK];
    columns_open(e, c, c->width, at);
    const char *x = emit_value(e, hero_of(e)->ins[0], at).text;
    if (x)
        emit_line(e, e->scope->depth,
                  e->unit->tuning->jacobi_parts
                      ? "products[place(i, j)] = %s;"
                      : "products[place_of(i) * WIDTH + place_of(j)] = %s;",
                  x);
    return columns_close(e);
}

static const char *store_text(struct emit *e, const struct columns *c)
{
    const struct ix *at[VKC_MAX_RANK];
    columns_open(e, c, c->width, at);
    bool is_alone = e->unit->tuning->jacobi_parts != 0;
    columns_store(e, c, at, is_alone ? "turns[l]" : "turns[i * WIDTH + place_of(j)]");
    return columns_close(e);
}

static bool kernel_jacobi(struct emit *e)
{
    struct kernel *k = e->kernel;
    const struct node *n = hero_of(e);
    struct columns c = columns_of(e->func, k);
    enum vkc_type real = type_part(c.type);
    if (e->unit->workgroup)
        return emit_fail(e, "n%u %s takes a workgroup of its own", n->label, op_name(n->op)), false;
    uint32_t parts = e->unit->tuning->jacobi_parts;
    int64_t sweeps = attr_int(n, ATTR_sweeps, 0);
    if (!parts)
        k->shared_bytes = jacobi_shared_bytes(c.width, type_bytes(c.type), type_bytes(real));
    e->iterations = parts ? jacobi_alone_iterations(c.width, parts, sweeps)
                          : jacobi_iterations(c.width, k->schedule.group, sweeps);
    emit_count(e, (uint64_t)(4 * c.width)); /* an element of the turns, in a sweep */
    emit_type(e, real);
    emit_call(e, "nx_sqrt", real);
    emit_call(e, "nx_div", real);
    if (type_is_complex(c.type)) {
        emit_call(e, "nx_mul", c.type);
        emit_call(e, "nx_conj", c.type);
    }
    e->load = load_text(e, &c);
    e->store = store_text(e, &c);
    return e->failed == NULL;
}

/* ---- the row ---- */

static void schedule(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    const struct columns_space *s = &k->space.columns;
    uint32_t parts = u->tuning->jacobi_parts;
    (void)most_unroll;
    k->schedule = (struct schedule){
        .group = parts ? JACOBI_ALONE_GROUP
                       : jacobi_threads(s->width, u->tuning->group, u->target->max_invocations)};
    schedule_spread(k, parts ? (s->matrices * parts + JACOBI_ALONE_GROUP - 1) / JACOBI_ALONE_GROUP
                             : s->matrices);
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
static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    const struct node *n = hero_of(e);
    struct columns c = columns_of(e->func, e->kernel);
    enum vkc_type real = type_part(c.type);
    bool is_complex = type_is_complex(c.type);
    bool across = attr_bool(n, ATTR_across), absolute = attr_bool(n, ATTR_absolute);
    const char *type = emit_type(e, c.type),
               *quotient = real == TYPE_F64 ? "nx_div(g.%c, size)" : "g.%c / size";
    double eps = real == TYPE_F64 ? 0x1p-52 : 0x1p-23;
    text_add_number(e, t, "WIDTH", c.width);
    text_add_number(e, t, "SWEEPS", attr_int(n, ATTR_sweeps, 0));
    text_add_number(e, t, "LEAST", across ? c.width / 2 : 1);
    text_add(t, "QUICK", real == TYPE_F64 ? "false" : "true");
    text_add(t, "TYPE", type);
    text_add(t, "REAL", emit_type(e, real));
    text_add(t, "RE", is_complex ? ".x" : "");
    text_add(t, "ZERO", arena_printf(e->arena, "%s(0.0)", type));
    text_add(t, "ONE", is_complex ? arena_printf(e->arena, "%s(1.0, 0.0)", type) : "1.0");
    text_add(t, "CONJUGATE", is_complex ? "nx_conj(x)" : "x");
    text_add(t, "SQUARE", is_complex ? "g.x * g.x + g.y * g.y" : "g * g");
    text_add(t, "PHASE",
             is_complex
                 ? arena_printf(e->arena, "%s(%s, %s)", type, arena_printf(e->arena, quotient, 'x'),
                                arena_printf(e->arena, quotient, 'y'))
                 : "1.0");
    text_add(t, "SIZE", is_complex ? "sqrt(square)" : "g");
    text_add(t, "ROOT", is_complex ? "nx_sqrt(square)" : "g");
    text_add(t, "TURNED",
             is_complex ? e->unit->tuning->jacobi_parts ? "nx_mul(phase, x)"
                                                        : "nx_mul(phases[rotation], x)"
                        : "x");
    const char *least = number(e, real, eps * eps);
    text_add(t, "TURNING",
             absolute ? arena_printf(e->arena, "square > %s", least)
                      : arena_printf(e->arena, "square > %s * a * d && a > %s && d > %s",
                                     number(e, real, eps * eps * (double)attr_int(n, ATTR_rows, 0)),
                                     least, least));
    text_add(t, "LOAD", e->load);
    text_add(t, "STORE", e->store);
    text_add_number(e, t, "GROUPS", c.matrices);
    if (e->unit->tuning->jacobi_parts) {
        text_add_number(e, t, "PARTS", e->unit->tuning->jacobi_parts);
        return text_fill(e, t, "jacobi_alone.comp", out);
    }
    return text_fill(e, t, "jacobi.comp", out);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    return columns_start(u, k, v, CLASS_ROTATE);
}

static int64_t elements(const struct kernel *k)
{
    const struct columns_space *s = &k->space.columns;
    return s->matrices * s->width * s->width;
}

const struct family jacobi_family = {
    .name = "jacobi",
    .places = elements,
    .length = columns_width,
    .starts = starts,
    .has_place = has_places,
    .print_space = columns_print_space,
    .schedule = schedule,
    .elements_at_once = one_element,
    .write = kernel_jacobi,
    .repeats = elements,
    .body = no_body,
    .fill = fill,
};
