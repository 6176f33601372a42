/* Columns of matrices made triangular by Householder reflections, a workgroup a matrix: panel_qr.
   Some threads have a column, every fourth rows of it in registers, whose elements must be named
   and not indexed: what is done with each is written out here, around the sums of panel_qr.glsl in
   qr.comp. */
#include <stdio.h>

#include "runtime/bundle.h"
#include "codegen/family/columns.h"
#include "codegen/family/schedule.h"
#include "codegen/template.h"
#include "target/limits.h"

struct panel {
    struct columns columns;
    uint32_t group, lanes, fours;
    bool keeps; /* registers have room for the column that is reflected, beside a thread's own */
    uint32_t chunk; /* rows that are on their way through shared memory at a time */
};

static struct panel panel_of(const struct func *f, const struct kernel *k,
                             const struct vkc_target *t)
{
    struct panel p = {.columns = columns_of(f, k), .group = k->schedule.group};
    const struct columns *c = &p.columns;
    uint32_t bytes = type_bytes(c->type);
    p.lanes = qr_lanes(c->rows, c->width, t->max_invocations);
    p.fours = qr_fours(c->rows, p.lanes);
    p.keeps = 2 * 4 * p.fours * bytes <= LU_THREAD_BYTES;
    p.chunk = qr_chunk(c->rows, c->width, bytes, p.lanes, t->max_shared_bytes);
    return p;
}

static const char *store_text(struct emit *e, const struct panel *p)
{
    const struct ix *at[VKC_MAX_RANK];
    columns_open(e, &p->columns, p->columns.width, at);
    columns_store(e, &p->columns, at, "stage[l / WIDTH * PITCH + j]");
    return columns_close(e);
}

static const char *store_triangle(struct emit *e, const struct panel *p)
{
    const struct ix *at[VKC_MAX_RANK] = {ix_var(e->ix, "o", p->columns.matrices, 0)};
    struct str text;
    str_init(&text, e->arena);
    emit_open(e);
    emit_line(e, e->scope->depth, "uint i = l / WIDTH, j = l %% WIDTH;");
    at[1] = ix_add(e->ix, ix_var(e->ix, "i", p->columns.width, e->scope->depth),
                   ix_const(e->ix, p->columns.rows));
    at[2] = ix_var(e->ix, "j", p->columns.width, e->scope->depth);
    e->floor = e->scope->depth;
    columns_store(e, &p->columns, at, "triangle[l]");
    e->floor = 0;
    emit_close_into(
        e, arena_printf(e->arena, "for (uint l = lid; l < WIDTH * WIDTH; l += %uu)", p->group),
        &text);
    return str_text(&text);
}

static bool kernel_qr(struct emit *e)
{
    struct kernel *k = e->kernel;
    const struct node *n = func_node(e->func, k->heroes[0]);
    const struct vkc_target *t = e->unit->target;
    struct panel p = panel_of(e->func, k, t);
    uint32_t bytes = type_bytes(p.columns.type);
    if (e->unit->workgroup)
        return emit_fail(e, "n%u %s takes a workgroup of its own", n->label, op_name(n->op)), false;
    if (p.columns.width >
        qr_width(p.columns.rows, p.columns.width, bytes, t->max_invocations, t->max_shared_bytes))
        return emit_fail(e, "n%u %s: %lld rows of %lld do not fit the target's workgroups",
                         n->label, op_name(n->op), (long long)p.columns.rows,
                         (long long)p.columns.width),
               false;
    k->shared_bytes = qr_shared_bytes(p.columns.rows, p.columns.width, bytes, p.lanes, p.chunk);
    emit_count(e, (uint64_t)(4 * p.columns.width));
    e->iterations =
        (uint64_t)(p.columns.width * (4 * p.fours + 2 * p.lanes + p.columns.width / p.lanes + 8)) +
        (uint64_t)((p.columns.rows / p.chunk + 1) * 2 * (1 + p.chunk * p.columns.width / p.group) *
                   p.fours);
    emit_call(e, "nx_div", p.columns.type);
    emit_call(e, "nx_sqrt", p.columns.type);
    e->load = columns_load(e, &p.columns, "stage[l / WIDTH * PITCH + j]");
    e->store = store_text(e, &p);
    e->inner = store_triangle(e, &p);
    return e->failed == NULL;
}

/* ---- the row ---- */

static void schedule(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    const struct columns_space *s = &k->space.columns;
    (void)most_unroll;
    k->schedule = (struct schedule){
        .group = (uint32_t)s->width * qr_lanes(s->rows, s->width, u->target->max_invocations)};
    schedule_spread(k, s->matrices);
}

static const char *all_text(struct emit *e)
{
    return arena_printf(e->arena, "%s%s%s", e->load, e->store, e->inner);
}

/* ---- what is done with each register ---- */

typedef void (*print_fn)(const struct panel *p, uint32_t q, struct str *out);

static void print_clear(const struct panel *p, uint32_t q, struct str *out)
{
    str_printf(out, "    x[%u] = %s(0.0);\n", q,
               type_bytes(p->columns.type) == 8 ? "dvec4" : "vec4");
}

static void print_fetch(const struct panel *p, uint32_t q, struct str *out)
{
    const char *quad = type_bytes(p->columns.type) == 8 ? "dvec4" : "vec4";
    str_printf(out, "        at = 4u * lane + %uu - base;\n", 4 * q * p->lanes);
    str_add(out, "        if (at < CHUNK) {\n            at = at * PITCH + mine;\n");
    str_printf(out,
               "            x[%u] = %s(stage[at], stage[at + PITCH], stage[at + 2u * PITCH], "
               "stage[at + 3u * PITCH]);\n        }\n",
               q, quad);
}

static void print_put(const struct panel *p, uint32_t q, struct str *out)
{
    str_printf(out, "            column[from + %uu] = x[%u];\n", q * p->lanes, q);
}

/* Where a column's elements are for the second time that they are needed: registers, if there are
   so many, or shared memory again. */
static const char *kept(const struct panel *p, uint32_t q, char out[32])
{
    if (p->keeps)
        snprintf(out, 32, "c[%u]", q);
    else
        snprintf(out, 32, "column[from + %uu]", q * p->lanes);
    return out;
}

static void print_dot(const struct panel *p, uint32_t q, struct str *out)
{
    char c[32];
    if (q > 0 && p->keeps)
        str_printf(out, "        c[%u] = column[from + %uu];\n", q, q * p->lanes);
    if (q > 0)
        str_printf(out, "        s = more(s, %s, x[%u]);\n", kept(p, q, c), q);
}

static void print_own(const struct panel *p, uint32_t q, struct str *out)
{
    char c[32];
    if (q > 0)
        str_printf(out, "                x[%u] = g * %s;\n", q, kept(p, q, c));
}

static void print_update(const struct panel *p, uint32_t q, struct str *out)
{
    char c[32];
    if (q > 0)
        str_printf(out, "                x[%u] = more(x[%u], g, %s);\n", q, q, kept(p, q, c));
}

static void print_stage(const struct panel *p, uint32_t q, struct str *out)
{
    str_printf(out, "        at = 4u * lane + %uu - base;\n", 4 * q * p->lanes);
    str_add(out, "        if (at < CHUNK) {\n            at = at * PITCH + mine;\n");
    for (uint32_t i = 0; i < 4; i++)
        str_printf(out, "            stage[at + %uu * PITCH] = x[%u].%c;\n", i, q, "xyzw"[i]);
    str_add(out, "        }\n");
}

/* Row lid of T. */
static const char *triangle_text(struct emit *e, const struct panel *p)
{
    struct str text;
    str_init(&text, e->arena);
    const char *type = emit_type(e, p->columns.type);
    for (int64_t j = 0; j < p->columns.width; j++)
        str_printf(&text, "        %s rest%lld = 0.0;\n", type, (long long)j);
    str_add(&text, "        for (uint k = 0u; k < WIDTH; k++) {\n");
    str_printf(&text, "            %s t = lid > k ? 0.0 : lid == k ? taus[k] : -taus[k] * rest0;\n",
               type);
    str_add(&text, "            uint next = k * WIDTH + k + 1u;\n");
    str_add(&text, "            triangle[lid * WIDTH + k] = t;\n");
    for (int64_t j = 0; j + 1 < p->columns.width; j++)
        str_printf(&text, "            rest%lld = more(rest%lld, t, along[next + %lldu]);\n",
                   (long long)j, (long long)j + 1, (long long)j);
    str_add(&text, "        }\n");
    return str_text(&text);
}

static const char *for_each_four(struct emit *e, const struct panel *p, print_fn print)
{
    struct str text;
    str_init(&text, e->arena);
    for (uint32_t q = 0; q < p->fours; q++)
        print(p, q, &text);
    return str_text(&text);
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    struct panel p = panel_of(e->func, e->kernel, e->unit->target);
    bool is_wide = type_bytes(p.columns.type) == 8;
    text_add(t, "TYPE", emit_type(e, p.columns.type));
    text_add(t, "QUAD", is_wide ? "dvec4" : "vec4");
    text_add(t, "PRECISE", e->unit->fast_math ? "" : "precise ");
    text_add(t, "FUSED", is_wide ? "NX_FMA_F64" : "NX_FMA"); /* of f64: defined nowhere */
    text_add(t, "EPS", is_wide ? "1.3877787807814457e-17lf" : "7.450580596923828e-09"); /* u / 8 */
    text_add(t, "LEAST",
             is_wide ? "1.0507614211323843e-286lf" : "8.077935669463161e-28"); /* 2^-950, 2^-90 */
    text_add(t, "QUICK", is_wide ? "false" : "true");
    text_add(t, "TRIANGLE", triangle_text(e, &p));
    text_add(t, "TURNS", text_turns(e, p.chunk * p.columns.width, p.group));
    text_add(t, "LOOP", e->unit->tuning->unroll_hint ? "" : "[[dont_unroll]] ");
    text_add_number(e, t, "GROUPS", p.columns.matrices);
    text_add_number(e, t, "WIDTH", p.columns.width);
    text_add_number(e, t, "LANES", p.lanes);
    text_add_number(e, t, "FOURS", p.fours);
    text_add_number(e, t, "KEPT", p.keeps ? p.fours : 1);
    text_add_number(e, t, "ROWS", p.columns.rows);
    text_add_number(e, t, "CHUNK", p.chunk);
    text_add(t, "CLEAR", for_each_four(e, &p, print_clear));
    text_add(t, "LOAD", e->load);
    text_add(t, "FETCH", for_each_four(e, &p, print_fetch));
    text_add(t, "PUT", for_each_four(e, &p, print_put));
    text_add(t, "DOT", for_each_four(e, &p, print_dot));
    text_add(t, "OWN", for_each_four(e, &p, print_own));
    text_add(t, "UPDATE", for_each_four(e, &p, print_update));
    text_add(t, "STAGE", for_each_four(e, &p, print_stage));
    text_add(t, "STORE", e->store);
    text_add(t, "STORE_TRIANGLE", e->inner);
    return text_fill(e, t, "qr.comp", out);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    return columns_start(u, k, v, CLASS_REFLECT);
}

static int64_t elements(const struct kernel *k)
{
    const struct columns_space *s = &k->space.columns;
    return s->matrices * (s->rows + s->width) * s->width;
}

const struct family qr_family = {
    .name = "qr",
    .places = elements,
    .length = columns_width,
    .starts = starts,
    .has_place = has_places,
    .print_space = columns_print_space,
    .schedule = schedule,
    .elements_at_once = one_element,
    .write = kernel_qr,
    .repeats = elements,
    .body = all_text,
    .fill = fill,
};
