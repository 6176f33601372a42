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
    uint32_t block;       /* columns */
    bool inverts;         /* the pivot once, not for each row */
};

static struct panel panel_of(const struct emit *e)
{
    const struct kernel *k = e->kernel;
    const struct func *f = e->func;
    uint32_t shared_bytes = e->unit->target->max_shared_bytes;
    struct panel p = {.columns = columns_of(f, k), .group = k->schedule.group};
    const struct columns *c = &p.columns;
    p.each = (uint32_t)((c->rows + p.group - 1) / p.group);
    p.chunk = lu_chunk(c->rows, c->width, type_bytes(c->type), shared_bytes);
    /* each thread may offer a row of a block, where rows pass through */
    p.block = LU_BLOCK;
    while (p.block > c->width || (p.block > 1 && p.group * p.block > p.chunk * (c->width + 1)))
        p.block /= 2;
    p.inverts = e->unit->tuning->inverse_once && c->type == TYPE_F32;
    return p;
}

static bool load_places(struct emit *e, const struct panel *p, const struct node *n,
                        struct str *out)
{
    const struct shape *from = &func_tensor(e->func, n->ins[1])->shape;
    for (uint32_t r = 0; r < p->each; r++) {
        emit_open(e);
        emit_line(e, e->scope->depth, "uint i = lid + %uu;", r * p->group);
        const struct ix *at[VKC_MAX_RANK] = {ix_var(e->ix, "o", p->columns.matrices, 0),
                                             ix_var(e->ix, "i", p->columns.rows, e->scope->depth),
                                             ix_const(e->ix, from->dim[2] - 1)};
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

/* A loop over elements, of which some are under way at a time. */
static const char *turns(struct emit *e, int64_t elements, uint32_t group)
{
    enum { AT_ONCE = 16 };
    if (!e->unit->tuning->unroll_hint || elements < AT_ONCE * (int64_t)group)
        return text_turns(e, elements, group);
    return arena_printf(
        e->arena,
        "for (uint next = lid; next < %lldu; next += %uu)\n"
        "            [[unroll]] for (uint l = next, t = 0u; t < %uu; l += %uu, t += "
        "%uu)\n                if (l < %lldu)",
        (long long)elements, AT_ONCE * group, AT_ONCE * group, group, group, (long long)elements);
}

/* Elements that a thread loads together: one where it has several rows, whose registers they would
   be beside. */
static uint32_t at_once(const struct emit *e, const struct panel *p)
{
    enum { MOST = 16 };
    if (p->each > 1)
        return 1;
    int64_t each = (p->chunk * p->columns.width + p->group - 1) / p->group;
    return !e->unit->tuning->unroll_hint ? 1 : each < MOST ? (uint32_t)each : MOST;
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
    emit_close_into(e, turns(e, p->columns.width * (p->columns.width + 1), p->group), out);
}

/* Of a thread, at most. */
static uint64_t iterations_of(const struct panel *p, uint32_t bytes)
{
    int64_t w = p->columns.width, of_triangle = w * w / p->group + 1;
    return (uint64_t)(w * (2 + bytes / 4) +
                      (p->columns.rows / p->chunk + 1) *
                          (35 + 4 * p->chunk * (w + 1) / p->group + of_triangle) +
                      (4 * w + 1) * of_triangle);
}

static bool kernel_lu(struct emit *e)
{
    struct kernel *k = e->kernel;
    const struct node *n = func_node(e->func, k->heroes[0]);
    const struct vkc_target *t = e->unit->target;
    struct panel p = panel_of(e);
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
    e->iterations = iterations_of(&p, bytes);
    if (p.inverts)
        emit_call(e, "nx_inverse", TYPE_F32);
    emit_call(e, p.inverts ? "nx_div_by" : "nx_div", p.columns.type);
    str_init(&places, e->arena);
    str_init(&inverse, e->arena);
    if (!load_places(e, &p, n, &places))
        return false;
    store_inverse(e, &p, &inverse);
    e->inner = str_text(&places);
    e->load = columns_load(e, &p.columns, "next[t]");
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

/* The code of a block names as many registers as there were columns at the first one of its
   stretch: longer stretches do what nobody needs, shorter ones are more code. Where code is dear,
   and what nobody needs can be left out, there is one stretch. */
enum { STRETCH = 8, STRETCH_ROWS = 4 };
/* Of a stretch, threads with many rows have fewer, so that done[] stays small. */
static uint32_t stretch_of(const struct panel *p)
{
    return p->each <= STRETCH_ROWS ? STRETCH : LU_BLOCK;
}

/* Whether the columns are one stretch: of blocks of whole vectors, which are left out together. */
static bool turns_whole(const struct emit *e, const struct panel *p)
{
    return !e->unit->tuning->unroll_hint && p->block % 4 == 0 && p->columns.width % p->block == 0;
}

/* Columns `first` to `end`, in blocks. When a block begins, x[first ...] are the columns that are
   left, and done[] has those of the stretch that are eliminated, the last of them at its end. A
   stretch that `turns` is all of the columns, and has the eliminated ones last in x. */
struct stretch {
    const struct panel *p;
    const char *type, *quad; /* and four of it */
    uint32_t first, end;
    uint32_t block; /* columns */
    bool turns;
};

/* The register of a thread's row r for column w. */
static uint32_t at(const struct stretch *s, uint32_t r, uint32_t w)
{
    return r * (uint32_t)s->p->columns.width + w;
}

/* Columns right of the first block. */
static uint32_t right_of(const struct stretch *s)
{
    return (uint32_t)s->p->columns.width - s->first - s->block;
}

typedef void (*print_fn)(const struct stretch *s, uint32_t r, struct str *out);

static void print_start(const struct stretch *s, uint32_t r, struct str *out)
{
    (void)s;
    str_printf(out, "            is_on[%u] = place[%u] >= int(k);\n", r, r);
}

static void print_top(const struct stretch *s, uint32_t r, struct str *out)
{
    str_printf(out, "                if (is_on[%u])\n", r);
    str_printf(out, "                    top = max(top, magnitude(x[%u], part));\n",
               at(s, r, s->first));
}

static void print_keep(const struct stretch *s, uint32_t r, struct str *out)
{
    str_printf(out, "                is_on[%u] = is_on[%u] && magnitude(x[%u], part) == top;\n", r,
               r, at(s, r, s->first));
}

static void print_key(const struct stretch *s, uint32_t r, struct str *out)
{
    str_printf(out, "            if (is_on[%u])\n", r);
    str_printf(out, "                key = max(key, key_of(place[%u], lid + %uu));\n", r,
               r * s->p->group);
}

static void print_offer(const struct stretch *s, uint32_t r, struct str *out)
{
    str_printf(out, "                if (row_of(key) == lid + %uu) {\n", r * s->p->group);
    for (uint32_t c = 0; c < s->block; c++)
        str_printf(out, "                    stage[lid * %uu + %uu] = x[%u];\n", s->block, c,
                   at(s, r, s->first + c));
    str_add(out, "                }\n");
}

static void print_take(const struct stretch *s, uint32_t r, struct str *out)
{
    str_printf(out,
               "            place[%u] = row == lid + %uu ? int(k) : place[%u] == int(k) ? from : "
               "place[%u];\n",
               r, r * s->p->group, r, r);
}

/* The pivot row in the block's columns, of which those that are done come last. */
static const char *corner_row_text(struct emit *e, const struct stretch *s)
{
    struct str text;
    str_init(&text, e->arena);
    for (uint32_t c = 0; c < s->block; c++)
        str_printf(&text,
                   "                corner[k * PITCH + start + (step + %uu) %% %uu] = p%u;\n", c,
                   s->block, c);
    return str_text(&text);
}

/* Rows that became pivots in the block, right of it. */
static void print_upper(const struct stretch *s, uint32_t r, struct str *out)
{
    str_printf(out, "            if (uint(place[%u]) - start < %uu) {\n", r, s->block);
    str_printf(out, "                uint to = (uint(place[%u]) - start) * QUADS;\n", r);
    for (uint32_t w = 0; w < right_of(s); w += 4) {
        str_printf(out, "                upper[to + %uu] = %s(", w / 4, s->quad);
        for (uint32_t c = w; c < w + 4; c++)
            str_printf(out, c < right_of(s) ? "%sx[%u]" : "%s0.0", c == w ? "" : ", ",
                       at(s, r, s->first + s->block + c));
        str_add(out, ");\n");
    }
    str_add(out, "            }\n");
}

/* Rows that are settled are changed, too: nobody reads them. */
static void print_update(const struct stretch *s, uint32_t r, struct str *out)
{
    uint32_t x = at(s, r, s->first);
    str_printf(out, "            {\n                %s y = x[%u];\n", s->type, x);
    str_printf(out, "                if (p0 != 0.0)\n                    y = %s;\n",
               s->p->inverts ? "nx_div_by(y, p0, inverse_p0)" : "nx_div(y, p0)");
    for (uint32_t c = 1; c < s->block; c++)
        str_printf(out, "                x[%u] = step < %uu ? less(x[%u], y, p%u) : x[%u];\n",
                   x + c - 1, s->block - c, x + c, c, x + c);
    str_printf(out, "                x[%u] = y;\n            }\n", x + s->block - 1);
}

/* Behind a block: its columns leave the registers x. */
static void print_turn(const struct stretch *s, uint32_t r, struct str *out)
{
    uint32_t steps = s->end - s->first, done = r * stretch_of(s->p);
    for (uint32_t c = 0; s->turns && c < s->block; c++)
        str_printf(out, "        %s done%u_%u = x[%u];\n", s->type, r, c, at(s, r, s->first + c));
    if (s->turns)
        return;
    for (uint32_t c = 0; c < steps; c++)
        if (c + s->block < steps)
            str_printf(out, "        done[%u] = done[%u];\n", done + c, done + c + s->block);
        else
            str_printf(out, "        done[%u] = x[%u];\n", done + c,
                       at(s, r, s->first + c + s->block - steps));
}

/* The next column of the block to the front. */
static void print_next(const struct stretch *s, uint32_t r, struct str *out)
{
    uint32_t x = at(s, r, s->first);
    str_printf(out, "                %s y%u = x[%u];\n", s->type, r, x);
    for (uint32_t c = 1; c < s->block; c++)
        str_printf(out, "                x[%u] = x[%u];\n", x + c - 1, x + c);
    str_printf(out, "                x[%u] = y%u;\n", x + s->block - 1, r);
}

/* What is right of the block loses what a pivot row takes off it. */
static const char *less_text(struct emit *e, const struct stretch *s)
{
    struct str text;
    str_init(&text, e->arena);
    for (uint32_t w = 0; w < right_of(s); w++) {
        bool guarded = s->turns && w >= 4;
        if (w % 4 == 0 && guarded)
            str_printf(&text, "                if (start + %uu < WIDTH) {\n", s->block + w);
        if (w % 4 == 0)
            str_printf(&text, "                %su = upper[c * QUADS + %uu];\n",
                       w ? "" : arena_printf(e->arena, "%s ", s->quad), w / 4);
        for (uint32_t r = 0; r < s->p->each; r++) {
            uint32_t x = at(s, r, s->first + s->block + w);
            str_printf(&text, "                x[%u] = less(x[%u], y%u, u.%c);\n", x, x, r,
                       "xyzw"[w % 4]);
        }
        if (guarded && (w % 4 == 3 || w + 1 == right_of(s)))
            str_add(&text, "                }\n");
    }
    return str_text(&text);
}

static void print_shift(const struct stretch *s, uint32_t r, struct str *out)
{
    for (uint32_t w = 0; w < right_of(s); w++)
        str_printf(out, "        x[%u] = x[%u];\n", at(s, r, s->first + w),
                   at(s, r, s->first + s->block + w));
    for (uint32_t c = 0; s->turns && c < s->block; c++)
        str_printf(out, "        x[%u] = done%u_%u;\n", at(s, r, s->first + right_of(s) + c), r, c);
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

/* What is right of a block, of its pivot rows: each loses what the rows above take off it. */
static const char *settle_text(struct emit *e, const struct stretch *s)
{
    struct str text;
    str_init(&text, e->arena);
    for (uint32_t c = 0; c < s->block; c++)
        str_printf(&text, "                %s u%u = upper[%uu * QUADS + lid];\n", s->quad, c, c);
    for (uint32_t c = 1; c < s->block; c++) {
        for (uint32_t b = 0; b < c; b++)
            str_printf(
                &text,
                "                u%u = less(u%u, corner[(start + %uu) * PITCH + start + %uu], "
                "u%u);\n",
                c, c, c, b, b);
        str_printf(&text, "                upper[%uu * QUADS + lid] = u%u;\n", c, c);
    }
    for (uint32_t c = 0; c < s->block; c++)
        str_printf(&text, "                put_corner(start + %uu, start + %uu + 4u * lid, u%u);\n",
                   c, s->block, c);
    return str_text(&text);
}

static const char *rest_text(struct emit *e, const struct stretch *s)
{
    struct str text;
    const struct template_var vars[] = {
        {"BLOCK", arena_printf(e->arena, "%u", s->block)},
        {"RIGHT", s->turns ? arena_printf(e->arena, "(WIDTH - start - %uu + 3u) / 4u", s->block)
                           : arena_printf(e->arena, "%uu", (right_of(s) + 3) / 4)},
        {"UPPER", for_each_row(e, s, print_upper)},
        {"SETTLE", settle_text(e, s)},
        {"TURN", for_each_row(e, s, print_turn)},
        {"NEXT", for_each_row(e, s, print_next)},
        {"LESS", less_text(e, s)},
        {"SHIFT", for_each_row(e, s, print_shift)},
    };
    str_init(&text, e->arena);
    if (right_of(s) == 0)
        return "";
    return template_fill("panel_lu_rest.glsl", vars, sizeof vars / sizeof *vars, &text, e->diag)
               ? str_text(&text)
               : NULL;
}

static bool print_stretch(struct emit *e, const struct stretch *s, struct str *out)
{
    struct str pivot;
    str_init(&pivot, e->arena);
    for (uint32_t c = 0; c < s->block; c++)
        str_printf(&pivot, "            %s p%u = stage[row %% %uu * %uu + %uu];\n", s->type, c,
                   s->p->group, s->block, c);
    if (s->p->inverts)
        str_add(&pivot, "            float inverse_p0 = nx_inverse(p0);\n");
    const char *rest = rest_text(e, s);
    const struct template_var vars[] = {
        {"FIRST", arena_printf(e->arena, "%u", s->first)},
        {"END", arena_printf(e->arena, "%u", s->end)},
        {"BLOCK", arena_printf(e->arena, "%u", s->block)},
        {"START", for_each_row(e, s, print_start)},
        {"TOP", for_each_row(e, s, print_top)},
        {"KEEP", for_each_row(e, s, print_keep)},
        {"KEY", for_each_row(e, s, print_key)},
        {"OFFER", for_each_row(e, s, print_offer)},
        {"PIVOT", str_text(&pivot)},
        {"CORNER_ROW", corner_row_text(e, s)},
        {"TAKE", for_each_row(e, s, print_take)},
        {"UPDATE", for_each_row(e, s, print_update)},
        {"REST", rest},
        {"GATHER", right_of(s) && !s->turns ? for_each_row(e, s, print_gather) : ""},
    };
    return rest &&
           template_fill("panel_lu_steps.glsl", vars, sizeof vars / sizeof *vars, out, e->diag);
}

/* As many whole blocks as a stretch has; the last columns may be a shorter one. */
static bool print_steps(struct emit *e, const struct panel *p, struct str *out)
{
    uint32_t width = (uint32_t)p->columns.width;
    struct stretch s = {.p = p,
                        .type = emit_type(e, p->columns.type),
                        .quad = type_bytes(p->columns.type) == 8 ? "dvec4" : "vec4"};
    for (; s.first < width; s.first = s.end) {
        s.block = min32(p->block, width - s.first);
        s.turns = turns_whole(e, p);
        s.end =
            s.first + min32(s.turns ? width : stretch_of(p), (width - s.first) / s.block * s.block);
        if (!print_stretch(e, &s, out))
            return false;
    }
    return true;
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

/* And back, with their places. */
static const char *put_text(struct emit *e, const struct panel *p)
{
    struct str text;
    str_init(&text, e->arena);
    for (uint32_t r = 0; r < p->each; r++) {
        str_printf(&text, "        at = lid + %uu - base;\n", r * p->group);
        str_add(&text, "        if (at < CHUNK && base + at < ROWS) {\n");
        for (int64_t w = 0; w < p->columns.width; w++)
            str_printf(&text,
                       "            stage[at * PITCH + %lldu] = place[%u] < 0 ? 0.0 : x[%lld];\n",
                       (long long)w, r, (long long)(r * p->columns.width + w));
        str_printf(&text, "            stage[at * PITCH + WIDTH] = %s(place[%u] - int(WIDTH));\n",
                   emit_type(e, p->columns.type), r);
        str_add(&text, "        }\n");
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

/* Of the pivot rows, what is left of their block's columns. */
static const char *corner_text(struct emit *e, const struct panel *p)
{
    struct str text;
    str_init(&text, e->arena);
    for (uint32_t r = 0; r < p->each; r++) {
        str_printf(&text, "    if (place[%u] >= 0 && place[%u] < int(WIDTH)) {\n", r, r);
        str_printf(&text, "        uint to = uint(place[%u]) * PITCH;\n", r);
        for (int64_t w = 0; w / p->block * p->block + p->block < p->columns.width; w++)
            str_printf(
                &text,
                "        if (place[%u] >= %lld)\n            corner[to + %lldu] = x[%lld];\n", r,
                (long long)(w / p->block * p->block + p->block), (long long)w,
                (long long)(r * p->columns.width + w));
        str_add(&text, "    }\n");
    }
    return str_text(&text);
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    struct panel p = panel_of(e);
    bool is_wide = type_bytes(p.columns.type) == 8;
    struct str steps;
    str_init(&steps, e->arena);
    if (!print_steps(e, &p, &steps))
        return false;
    text_add(t, "STEPS", str_text(&steps));
    text_add(t, "CORNER", corner_text(e, &p));
    text_add(t, "TYPE", emit_type(e, p.columns.type));
    text_add(t, "QUAD", is_wide ? "dvec4" : "vec4");
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
    text_add(t, "DONE",
             turns_whole(e, &p)
                 ? ""
                 : arena_printf(e->arena, "    %s done[%u];\n", emit_type(e, p.columns.type),
                                p.each * stretch_of(&p)));
    text_add_number(e, t, "PARTS", is_wide ? 2 : 1);
    text_add_number(e, t, "GROUPS", p.columns.matrices);
    text_add_number(e, t, "CHUNK", p.chunk);
    text_add_number(e, t, "BLOCK", p.block);
    text_add_number(e, t, "AT_ONCE", at_once(e, &p));
    text_add(t, "TURNS_BACK", turns(e, p.chunk * (p.columns.width + 1), p.group));
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
