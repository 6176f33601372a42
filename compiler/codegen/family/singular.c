/* Singular values and vectors of small matrices, one or several per workgroup: singular. The
   algorithm is fixed text, singular.glsl with jacobi.glsl. This file generates the loads of columns
   and the stores of the result. */
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

static const char *load_text(struct emit *e, const struct columns *c)
{
    return columns_load(e, c, "x[i]");
}

static const char *store_text(struct emit *e, const struct columns *c)
{
    const struct ix *at[VKC_MAX_RANK];
    struct columns out = *c;
    out.rows = e->kernel->space.singular.wanted;
    columns_open(e, &out, c->rows + c->width + 1, at);
    columns_store(e, c, at, "element_of(matrix, i, j, from)");
    return columns_close(e);
}

static uint32_t bytes_of(const struct singular_space *s, enum vkc_type type)
{
    return singular_bytes(s->rows, s->columns, s->wanted, type_bytes(type));
}

static bool kernel_singular(struct emit *e)
{
    struct kernel *k = e->kernel;
    const struct node *n = hero_of(e);
    const struct singular_space *s = &k->space.singular;
    struct columns c = columns_of(e->func, k);
    if (e->unit->workgroup)
        return emit_fail(e, "n%u %s takes a workgroup of its own", n->label, op_name(n->op)), false;
    if (k->schedule.panel.lanes > e->unit->target->max_invocations ||
        bytes_of(s, c.type) + 4 * SINGULAR_WORDS > e->unit->target->max_shared_bytes)
        return emit_fail(e, "n%u %s: a matrix of %lld rows does not fit the target's workgroups",
                         n->label, op_name(n->op), (long long)c.rows),
               false;
    k->shared_bytes = bytes_of(s, c.type) * k->schedule.panel.each + 4 * SINGULAR_WORDS;
    e->iterations = singular_iterations(s->rows, s->columns, attr_int(n, ATTR_sweeps, 0));
    emit_count(e, (uint64_t)(4 * c.width)); /* an element of the result, in a sweep */
    emit_type(e, c.type);
    emit_call(e, "nx_sqrt", c.type);
    emit_call(e, "nx_div", c.type);
    e->load = load_text(e, &c);
    e->store = store_text(e, &c);
    return e->failed == NULL;
}

/* ---- the row ---- */

static void schedule(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    enum { GROUP = 128 }; /* several matrices wait for the slowest of them */
    const struct singular_space *s = &k->space.singular;
    const struct node *n = func_node(unit_func(u), k->heroes[0]);
    uint32_t lanes = singular_threads(s->rows, s->columns), each = 1,
             group = min32(GROUP, u->target->max_invocations), bytes = bytes_of(s, n->outs[0].type);
    (void)most_unroll;
    while (2 * each * lanes <= group && each < s->matrices &&
           2 * each * bytes + 4 * SINGULAR_WORDS <= u->target->max_shared_bytes)
        each *= 2;
    k->schedule = (struct schedule){.group = lanes * each, .panel = {.lanes = lanes, .each = each}};
    schedule_spread(k, (s->matrices + each - 1) / each);
}

static const char *no_body(struct emit *e)
{
    (void)e;
    return "";
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    enum { LEAST_ROWS = 16 }; /* of fewer, what rounds in a rotation is more than in a product */
    const struct node *n = hero_of(e);
    const struct singular_space *s = &e->kernel->space.singular;
    const struct panel_schedule *p = &e->kernel->schedule.panel;
    enum vkc_type type = n->outs[0].type;
    bool is_whole = s->matrices % p->each == 0;
    jacobi_text(e, t, type, singular_width(s->columns), 1);
    text_add(t, "TURNING",
             jacobi_turning(e, type, s->columns < LEAST_ROWS ? LEAST_ROWS : s->columns));
    text_add(t, "EPS", jacobi_eps(e, type, 1));
    text_add(t, "TINY", jacobi_eps(e, type, 4));
    text_add_number(e, t, "SWEEPS", attr_int(n, ATTR_sweeps, 0));
    text_add_number(e, t, "ROWS", s->rows);
    text_add_number(e, t, "COLUMNS", s->columns);
    text_add_number(e, t, "WANTED", s->wanted);
    text_add_number(e, t, "LANES", p->lanes);
    text_add_number(e, t, "EACH", p->each);
    text_add_number(e, t, "SLOTS", singular_slots(s->rows, s->columns, s->wanted));
    text_add(t, "LIVE",
             is_whole ? "" : arena_printf(e->arena, "o < %lldu && ", (long long)s->matrices));
    text_add(t, "MATRICES",
             p->each == 1 ? "a matrix" : arena_printf(e->arena, "%u matrices", p->each));
    text_add(t, "LOAD", e->load);
    text_add(t, "STORE", e->store);
    text_add_number(e, t, "GROUPS", (s->matrices + p->each - 1) / p->each);
    return text_fill(e, t, "singular.comp", out);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    if (op_class(n->op) != CLASS_SINGULAR)
        return false;
    const struct shape *in = &func_tensor(unit_func(u), n->ins[0])->shape;
    k->space.singular =
        (struct singular_space){in->dim[0], in->dim[1], in->dim[2], n->outs[0].shape.dim[1]};
    return true;
}

static int64_t elements(const struct kernel *k)
{
    const struct singular_space *s = &k->space.singular;
    return s->matrices * s->wanted * (s->rows + s->columns + 1);
}

static int64_t width(const struct kernel *k)
{
    return k->space.singular.columns;
}

static void print_space(const struct kernel *k, struct str *out)
{
    const struct singular_space *s = &k->space.singular;
    str_printf(out, " %lld x %lld x %lld", (long long)s->matrices, (long long)s->rows,
               (long long)s->columns);
}

const struct family singular_family = {
    .name = "singular",
    .places = elements,
    .length = width,
    .starts = starts,
    .has_place = has_places,
    .print_space = print_space,
    .schedule = schedule,
    .elements_at_once = one_element,
    .write = kernel_singular,
    .repeats = elements,
    .body = no_body,
    .fill = fill,
};
