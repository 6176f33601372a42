/* Factors of small matrices in shared memory, one or several per workgroup: panel_cholesky.
   Of rows below a matrix each workgroup has some, and a factor of its own. The algorithm is fixed
   text, panel_cholesky.glsl. This file generates the loads, and the stores of
   the factor with the element-wise work that fusion added to it. */
#include "runtime/bundle.h"
#include "codegen/family/family.h"
#include "codegen/family/panel.h"
#include "codegen/family/schedule.h"
#include "codegen/template.h"
#include "target/limits.h"

struct panel panel_of(const struct func *f, const struct node *n)
{
    const struct tensor *in = func_tensor(f, n->ins[0]);
    return (struct panel){.type = in->type,
                          .matrices = in->shape.dim[0],
                          .rows = in->shape.dim[1],
                          .order = in->shape.dim[2],
                          .parts = n->outs[0].shape.dim[1]};
}

/* Workgroups that a matrix has with rows below it. */
static int64_t groups_of(const struct panel *p, const struct panel_schedule *s)
{
    return s->below ? (p->rows - p->order + s->below - 1) / s->below : 1;
}

/* The index of the matrix at hand among all, `o`, and its place in the tile. With rows below it,
   `o` and the part of the rows are known already. */
static void open_element(struct emit *e, const struct panel *p)
{
    unsigned long long square = (unsigned long long)(p->order * p->order);
    uint32_t each = e->kernel->schedule.panel.each;
    const struct panel_schedule *s = &e->kernel->schedule.panel;
    long long n = (long long)p->order;
    emit_open(e);
    if (s->below) {
        emit_line(e, 1, "uint i = l / %lldu, j = l %% %lldu, base = 0u;", n, n);
        emit_line(e, 1, "uint r = i < %lldu ? i : i + part * %uu;", n, s->below);
        return;
    }
    emit_line(e, 1, "uint i = l / %lldu %% %lldu, j = l %% %lldu, r = i;", n, n, n);
    if (each == 1)
        emit_line(e, 1, "uint base = 0u, o = group;");
    else
        emit_line(e, 1, "uint base = l / %lluu %% %uu * SIZE, o = group * %uu + l / %lluu %% %uu;",
                  square, each, each, square, each);
}

/* `head` and what is known of the element in the tile. */
static const char *live_text(struct emit *e, const struct panel *p, const char *more)
{
    bool all = p->matrices % e->kernel->schedule.panel.each == 0;
    const char *some = all ? "" : arena_printf(e->arena, "o < %lldu", (long long)p->matrices);
    uint32_t below = e->kernel->schedule.panel.below;
    if (below && (p->rows - p->order) % below)
        some = arena_printf(e->arena, "r < %lldu", (long long)p->rows);
    if (!*more && !*some)
        return NULL;
    return arena_printf(e->arena, "if (%s%s%s)", more, *more && *some ? " && " : "", some);
}

static void index_of(struct emit *e, const struct panel *p, const struct ix **at)
{
    uint32_t depth = e->scope->depth;
    at[0] = ix_var(e->ix, "o", p->matrices, depth);
    at[1] = ix_var(e->ix, "r", p->rows, depth);
    at[2] = ix_var(e->ix, "j", p->order, depth);
}

static const char *close_element(struct emit *e, const char *head)
{
    struct str text;
    str_init(&text, e->arena);
    emit_close_into(e, head, &text);
    return str_text(&text);
}

static bool load(struct emit *e, const struct panel *p, const struct node *n)
{
    const struct ix *at[VKC_MAX_RANK];
    open_element(e, p);
    emit_line(e, 1, "%s x = %s;", emit_type(e, p->type), emit_constant(e, p->type, 0, 0));
    emit_open(e);
    index_of(e, p, at);
    /* what lies above the diagonal, or behind the last matrix, is not read */
    e->floor = e->scope->depth;
    const char *x = emit_value(e, n->ins[0], at).text;
    e->floor = 0;
    if (!x)
        return false;
    emit_line(e, e->scope->depth, "x = %s;", x);
    emit_close(e, live_text(e, p, "j <= i"));
    emit_line(e, 1, "tile[base + i * PITCH + j] = x;");
    const struct schedule *s = &e->kernel->schedule;
    e->load = close_element(
        e, text_turns(e, (p->order + s->panel.below) * p->order * s->panel.each, s->group));
    return e->failed == NULL;
}

static bool store(struct emit *e, const struct panel *p, const struct node *n)
{
    const struct ix *at[VKC_MAX_RANK], *place[VKC_MAX_RANK];
    uint32_t each = e->kernel->schedule.panel.each;
    int64_t square = p->order * p->order;
    const char *text = "factor_at(base, i, j)";
    open_element(e, p);
    if (p->parts > 1)
        emit_line(e, 1, "uint p = l / %lldu;", (long long)(square * each));
    emit_open(e);
    index_of(e, p, at);
    place[0] = at[0];
    place[1] = p->parts > 1 ? ix_var(e->ix, "p", p->parts, e->scope->depth) : ix_const(e->ix, 0);
    place[2] = at[1];
    place[3] = at[2];
    if (p->parts > 1)
        text = "p == 0u ? factor_at(base, i, j) : inverse_at(base, i, j)";
    e->floor = e->scope->depth;
    emit_results(e, n, e->kernel->heroes[0], ix_linear(e->ix, &n->outs[0].shape, place),
                 emit_type(e, p->type), text);
    e->floor = 0;
    const struct panel_schedule *s = &e->kernel->schedule.panel;
    const char *own =
        s->below ? arena_printf(e->arena, "(part == 0u || i >= %lldu)", (long long)p->order) : "";
    emit_close(e, live_text(e, p, own));
    square += s->below * p->order;
    e->store = close_element(e, arena_printf(e->arena, "for (uint l = lid; l < %lldu; l += %uu)",
                                             (long long)(square * p->parts * each),
                                             e->kernel->schedule.group));
    return e->failed == NULL;
}

/* Columns that are factored at a time: a triangle of them is in each thread's registers. */
static uint32_t block_of(const struct panel *p)
{
    return (uint32_t)(p->order < 8 ? p->order : type_bytes(p->type) > 8 ? 4 : 8);
}

static uint32_t slots_of(const struct panel *p, const struct panel_schedule *s)
{
    return (uint32_t)((p->order + s->below) * (p->order + 1));
}

static bool kernel_panel(struct emit *e)
{
    struct kernel *k = e->kernel;
    const struct node *n = func_node(e->func, k->heroes[0]);
    struct panel p = panel_of(e->func, n);
    const struct vkc_target *t = e->unit->target;
    enum vkc_type real = type_part(p.type);
    if (e->unit->workgroup)
        return emit_fail(e, "n%u %s takes a workgroup of its own", n->label, op_name(n->op)), false;
    if (p.order > panel_order(type_bytes(p.type), t->max_shared_bytes) ||
        (p.rows > p.order && panel_below(p.order, type_bytes(p.type), t->max_shared_bytes) < 1))
        return emit_fail(e,
                         "n%u %s: a matrix of order %lld does not fit the target's shared memory",
                         n->label, op_name(n->op), (long long)p.order),
               false;
    k->shared_bytes =
        slots_of(&p, &k->schedule.panel) * k->schedule.panel.each * type_bytes(p.type);
    emit_count(e, (uint64_t)p.order);
    e->iterations =
        (uint64_t)(slots_of(&p, &k->schedule.panel)) * k->schedule.panel.each / k->schedule.group *
            (uint64_t)(1 + p.parts) +
        (uint64_t)(slots_of(&p, &k->schedule.panel) * p.order) / (3 * k->schedule.panel.lanes) +
        (uint64_t)(p.order * block_of(&p) * 2);
    /* of panel_cholesky.glsl */
    emit_type(e, real);
    emit_call(e, "nx_sqrt", real);
    emit_call(e, "nx_div", real);
    if (type_is_complex(p.type)) {
        emit_call(e, "nx_mul", p.type);
        emit_call(e, "nx_conj", p.type);
    }
    return load(e, &p, n) && store(e, &p, n);
}

/* ---- the row ---- */

/* Threads that share a row of the matrix. With more of them a step of a column is shorter; all wait
   for its pivot. */
enum { ROW_PARTS = 4 };

static void schedule_panel(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    const struct vkc_target *t = u->target;
    struct panel p = panel_of(unit_func(u), func_node(unit_func(u), k->heroes[0]));
    uint32_t group = min32(u->tuning->group, t->max_invocations), rows = 1, each;
    (void)most_unroll;
    while (rows < p.order && rows < group)
        rows *= 2;
    uint32_t lanes = min32(rows * ROW_PARTS, group);
    uint32_t bytes = panel_slots(p.order) * type_bytes(p.type);
    each = min32(group / lanes, t->max_shared_bytes / bytes);
    each = each > p.matrices ? (uint32_t)p.matrices : each ? each : 1;
    uint32_t below = 0;
    if (p.rows > p.order) {
        each = 1;
        below = (uint32_t)panel_below(p.order, type_bytes(p.type), t->max_shared_bytes);
    }
    k->schedule = (struct schedule){.group = lanes * each,
                                    .panel = {.lanes = lanes, .each = each, .below = below}};
    schedule_spread(k, (p.matrices + each - 1) / each * groups_of(&p, &k->schedule.panel));
}

static const char *all_text(struct emit *e)
{
    return arena_printf(e->arena, "%s%s", e->load, e->store);
}

/* ---- the block on the diagonal, in registers, whose names are written out ---- */

struct block {
    struct emit *e;
    const char *type, *real, *zero, *one, *re;
    bool is_complex;
    uint32_t size;
    bool is_whole; /* the order is a multiple of it */
};

/* x times a real number. */
static const char *scaled(const struct block *b, const char *x, const char *by)
{
    return arena_printf(b->e->arena, "%s * %s", x, by);
}

static const char *real_as_type(const struct block *b, const char *x)
{
    return b->is_complex ? arena_printf(b->e->arena, "%s(%s, 0.0)", b->type, x) : x;
}

static void print_diagonal(const struct block *b, struct str *out)
{
    for (uint32_t r = 0; r < b->size; r++) {
        for (uint32_t c = 0; c <= r; c++)
            str_printf(out, "%s%s l%u_%u", c ? ", " : "        ", c ? "" : b->type, r, c);
        str_printf(out, ";\n        %s d%u, v%u;\n", b->real, r, r);
    }
}

/* Its factor, a column at a time. Behind the last row it is the identity. */
static void print_columns(const struct block *b, struct str *out)
{
    for (uint32_t r = 0; r < b->size; r++)
        for (uint32_t c = 0; c <= r; c++) {
            str_printf(out, "            l%u_%u = ", r, c);
            if (!b->is_whole)
                str_printf(out, "k + %uu >= ORDER ? %s : ", r, r == c ? b->one : b->zero);
            str_printf(out, "tile[base + (k + %uu) * PITCH + k + %uu];\n", r, c);
        }
    for (uint32_t c = 0; c < b->size; c++) {
        str_printf(out, "            root_of(l%u_%u%s, d%u, v%u);\n", c, c, b->re, c, c);
        for (uint32_t r = c + 1; r < b->size; r++)
            str_printf(out, "            l%u_%u = %s;\n", r, c,
                       scaled(b, arena_printf(b->e->arena, "l%u_%u", r, c),
                              arena_printf(b->e->arena, "v%u", c)));
        for (uint32_t r = c + 1; r < b->size; r++)
            for (uint32_t j = c + 1; j <= r; j++)
                str_printf(out, "            l%u_%u = less(l%u_%u, l%u_%u, l%u_%u);\n", r, j, r, j,
                           r, c, j, c);
    }
}

/* a L^-*, of a row of the tile or of the identity. */
static void print_solve(const struct block *b, struct str *out)
{
    for (uint32_t p = 0; p < b->size; p++) {
        str_printf(out, "            %s a%u = is_unit ? (k + %uu == i ? %s : %s) : ", b->type, p, p,
                   b->one, b->zero);
        if (p) /* above the diagonal of the block the identity's rows are being written */
            str_printf(out, "INVERSE && i >= k && k + %uu > i ? %s : ", p, b->zero);
        if (!b->is_whole)
            str_printf(out, "k + %uu >= ORDER ? %s : ", p, b->zero);
        str_printf(out, "tile[at + %uu];\n", p);
        for (uint32_t q = 0; q < p; q++)
            str_printf(out, "            a%u = less(a%u, a%u, l%u_%u);\n", p, p, q, p, q);
        str_printf(
            out, "            a%u = %s;\n", p,
            scaled(b, arena_printf(b->e->arena, "a%u", p), arena_printf(b->e->arena, "v%u", p)));
    }
}

/* Within the block a row of A ends at the diagonal, and one of the inverse begins behind it. */
static void print_keep(const struct block *b, struct str *out)
{
    for (uint32_t p = 0; p < b->size; p++) {
        const char *root = real_as_type(b, arena_printf(b->e->arena, "d%u", p));
        str_printf(out, "            if (%s(is_unit ? k + %uu > i : k + %uu <= i || i < k))\n",
                   b->is_whole ? "" : arena_printf(b->e->arena, "k + %uu < ORDER && ", p), p, p);
        str_printf(out, "                tile[at + %uu] = k + %uu == i ? %s : a%u;\n", p, p, root,
                   p);
    }
}

/* A row's part of the block. Of the inverse it begins with what stands nowhere else. */
static void print_first(const struct block *b, struct str *out)
{
    for (uint32_t p = 0; p < b->size; p++)
        str_printf(
            out,
            "            %s c%u = is_apart || k + %uu > i ? tile[at + %uu] : k + %uu < i ? %s "
            ": %s;\n",
            b->type, p, p, p, p, b->zero, real_as_type(b, "own"));
}

/* Elements that a thread has at a time: their sums do not wait for each other. */
enum { TOGETHER = 4 };

static void print_rest(const struct block *b, struct str *out)
{
    for (uint32_t u = 0; u < TOGETHER; u++) {
        str_printf(
            out,
            "                uint from%u = base + min(j + %uu * PARTS, ORDER - 1u) * PITCH + k;\n",
            u, u);
        str_printf(out, "                bool is_on%u = j + %uu * PARTS < most;\n", u, u);
        str_printf(out, "                %s rest%u = is_on%u ? tile[to + %uu * PARTS] : %s;\n",
                   b->type, u, u, u, b->zero);
    }
    for (uint32_t p = 0; p < b->size; p++)
        for (uint32_t u = 0; u < TOGETHER; u++)
            str_printf(out, "                rest%u = less(rest%u, c%u, tile[from%u + %uu]);\n", u,
                       u, p, u, p);
    for (uint32_t u = 0; u < TOGETHER; u++)
        str_printf(
            out,
            "                if (is_on%u)\n                    tile[to + %uu * PARTS] = rest%u;\n",
            u, u, u);
}

static const char *block_text(const struct block *b,
                              void (*print)(const struct block *b, struct str *out))
{
    struct str text;
    str_init(&text, b->e->arena);
    print(b, &text);
    return str_text(&text);
}

/* What panel_cholesky.glsl leaves open. */
static void fill_steps(struct emit *e, const struct panel *p, const struct node *n,
                       struct kernel_text *t)
{
    struct arena *a = e->arena;
    const struct panel_schedule *s = &e->kernel->schedule.panel;
    enum vkc_type real = type_part(p->type);
    bool is_complex = type_is_complex(p->type), is_wide = type_bytes(real) == 8;
    const char *type = emit_type(e, p->type);
    struct block b = {.e = e,
                      .type = type,
                      .real = emit_type(e, real),
                      .zero = arena_printf(a, "%s(0.0)", type),
                      .one = is_complex ? arena_printf(a, "%s(1.0, 0.0)", type) : "1.0",
                      .re = is_complex ? ".x" : "",
                      .is_complex = is_complex,
                      .size = block_of(p),
                      .is_whole = p->order % block_of(p) == 0};
    uint32_t rows = 1;
    while (rows < p->order && rows < s->lanes)
        rows *= 2;
    text_add_number(e, t, "ORDER", p->order);
    text_add_number(e, t, "PITCH", p->order + 1);
    text_add_number(e, t, "TALL", p->order + s->below);
    text_add_number(e, t, "SIZE", slots_of(p, s));
    text_add_number(e, t, "SLOTS", slots_of(p, s) * s->each);
    text_add_number(e, t, "BLOCK", b.size);
    text_add_number(e, t, "ROWS", rows);
    text_add_number(e, t, "PARTS", s->lanes / rows);
    text_add_number(e, t, "TOGETHER", TOGETHER);
    text_add(t, "INVERSE", attr_bool(n, ATTR_inverse) ? "true" : "false");
    text_add(t, "TYPE", type);
    text_add(t, "REAL", b.real);
    text_add(t, "TINY", is_wide ? "1.0e-10lf" : "1.0e-10");
    text_add(t, "QUICK", is_wide ? "false" : "true");
    text_add(t, "RE", b.re);
    text_add(t, "ZERO", b.zero);
    text_add(t, "LESS", is_complex ? "nx_mul(a, nx_conj(b))" : "a * b");
    text_add(t, "CONJ", is_complex ? "nx_conj(x)" : "x");
    text_add(t, "BY", real_as_type(&b, arena_printf(a, "inverse_of(x%s)", b.re)));
    /* of others: defined nowhere */
    text_add(t, "FUSED", is_complex || is_wide ? "NX_FMA_F64" : "NX_FMA");
    text_add(t, "PRECISE", e->unit->fast_math ? "" : "precise ");
    text_add(t, "DIAGONAL", block_text(&b, print_diagonal));
    text_add(t, "COLUMNS", block_text(&b, print_columns));
    text_add(t, "SOLVE", block_text(&b, print_solve));
    text_add(t, "KEEP", block_text(&b, print_keep));
    text_add(t, "FIRST", block_text(&b, print_first));
    text_add(t, "REST", block_text(&b, print_rest));
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    const struct node *n = func_node(e->func, e->kernel->heroes[0]);
    const struct panel_schedule *s = &e->kernel->schedule.panel;
    struct panel p = panel_of(e->func, n);
    fill_steps(e, &p, n, t);
    text_add(t, "LOAD", e->load);
    text_add(t, "STORE", e->store);
    text_add(t, "MATRICES",
             s->each == 1 ? "a matrix" : arena_printf(e->arena, "%u matrices", s->each));
    text_add_number(e, t, "LANES", s->lanes);
    long long groups = (long long)groups_of(&p, s);
    text_add(t, "PLACE",
             s->below
                 ? arena_printf(e->arena, "    uint o = group / %lldu, part = group %% %lldu;\n",
                                groups, groups)
                 : "");
    text_add_number(e, t, "GROUPS", (p.matrices + s->each - 1) / s->each * groups_of(&p, s));
    return text_fill(e, t, "panel.comp", out);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    if (op_class(n->op) != CLASS_PANEL)
        return false;
    struct panel p = panel_of(unit_func(u), n);
    k->space.panel = (struct panel_space){p.matrices, p.order, unit_size(u, v)};
    return true;
}

/* With work for each element of the factor. */
static bool join(const struct unit *u, const struct kernel *k, const struct kernel *other,
                 struct kernel *out)
{
    (void)u;
    return elements_join(k, other, k->space.panel.elements, out);
}

static int64_t places(const struct kernel *k)
{
    return k->space.panel.elements;
}

static int64_t length(const struct kernel *k)
{
    return k->space.panel.order;
}

const struct family panel_family = {
    .name = "panel",
    .places = places,
    .length = length,
    .starts = starts,
    .join = join,
    .has_place = has_places,
    .divides_once = true,
    .print_space = print_rows_space,
    .schedule = schedule_panel,
    .elements_at_once = one_element,
    .write = kernel_panel,
    .repeats = places,
    .body = all_text,
    .fill = fill,
};
