/* Rotations that make vectors orthogonal, found on the matrix of their products: jacobi. A matrix
   is a workgroup's, in shared memory, by pairs of rows where it is real and to be diagonal; or on
   CPUs a few threads', each with the products and a part of the turns in registers. The algorithm
   is fixed text: jacobi.glsl with jacobi_group.glsl, jacobi_pairs.glsl, jacobi_alone.comp or
   jacobi_across.comp. This file generates the loads of the products and the stores of the
   turns. */
#include <math.h>

#include "runtime/bundle.h"
#include "codegen/family/columns.h"
#include "codegen/family/jacobi.h"
#include "codegen/family/schedule.h"
#include "codegen/template.h"
#include "target/limits.h"

static const struct node *hero_of(struct emit *e)
{
    return func_node(e->func, e->kernel->heroes[0]);
}

/* Who has the products; ACROSS is ALONE with straight code, whose arrays turn. */
enum way { GROUP, PAIRS, ALONE, ACROSS };

static enum way way_alone(const struct tuning *t, const struct node *n)
{
    return attr_bool(n, ATTR_across) && shape_size(&n->outs[0].shape) >= t->jacobi_straight ? ACROSS
                                                                                            : ALONE;
}

/* Real matrices that are to be diagonal have some threads for each pair of vectors, where those
   fit. */
static enum way way_of(const struct unit *u, const struct node *n)
{
    const struct tensor *out = &n->outs[0];
    int64_t width = out->shape.dim[2];
    if (u->tuning->jacobi_parts)
        return way_alone(u->tuning, n);
    return attr_bool(n, ATTR_absolute) && type_is_float(out->type) &&
                   jacobi_pairs_threads(width) <= u->target->max_invocations &&
                   jacobi_pairs_bytes(width, type_bytes(out->type)) <= u->target->max_shared_bytes
               ? PAIRS
               : GROUP;
}

static const char *load_text(struct emit *e, const struct columns *c)
{
    static const char *const forms[] = {
        [GROUP] = "products[place_of(i) * WIDTH + place_of(j)] = %s;",
        [PAIRS] = "put(i, j, %s, are_any);",
        [ALONE] = "products[place(i, j)] = %s;",
        [ACROSS] = "loaded = %s;",
    };
    const struct ix *at[VKC_MAX_RANK];
    columns_open(e, c, c->width, at);
    const char *x = emit_value(e, hero_of(e)->ins[0], at).text;
    if (x)
        emit_line(e, e->scope->depth, forms[way_of(e->unit, hero_of(e))], x);
    return columns_close(e);
}

static const char *store_text(struct emit *e, const struct columns *c)
{
    static const char *const texts[] = {
        [GROUP] = "turns[i * WIDTH + place_of(j)]",
        [PAIRS] = "turn_at(i, j)",
        [ALONE] = "turns[l]",
        [ACROSS] = "column[0]",
    };
    const struct ix *at[VKC_MAX_RANK];
    columns_open(e, c, c->width, at);
    columns_store(e, c, at, texts[way_of(e->unit, hero_of(e))]);
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
    switch (way_of(e->unit, n)) {
    case GROUP:
        k->shared_bytes = jacobi_shared_bytes(c.width, type_bytes(c.type), type_bytes(real));
        e->iterations = jacobi_iterations(c.width, k->schedule.group, sweeps);
        break;
    case PAIRS:
        k->shared_bytes = jacobi_pairs_bytes(c.width, type_bytes(c.type));
        e->iterations = jacobi_pairs_iterations(c.width, sweeps);
        break;
    case ALONE:
    case ACROSS: e->iterations = jacobi_alone_iterations(c.width, parts, sweeps); break;
    }
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
    uint32_t parts = u->tuning->jacobi_parts, group = JACOBI_ALONE_GROUP;
    enum way way = way_of(u, func_node(unit_func(u), k->heroes[0]));
    (void)most_unroll;
    if (way == GROUP)
        group = jacobi_threads(s->width, u->tuning->group, u->target->max_invocations);
    else if (way == PAIRS)
        group = jacobi_pairs_threads(s->width);
    k->schedule = (struct schedule){.group = group};
    schedule_spread(k, way >= ALONE ? (s->matrices * parts + group - 1) / group : s->matrices);
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

static double eps_of(enum vkc_type real)
{
    return real == TYPE_F64 ? 0x1p-52 : 0x1p-23;
}

const char *jacobi_eps(struct emit *e, enum vkc_type real, int power)
{
    return number(e, real, pow(eps_of(real), power));
}

const char *jacobi_turning(struct emit *e, enum vkc_type real, int64_t rows)
{
    const char *least = jacobi_eps(e, real, 2);
    return arena_printf(e->arena, "square > %s * a * d && a > %s && d > %s",
                        number(e, real, eps_of(real) * eps_of(real) * (double)rows), least, least);
}

void jacobi_text(struct emit *e, struct kernel_text *t, enum vkc_type of, int64_t width,
                 int64_t least)
{
    enum vkc_type real = type_part(of);
    bool is_complex = type_is_complex(of);
    const char *type = emit_type(e, of),
               *quotient = real == TYPE_F64 ? "nx_div(g.%c, size)" : "g.%c / size";
    text_add_number(e, t, "WIDTH", width);
    text_add_number(e, t, "LEAST", least);
    text_add(t, "QUICK", real == TYPE_F64 ? "false" : "true");
    text_add(t, "TYPE", type);
    text_add(t, "REAL", emit_type(e, real));
    text_add(t, "CONJUGATE", is_complex ? "nx_conj(x)" : "x");
    text_add(t, "PHASE",
             is_complex
                 ? arena_printf(e->arena, "%s(%s, %s)", type, arena_printf(e->arena, quotient, 'x'),
                                arena_printf(e->arena, quotient, 'y'))
                 : "1.0");
    text_add(t, "SIZE", is_complex ? "sqrt(square)" : "g");
    text_add(t, "ROOT", is_complex ? "nx_sqrt(square)" : "g");
}

/* What pairs leave of a matrix of norm 1: cosines of its vectors, and so its elements, are as large
   as rounding makes them. */
enum { LEFT_EPS = 4 };

/* What jacobi_pairs.glsl leaves open. */
static void pairs_text(struct emit *e, struct kernel_text *t, enum vkc_type type, int64_t width)
{
    text_add_number(e, t, "LANES", jacobi_lanes(width));
    text_add(t, "QUAD", type == TYPE_F64 ? "dvec4" : "vec4");
    text_add(t, "SHIFT", type == TYPE_F64 ? "1.01lf" : "1.01");
    text_add(t, "LEFT", number(e, type, LEFT_EPS * eps_of(type)));
    text_add(t, "TURNING", jacobi_turning(e, type, LEFT_EPS * LEFT_EPS));
}

/* What the others leave open. Of squares: cosines that are rounding, and lengths that are. */
static void products_text(struct emit *e, struct kernel_text *t, enum vkc_type of, enum way way)
{
    const struct node *n = hero_of(e);
    enum vkc_type real = type_part(of);
    bool is_complex = type_is_complex(of);
    const char *type = emit_type(e, of);
    text_add(t, "RE", is_complex ? ".x" : "");
    text_add(t, "ZERO", arena_printf(e->arena, "%s(0.0)", type));
    text_add(t, "ONE", is_complex ? arena_printf(e->arena, "%s(1.0, 0.0)", type) : "1.0");
    text_add(t, "SQUARE", is_complex ? "g.x * g.x + g.y * g.y" : "g * g");
    text_add(t, "TURNED",
             is_complex ? way >= ALONE ? "nx_mul(phase, x)" : "nx_mul(phases[rotation], x)" : "x");
    text_add(t, "TURNING",
             attr_bool(n, ATTR_absolute)
                 ? arena_printf(e->arena, "square > %s", jacobi_eps(e, real, 2))
                 : jacobi_turning(e, real, attr_int(n, ATTR_rows, 0)));
    if (way >= ALONE)
        text_add_number(e, t, "PARTS", e->unit->tuning->jacobi_parts);
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    static const char *const templates[] = {[GROUP] = "jacobi.comp",
                                            [PAIRS] = "jacobi_pairs.comp",
                                            [ALONE] = "jacobi_alone.comp",
                                            [ACROSS] = "jacobi_across.comp"};
    const struct node *n = hero_of(e);
    enum way way = way_of(e->unit, n);
    struct columns c = columns_of(e->func, e->kernel);
    jacobi_text(e, t, c.type, c.width, attr_bool(n, ATTR_across) ? c.width / 2 : 1);
    if (way == PAIRS)
        pairs_text(e, t, c.type, c.width);
    else
        products_text(e, t, c.type, way);
    text_add_number(e, t, "SWEEPS", attr_int(n, ATTR_sweeps, 0));
    text_add(t, "LOAD", e->load);
    text_add(t, "STORE", e->store);
    text_add_number(e, t, "GROUPS", c.matrices);
    return text_fill(e, t, templates[way], out);
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
