/* Columns of matrices eliminated with partial pivoting, a workgroup a matrix: panel_lu. A thread
   has rows in registers, whose elements must be named and not indexed: what it does with each is
   written out here, around the search for pivots in lu.comp and panel_lu.glsl. Rows stay where they
   are; their places change. */
#include "runtime/bundle.h"
#include "codegen/family/columns.h"
#include "codegen/family/schedule.h"
#include "codegen/template.h"
#include "target/limits.h"

struct panel {
    struct columns columns;
    uint32_t group, each; /* threads; rows of one */
    uint32_t chunk;       /* rows that are on their way through shared memory at a time */
};

static struct panel panel_of(const struct func *f, const struct kernel *k, uint32_t shared_bytes)
{
    struct panel p = {.columns = columns_of(f, k), .group = k->schedule.group};
    const struct columns *c = &p.columns;
    p.each = (uint32_t)((c->rows + p.group - 1) / p.group);
    p.chunk = lu_chunk(c->width, type_bytes(c->type), shared_bytes);
    return p;
}

static bool load_places(struct emit *e, const struct panel *p, const struct node *n,
                        struct str *out)
{
    for (uint32_t r = 0; r < p->each; r++) {
        emit_open(e);
        emit_line(e, e->scope->depth, "uint i = lid + %uu;", r * p->group);
        const struct ix *at[VKC_MAX_RANK] = {ix_var(e->ix, "o", p->columns.matrices, 0),
                                             ix_var(e->ix, "i", p->columns.rows, e->scope->depth)};
        emit_line(e, e->scope->depth, "place[%u] = -1;", r);
        emit_open(e);
        e->floor = e->scope->depth;
        const char *place = emit_value(e, n->ins[1], at).text;
        if (!place)
            return false;
        emit_line(e, e->scope->depth, "place[%u] = int(%s);", r, place);
        e->floor = 0;
        emit_close(e, "if (i < ROWS)");
        emit_close_into(e, "", out);
    }
    return e->failed == NULL;
}

static const char *store_text(struct emit *e, const struct panel *p)
{
    const struct ix *at[VKC_MAX_RANK];
    columns_open(e, &p->columns, p->columns.width + 1, at);
    columns_store(e, &p->columns, at, "stage[l]");
    return columns_close(e);
}

/* The inverse of the pivot rows' triangle, and which rows they are. */
static void store_inverse(struct emit *e, const struct panel *p, struct str *out)
{
    const struct ix *at[VKC_MAX_RANK] = {ix_var(e->ix, "o", p->columns.matrices, 0)};
    emit_open(e);
    emit_line(e, e->scope->depth, "uint i = l / PITCH, j = l %% PITCH;");
    at[1] = ix_add(e->ix, ix_var(e->ix, "i", p->columns.width, e->scope->depth),
                   ix_const(e->ix, p->columns.rows));
    at[2] = ix_var(e->ix, "j", p->columns.width + 1, e->scope->depth);
    e->floor = e->scope->depth;
    columns_store(
        e, &p->columns, at,
        arena_printf(e->arena,
                     "j == WIDTH ? %s(pivots[i]) : j == i ? 1.0 : j > i ? 0.0 : inverse[l]",
                     emit_type(e, p->columns.type)));
    e->floor = 0;
    emit_close_into(
        e, arena_printf(e->arena, "for (uint l = lid; l < WIDTH * PITCH; l += %uu)", p->group),
        out);
}

static bool kernel_lu(struct emit *e)
{
    struct kernel *k = e->kernel;
    const struct node *n = func_node(e->func, k->heroes[0]);
    const struct vkc_target *t = e->unit->target;
    struct panel p = panel_of(e->func, k, t->max_shared_bytes);
    uint32_t bytes = type_bytes(p.columns.type);
    struct str places, inverse;
    if (e->unit->workgroup)
        return emit_fail(e, "n%u %s takes a workgroup of its own", n->label, op_name(n->op)), false;
    if (p.columns.width > lu_width(p.columns.rows, bytes, t->max_invocations))
        return emit_fail(e, "n%u %s: %lld rows of %lld do not fit the target's registers", n->label,
                         op_name(n->op), (long long)p.columns.rows, (long long)p.columns.width),
               false;
    k->shared_bytes = lu_shared_bytes(p.columns.width, bytes, p.chunk);
    emit_count(e, (uint64_t)(2 * p.columns.width));
    e->iterations =
        (uint64_t)(p.columns.width * (3 + 8 * bytes / 4 + p.columns.width) +
                   (p.columns.rows / p.chunk + 1) * (2 + 2 * p.chunk * p.columns.width / p.group) +
                   p.columns.width * (p.columns.width * p.columns.width / p.group + 1));
    emit_call(e, "nx_div", p.columns.type);
    str_init(&places, e->arena);
    str_init(&inverse, e->arena);
    if (!load_places(e, &p, n, &places))
        return false;
    store_inverse(e, &p, &inverse);
    e->inner = str_text(&places);
    e->load = columns_load(e, &p.columns);
    e->store = store_text(e, &p);
    e->none = str_text(&inverse); /* no element of a row */
    return e->failed == NULL;
}

/* ---- the row ---- */

static void schedule(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    const struct columns_space *s = &k->space.columns;
    (void)most_unroll;
    k->schedule = (struct schedule){.group = lu_threads(s->rows, u->target->max_invocations)};
    schedule_spread(k, s->matrices);
}

static const char *all_text(struct emit *e)
{
    return arena_printf(e->arena, "%s%s%s%s", e->inner, e->load, e->store, e->none);
}

/* ---- the steps ---- */

/* The code of a step names as many registers as there were columns at the first one of its
   stretch: longer ones do what nobody needs, shorter ones are more code. */
enum { STRETCH = 8 };
/* Of a stretch, threads with many rows have fewer, so that done[] stays small. */
static uint32_t stretch_of(const struct panel *p)
{
    return p->each < STRETCH ? STRETCH / p->each : 1;
}

/* Steps `first` to `end`. Registers x[first ...] are the columns that are left, and done[] has
   those of the stretch that are eliminated, the last of them at its end. */
struct stretch {
    const struct panel *p;
    const char *type, *quad; /* and four of it */
    uint32_t first, end;
};

/* The register of a thread's row r for column w. */
static uint32_t at(const struct stretch *s, uint32_t r, uint32_t w)
{
    return r * (uint32_t)s->p->columns.width + w;
}

typedef void (*print_fn)(const struct stretch *s, uint32_t r, struct str *out);

static void print_start(const struct stretch *s, uint32_t r, struct str *out)
{
    (void)s;
    str_printf(out, "        is_on[%u] = place[%u] >= int(k);\n", r, r);
}

static void print_top(const struct stretch *s, uint32_t r, struct str *out)
{
    str_printf(out, "            if (is_on[%u])\n", r);
    str_printf(out, "                top = max(top, magnitude(x[%u], part));\n",
               at(s, r, s->first));
}

static void print_keep(const struct stretch *s, uint32_t r, struct str *out)
{
    str_printf(out, "            is_on[%u] = is_on[%u] && magnitude(x[%u], part) == top;\n", r, r,
               at(s, r, s->first));
}

static void print_earliest(const struct stretch *s, uint32_t r, struct str *out)
{
    (void)s;
    str_printf(out, "        if (is_on[%u])\n", r);
    str_printf(out, "            atomicMax(earliest[0], ROWS - uint(place[%u]));\n", r);
}

/* Of the pivot row. */
static uint32_t quads(const struct stretch *s)
{
    return ((uint32_t)s->p->columns.width - s->first + 3) / 4;
}

static void print_take(const struct stretch *s, uint32_t r, struct str *out)
{
    str_printf(out, "        if (is_on[%u] && place[%u] == from) {\n", r, r);
    str_printf(out, "            place[%u] = int(k);\n            pivots[k] = lid + %uu;\n", r,
               r * s->p->group);
    for (uint32_t q = 0; q < quads(s); q++) {
        str_printf(out, "            pivot[%u] = %s(", q, s->quad);
        for (uint32_t w = s->first + 4 * q; w < s->first + 4 * q + 4; w++)
            str_printf(out, w < s->p->columns.width ? "%sx[%u]" : "%s0.0",
                       w % 4 == s->first % 4 ? "" : ", ", at(s, r, w));
        str_add(out, ");\n");
    }
    str_printf(out, "        } else if (place[%u] == int(k))\n            place[%u] = from;\n", r,
               r);
}

/* Rows that are settled are changed, too: nobody reads them. */
static void print_update(const struct stretch *s, uint32_t r, struct str *out)
{
    uint32_t x = at(s, r, s->first), steps = s->end - s->first, done = r * stretch_of(s->p);
    str_printf(out, "        {\n            %s y = x[%u];\n", s->type, x);
    str_add(out, "            if (divisor != 0.0)\n                y = nx_div(y, divisor);\n");
    for (uint32_t w = 1; w < s->p->columns.width - s->first; w++)
        str_printf(out, "            x[%u] = less(x[%u], y, p%u.%c);\n", x + w - 1, x + w, w / 4,
                   "xyzw"[w % 4]);
    for (uint32_t c = 1; c < steps; c++)
        str_printf(out, "            done[%u] = done[%u];\n", done + c - 1, done + c);
    str_printf(out, "            done[%u] = y;\n        }\n", done + steps - 1);
}

/* Behind the stretch: all columns in their registers again. */
static void print_gather(const struct stretch *s, uint32_t r, struct str *out)
{
    uint32_t steps = s->end - s->first;
    for (uint32_t w = (uint32_t)s->p->columns.width; w-- > s->end;)
        str_printf(out, "    x[%u] = x[%u];\n", at(s, r, w), at(s, r, w - steps));
    for (uint32_t c = 0; c < steps; c++)
        str_printf(out, "    x[%u] = done[%u];\n", at(s, r, s->first + c),
                   r * stretch_of(s->p) + c);
}

static const char *for_each_row(struct emit *e, const struct stretch *s, print_fn print)
{
    struct str text;
    str_init(&text, e->arena);
    for (uint32_t r = 0; r < s->p->each; r++)
        print(s, r, &text);
    return str_text(&text);
}

static bool print_stretch(struct emit *e, const struct stretch *s, struct str *out)
{
    struct str pivot;
    str_init(&pivot, e->arena);
    for (uint32_t q = 0; q < quads(s); q++)
        str_printf(&pivot, "        %s p%u = pivot[%u];\n", s->quad, q, q);
    const struct template_var vars[] = {
        {"FIRST", arena_printf(e->arena, "%u", s->first)},
        {"END", arena_printf(e->arena, "%u", s->end)},
        {"GROUP", arena_printf(e->arena, "%u", s->p->group)},
        {"LOOP", e->unit->tuning->unroll_hint ? "" : "[[dont_unroll]] "},
        {"TYPE", s->type},
        {"START", for_each_row(e, s, print_start)},
        {"TOP", for_each_row(e, s, print_top)},
        {"KEEP", for_each_row(e, s, print_keep)},
        {"EARLIEST", for_each_row(e, s, print_earliest)},
        {"TAKE", for_each_row(e, s, print_take)},
        {"PIVOT", str_text(&pivot)},
        {"UPDATE", for_each_row(e, s, print_update)},
        {"GATHER", for_each_row(e, s, print_gather)},
    };
    return template_fill("panel_lu_steps.glsl", vars, sizeof vars / sizeof *vars, out, e->diag);
}

/* Rows of a chunk in `stage`: to registers, zeros where there is none. */
static const char *fetch_text(struct emit *e, const struct panel *p)
{
    struct str text;
    str_init(&text, e->arena);
    for (uint32_t r = 0; r < p->each; r++) {
        str_printf(&text, "        at = lid + %uu - base;\n", r * p->group);
        str_add(&text, "        if (at < CHUNK && base + at < ROWS) {\n");
        for (int64_t w = 0; w < p->columns.width; w++)
            str_printf(&text, "            x[%lld] = stage[at * PITCH + %lldu];\n",
                       (long long)(r * p->columns.width + w), (long long)w);
        str_add(&text, "        }\n");
    }
    return str_text(&text);
}

/* And back, with their places. Of a pivot row, what is right of the diagonal is in `corner`. */
static const char *put_text(struct emit *e, const struct panel *p)
{
    struct str text;
    str_init(&text, e->arena);
    for (uint32_t r = 0; r < p->each; r++) {
        str_printf(&text, "        at = lid + %uu - base;\n", r * p->group);
        str_add(&text, "        if (at < CHUNK && base + at < ROWS) {\n");
        str_printf(&text, "            int p = place[%u];\n", r);
        str_add(&text, "            uint to = at * PITCH, pivot_row = uint(p) * PITCH;\n");
        for (int64_t w = 0; w < p->columns.width; w++)
            str_printf(&text,
                       "            stage[to + %lldu] = p < 0 ? 0.0 : p <= %lld ? "
                       "corner[pivot_row + %lldu] : x[%lld];\n",
                       (long long)w, (long long)w, (long long)w,
                       (long long)(r * p->columns.width + w));
        str_printf(&text, "            stage[to + WIDTH] = %s(p - int(WIDTH));\n        }\n",
                   emit_type(e, p->columns.type));
    }
    return str_text(&text);
}

static const char *clear_text(struct emit *e, const struct panel *p)
{
    struct str text;
    str_init(&text, e->arena);
    for (int64_t w = 0; w < p->each * p->columns.width; w++)
        str_printf(&text, "    x[%lld] = 0.0;\n", (long long)w);
    return str_text(&text);
}

/* Of the pivot rows, what is left of the diagonal. */
static const char *corner_text(struct emit *e, const struct panel *p)
{
    struct str text;
    str_init(&text, e->arena);
    for (uint32_t r = 0; r < p->each; r++) {
        str_printf(&text, "    if (place[%u] >= 0 && place[%u] < int(WIDTH)) {\n", r, r);
        str_printf(&text, "        uint to = uint(place[%u]) * PITCH;\n", r);
        for (int64_t w = 0; w + 1 < p->columns.width; w++)
            str_printf(&text,
                       "        if (place[%u] > %lld)\n            corner[to + %lldu] = x[%lld];\n",
                       r, (long long)w, (long long)w, (long long)(r * p->columns.width + w));
        str_add(&text, "    }\n");
    }
    return str_text(&text);
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    struct panel p = panel_of(e->func, e->kernel, e->unit->target->max_shared_bytes);
    struct stretch s = {.p = &p, .type = emit_type(e, p.columns.type)};
    bool is_wide = type_bytes(p.columns.type) == 8;
    struct str steps;
    s.quad = is_wide ? "dvec4" : "vec4";
    str_init(&steps, e->arena);
    for (; s.first < p.columns.width; s.first = s.end) {
        s.end = min32(s.first + stretch_of(&p), (uint32_t)p.columns.width);
        if (!print_stretch(e, &s, &steps))
            return false;
    }
    text_add(t, "STEPS", str_text(&steps));
    text_add(t, "CORNER", corner_text(e, &p));
    text_add(t, "TYPE", s.type);
    text_add(t, "QUAD", s.quad);
    text_add(t, "PRECISE", e->unit->fast_math ? "" : "precise ");
    text_add(t, "FUSED", is_wide ? "NX_FMA_F64" : "NX_FMA"); /* of f64: defined nowhere */
    text_add(t, "MAGNITUDE",
             is_wide ? "uvec2 bits = unpackDouble2x32(x);\n"
                       "    uint high = bits.y & 0x7fffffffu;\n"
                       "    if (high > 0x7ff00000u || (high == 0x7ff00000u && bits.x != 0u))\n"
                       "        return 0x7fffffffu;\n"
                       "    return part == 0u ? high : bits.x;"
                     : "uint bits = floatBitsToUint(x) & 0x7fffffffu;\n"
                       "    return bits > 0x7f800000u ? 0x7fffffffu : bits;");
    text_add_number(e, t, "WIDTH", p.columns.width);
    text_add_number(e, t, "ROWS", p.columns.rows);
    text_add_number(e, t, "EACH", p.each);
    text_add_number(e, t, "STRETCH", p.each * stretch_of(&p));
    text_add_number(e, t, "PARTS", is_wide ? 2 : 1);
    text_add_number(e, t, "GROUPS", p.columns.matrices);
    text_add_number(e, t, "CHUNK", p.chunk);
    text_add(t, "TURNS", text_turns(e, p.chunk * p.columns.width, p.group));
    text_add(t, "CLEAR", clear_text(e, &p));
    text_add(t, "PLACES", e->inner);
    text_add(t, "LOAD", e->load);
    text_add(t, "FETCH", fetch_text(e, &p));
    text_add(t, "PUT", put_text(e, &p));
    text_add(t, "STORE", e->store);
    text_add(t, "STORE_INVERSE", e->none);
    return text_fill(e, t, "lu.comp", out);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    return columns_start(u, k, v, CLASS_PIVOT);
}

static int64_t elements(const struct kernel *k)
{
    const struct columns_space *s = &k->space.columns;
    return s->matrices * (s->rows + s->width) * (s->width + 1);
}

const struct family lu_family = {
    .name = "lu",
    .places = elements,
    .length = columns_width,
    .starts = starts,
    .has_place = has_places,
    .print_space = columns_print_space,
    .schedule = schedule,
    .elements_at_once = one_element,
    .write = kernel_lu,
    .repeats = elements,
    .body = all_text,
    .fill = fill,
};
