/* Rows in shared memory: sort_runs, merge_runs and scan. A workgroup loads its part of one or
   several runs, eight neighbouring elements per thread, sorts, merges or scans it there, and
   stores the results, with the element-wise work that fusion added to them. This file generates
   the value that is loaded and what is stored; the loops, the choice of elements and the work
   between are fixed text in shaders/ and templates/. */
#include "target/limits.h"

#include <string.h>

#include "runtime/bundle.h"
#include "codegen/family/family.h"
#include "codegen/family/schedule.h"
#include "codegen/family/generate.h"
#include "codegen/family/lines.h"
#include "codegen/family/row_accumulator.h"
#include "codegen/family/map.h"
#include "codegen/family/planes.h"
#include "codegen/family/row_elements.h"
#include "codegen/template.h"

struct lines lines_of(const struct func *f, const struct node *n)
{
    bool scan = n->op == OP_SCAN;
    const struct shape *in = &func_tensor(f, n->ins[0])->shape;
    const int64_t *dim = &in->dim[scan ? 0 : 1];
    struct lines l = {.rows = dim[0] * dim[2],
                      .length = dim[1],
                      .inner = dim[2],
                      .run = attr_int(n, n->op == OP_MERGE_RUNS ? ATTR_tile : ATTR_run, 1),
                      .planes = 1};
    if (l.run > l.length)
        l.run = l.length;
    l.runs = (l.length + l.run - 1) / l.run;
    if (scan) {
        l.bytes = type_bytes(hero_accumulator(n));
        l.reverse = attr_bool(n, ATTR_reverse);
        return l;
    }
    l.order = strcmp(attr_text(n, ATTR_gives), "keys") != 0;
    l.words = (uint32_t)in->dim[0] - (n->op == OP_MERGE_RUNS && l.order);
    l.planes = (uint32_t)n->outs[0].shape.dim[0];
    l.bytes = 4 * (l.words + l.order);
    return l;
}

/* ---- what an item is ---- */

/* Fields of an item and arrays in shared memory, by number of words and whether the place is
   there. */
static const char *const fields[3] = {"high", "low", "place"};

static bool has_field(const struct lines *w, uint32_t f)
{
    return f == 0 ? w->words == 2 : f == 1 || w->order;
}

/* "a.high, a.low": `format` with each field's name, with commas or as statements. */
static const char *each_field(struct arena *a, const struct lines *w, const char *before,
                              const char *after, const char *between)
{
    struct str s;
    str_init(&s, a);
    for (uint32_t f = 0; f < 3; f++)
        if (has_field(w, f))
            str_printf(&s, "%s%s%s%s", s.len ? between : "", before, fields[f], after);
    return str_text(&s);
}

/* "mix(y.high, x.high, first), mix(y.low, x.low, first)" */
static const char *choose_text(struct arena *a, const struct lines *w)
{
    struct str s;
    str_init(&s, a);
    for (uint32_t f = 0; f < 3; f++)
        if (has_field(w, f))
            str_printf(&s, "%smix(y.%s, x.%s, first)", s.len ? ", " : "", fields[f], fields[f]);
    return str_text(&s);
}

static const char *before_text(struct arena *a, const struct lines *w, bool zeros)
{
    if (w->words == 1)
        return zeros ? "a.low + uint(a.low == 0x7fffffffu) < b.low + uint(b.low == 0x7fffffffu)"
                     : "a.low < b.low";
    const char *plain = "a.high < b.high || (a.high == b.high && a.low < b.low)";
    if (!zeros)
        return plain;
    return arena_printf(
        a,
        "(%s) && !(a.high == 0x7fffffffu && a.low == 0xffffffffu && b.high == 0x80000000u && b.low == 0u)",
        plain);
}

/* ---- elements ---- */

struct spot {
    /* row, place in it; as an index of [outer, length, inner] */
    const struct ix *o, *r, *at[VKC_MAX_RANK];
    const struct ix *flat;
};

static void place_init(struct emit *e, const struct lines *w, struct spot *p)
{
    uint32_t depth = e->scope->depth;
    p->o = ix_var(e->ix, "o", w->rows, depth);
    p->r = ix_var(e->ix, "r", w->length, depth);
    const struct shape s = shape_of(3, (int64_t[3]){w->rows / w->inner, w->length, w->inner});
    p->at[0] = ix_div(e->ix, p->o, w->inner);
    p->at[1] = p->r;
    p->at[2] = ix_mod(e->ix, p->o, w->inner);
    p->flat = ix_linear(e->ix, &s, p->at);
}

/* The scopes of the template around what is done to an element: the loop over the slots, in a scan
   the one over its steps before that, and the condition that there is an element. */
static void open_slot(struct emit *e, const struct node *n)
{
    for (uint32_t i = n->op == OP_SCAN ? 3 : 2; i > 0; i--)
        emit_open(e);
}

static const char *close_slot(struct emit *e, const struct node *n)
{
    const char *text = emit_take(e);
    for (uint32_t i = n->op == OP_SCAN ? 2 : 1; i > 0; i--)
        emit_take(e); /* nothing is computed there */
    return text;
}

/* ---- loading ---- */

static bool load(struct emit *e, const struct lines *w, const struct node *n)
{
    struct spot p;
    const struct ix *at[VKC_MAX_RANK];
    const char *words[2] = {NULL, NULL};
    open_slot(e, n);
    place_init(e, w, &p);
    e->row = p.o;
    e->position = p.r;
    e->floor = e->scope->depth; /* what a slot without an element would read may not be there */
    uint32_t planes = n->op == OP_SCAN ? 1 : w->words;
    for (uint32_t i = 0; i < planes; i++) {
        at[0] = ix_const(e->ix, i);
        memcpy(at + 1, p.at, 3 * sizeof *at);
        words[i] = emit_value(e, n->ins[0], n->op == OP_SCAN ? p.at : at).text;
        if (!words[i])
            return false;
    }
    e->floor = 0;
    e->row = e->position = NULL;
    if (n->op == OP_SCAN)
        emit_line(e, e->scope->depth, "x = %s;", words[0]);
    else
        emit_line(e, e->scope->depth, "x = item(%s%s%s%s);", words[0], words[1] ? ", " : "",
                  words[1] ? words[1] : "", w->order ? ", r" : "");
    e->load = close_slot(e, n);
    return e->failed == NULL;
}

/* ---- storing ---- */

/* What the results' kernel may read of the hero: the item's words, or the finished sum. */
static void name_hero(struct emit *e, const struct lines *w, const struct node *n,
                      const struct spot *p)
{
    struct value v = {e->kernel->heroes[0], 0};
    uint32_t d = e->scope->depth, count = 0;
    const char *gives = attr_text(n, ATTR_gives);
    if (n->op == OP_SCAN)
        emit_line(e, d, "%s n%u = %s; // scan%s%s", emit_type(e, n->outs[0].type), n->label,
                  emit_wrap(e, n->outs[0].type, "get(s.l)"), n->loc ? "  " : "",
                  n->loc ? n->loc : "");
    else
        emit_line(e, d, "item n%u = get(%s); // %s%s%s", n->label,
                  n->op == OP_MERGE_RUNS ? "l" : "s.l", op_name(n->op), n->loc ? "  " : "",
                  n->loc ? n->loc : "");
    for (uint32_t f = 0; f < 3 && n->op != OP_SCAN; f++)
        if (has_field(w, f) && strcmp(gives, f < 2 ? "order" : "keys") != 0)
            e->planes[count++] = arena_printf(e->arena, "n%u.%s", n->label, fields[f]);
    if (n->op == OP_SCAN)
        e->planes[0] = arena_printf(e->arena, "n%u", n->label);
    emit_hero_is(e, v.node, e->planes[0], d);
    e->hero_index = p->flat;
    e->plane = w->rows * w->length;
}

static bool store(struct emit *e, const struct lines *w, const struct node *n)
{
    struct spot p;
    open_slot(e, n);
    place_init(e, w, &p);
    name_hero(e, w, n, &p);
    e->floor = e->scope->depth;
    if (!planes_store(e, p.flat, w->planes))
        return false;
    e->floor = 0;
    e->store = close_slot(e, n);
    return e->failed == NULL;
}

/* ---- the kernel ---- */

static const char *neutral_text(struct emit *e, enum op op, enum vkc_type t)
{
    uint64_t bits[2];
    op_neutral_bits(op, t, bits);
    return emit_constant(e, t, bits[0], bits[1]);
}

/* Runs are read at places that only the shader finds. */
static bool fetch(struct emit *e, const struct lines *w, const struct node *n)
{
    struct str s;
    str_init(&s, e->arena);
    if (!emit_is_load(e, n->ins[0]))
        return emit_fail(e, "n%u %s reads runs that are not stored", n->label, op_name(n->op)),
               false;
    uint32_t b = emit_binding(e, n->ins[0], VKB_READ);
    if (b < e->kernel->nbound)
        e->kernel->bound[b].load_index = e->kernel;
    for (uint32_t i = 0; i < w->words + w->order; i++)
        str_printf(&s, "%s%s", i ? ", " : "",
                   emit_element(
                       e, n->ins[0],
                       i ? arena_printf(e->arena, "i + %lldu", (long long)(i * w->rows * w->length))
                         : "i"));
    e->inner = str_text(&s);
    if (!emit_is_load(e, n->ins[1]))
        return emit_fail(e, "n%u %s needs a stored length of runs", n->label, op_name(n->op)),
               false;
    emit_binding(e, n->ins[1], VKB_READ);
    const char *pair_size = emit_element(e, n->ins[1], "1u");
    emit_line(e, 0, "uint run = %s, pair_size = %s;", emit_element(e, n->ins[1], "0u"), pair_size);
    return true;
}

static bool kernel_lines(struct emit *e)
{
    const struct node *n = func_node(e->func, e->kernel->heroes[0]);
    const struct lines_schedule *s = &e->kernel->schedule.lines;
    struct lines w = lines_of(e->func, n);
    enum vkc_type t = hero_accumulator(n);
    uint64_t identity = 0;
    if (e->unit->workgroup)
        return emit_fail(e, "n%u %s is not a phase of a workgroup program", n->label,
                         op_name(n->op)),
               false;
    if (n->op != OP_MERGE_RUNS && s->steps > 1 && n->op != OP_SCAN)
        return emit_fail(e,
                         "n%u %s: a run of %lld elements does not fit the target's shared memory",
                         n->label, op_name(n->op), (long long)w.run),
               false;
    e->kernel->shared_bytes = lines_slots(s->span * s->group_runs) * w.bytes +
                              (n->op == OP_SCAN ? e->kernel->schedule.group * w.bytes : 256);
    emit_count(e, 4);
    if (n->op == OP_MERGE_RUNS)
        return fetch(e, &w, n) && store(e, &w, n);
    if (n->op == OP_SORT_RUNS)
        return load(e, &w, n) && store(e, &w, n);
    enum op op = op_parse(attr_text(n, ATTR_combine));
    if (!op_identity_bits(op, t, &identity))
        return emit_fail(e, "n%u scan has no identity for %s", n->label, type_name(t)), false;
    e->inner = emit_combine(e, op, t, "x", "y");
    e->none = neutral_text(e, op, t);
    return load(e, &w, n) && store(e, &w, n);
}

/* ---- its text ---- */

static void add_all(struct kernel_text *t, const struct template_var *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_add(t, list[i].name, list[i].text);
}

/* What line_slot.glsl is filled with, and the loops over slots. */
static void add_slots(struct emit *e, const struct lines *w, struct kernel_text *t)
{
    const struct lines_schedule *s = &e->kernel->schedule.lines;
    int64_t lines = w->rows * w->runs;
    text_add_number(e, t, "GROUP_RUNS", s->group_runs);
    text_add_number(e, t, "SPAN", s->span);
    text_add_number(e, t, "RUN", w->run);
    text_add_number(e, t, "RUNS", w->runs);
    text_add_number(e, t, "LENGTH", w->length);
    text_add_number(e, t, "LINES", lines);
    text_add(t, "ACROSS", s->across ? "true" : "false");
    text_add(t, "REVERSE", w->reverse ? "true" : "false");
    text_add_number(e, t, "GROUPS", (lines + s->group_runs - 1) / s->group_runs);
    text_add(t, "LOAD", e->load);
}

static bool fill_scan(struct emit *e, const struct lines *w, const struct node *n,
                      struct kernel_text *text, struct str *out)
{
    const struct lines_schedule *s = &e->kernel->schedule.lines;
    struct arena *a = e->arena;
    enum vkc_type t = hero_accumulator(n);
    bool precise = !e->unit->fast_math && (type_is_float(t) || type_is_complex(t));
    const struct template_var more[] = {
        {"TYPE", emit_type(e, t)},
        {"SLOTS", arena_printf(a, "%u", lines_slots(s->span * s->group_runs))},
        {"COMBINE", e->inner},
        {"PRECISE", precise ? "precise " : ""},
        {"LANES", arena_printf(a, "%u", s->span / LINES_EACH)},
        {"ROUNDS", arena_printf(a, "%u", s->steps)},
        {"NONE", e->none},
    };
    add_all(text, more, sizeof more / sizeof *more);
    add_slots(e, w, text);
    return text_fill(e, text, "scan.comp", out);
}

/* Items in shared memory as vectors: one access for all fields. To Mesa's CPU driver each of a lane
   is a branch; a sort of 256 f64 takes LLVM 19 a third of the time, and runs a quarter faster. */
static void add_vectors(struct emit *e, const struct lines *w, uint32_t slots,
                        struct kernel_text *text)
{
    struct arena *a = e->arena;
    struct str get, put;
    uint32_t n = 0;
    str_init(&get, a);
    str_init(&put, a);
    for (uint32_t f = 0; f < 3; f++)
        n += has_field(w, f);
    const char *type = n == 1 ? "uint" : arena_printf(a, "uvec%u", n);
    str_printf(&get, "%s x = all_items[i];\n    return item(", type);
    str_printf(&put, "all_items[i] = %s(", type);
    for (uint32_t f = 0, at = 0; f < 3; f++)
        if (has_field(w, f)) {
            str_printf(&get, n > 1 ? "%sx.%c" : "%sx", at ? ", " : "", "xyz"[at]);
            str_printf(&put, "%sx.%s", at ? ", " : "", fields[f]);
            at++;
        }
    str_add(&get, ");");
    str_add(&put, ");");
    text_add(text, "SHARED", arena_printf(a, "shared %s all_items[%u];", type, slots));
    text_add(text, "GET", str_text(&get));
    text_add(text, "PUT", str_text(&put));
}

/* The same as an array for each field: neighbours are in different banks. */
static void add_arrays(struct emit *e, const struct lines *w, uint32_t slots,
                       struct kernel_text *text)
{
    struct str shared, put;
    str_init(&shared, e->arena);
    str_init(&put, e->arena);
    for (uint32_t f = 0; f < 3; f++)
        if (has_field(w, f)) {
            const char *name = fields[f];
            str_printf(&shared, "%sshared uint all_%s[%u];", shared.len ? "\n" : "", name, slots);
            str_printf(&put, "%sall_%s[i] = x.%s;", put.len ? "\n    " : "", name, name);
        }
    text_add(text, "SHARED", str_text(&shared));
    text_add(
        text, "GET",
        arena_printf(e->arena, "return item(%s);", each_field(e->arena, w, "all_", "[i]", ", ")));
    text_add(text, "PUT", str_text(&put));
}

/* What sort_item.glsl is filled with. */
static void add_item(struct emit *e, const struct lines *w, const struct node *n,
                     struct kernel_text *text)
{
    struct arena *a = e->arena;
    const struct lines_schedule *s = &e->kernel->schedule.lines;
    uint32_t slots = lines_slots(s->span * s->group_runs);
    text_add(text, "FIELDS", each_field(a, w, "", "", ", "));
    (e->unit->tuning->for_cpus ? add_vectors : add_arrays)(e, w, slots, text);
    text_add(text, "CHOOSE", choose_text(a, w));
    text_add(text, "BEFORE", before_text(a, w, attr_bool(n, ATTR_zeros)));
}

/* How many rounds of a search among `n` places leave one, when each looks at `at_once`. */
static uint32_t rounds_of(int64_t n, int64_t at_once)
{
    uint32_t rounds = 0;
    for (; n > 0; rounds++)
        n = (n + at_once - 1) / at_once - 1;
    return rounds;
}

static bool fill_merge(struct emit *e, const struct lines *w, struct kernel_text *t,
                       struct str *out)
{
    const struct lines_schedule *s = &e->kernel->schedule.lines;
    struct arena *a = e->arena;
    uint32_t half = e->kernel->schedule.group / 2, rounds = rounds_of(w->length, half);
    int64_t row_groups = (w->length + s->span - 1) / s->span;
    const struct template_var more[] = {
        {"FETCH", e->inner},
        {"FOUND", arena_printf(a, "%u", 2 * rounds)},
        {"HALF", arena_printf(a, "%u", half)},
        {"SPAN", arena_printf(a, "%u", s->span)},
        {"LENGTH", arena_printf(a, "%lld", (long long)w->length)},
        {"ROW_GROUPS", arena_printf(a, "%lld", (long long)row_groups)},
        {"GROUPS", arena_printf(a, "%lld", (long long)(row_groups * w->rows))},
    };
    add_all(t, more, sizeof more / sizeof *more);
    return text_fill(e, t, "merge_runs.comp", out);
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    const struct node *n = func_node(e->func, e->kernel->heroes[0]);
    struct lines w = lines_of(e->func, n);
    text_add(t, "HEAD", str_text(&e->scope->text));
    text_add(t, "STORE", e->store);
    text_add(t, "UNROLL", e->unit->tuning->unroll_hint ? "[[unroll]] " : "[[dont_unroll]] ");
    if (n->op == OP_SCAN)
        return fill_scan(e, &w, n, t, out);
    add_item(e, &w, n, t);
    if (n->op == OP_MERGE_RUNS)
        return fill_merge(e, &w, t, out);
    add_slots(e, &w, t);
    text_add(t, "NONE",
             arena_printf(e->arena, "item(%s%s0xffffffffu)", w.words == 2 ? "0xffffffffu, " : "",
                          w.order ? "0xffffffffu, " : ""));
    return text_fill(e, t, "sort_runs.comp", out);
}

/* ---- the row ---- */

/* Eight elements per thread; as many runs in a workgroup as make it worth starting. If neighbours
   in memory are in different rows, 32 rows side by side, so that a load is whole sectors. */
static void schedule_lines(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    (void)most_unroll;
    const struct vkc_target *t = u->target;
    struct lines_schedule *s = &k->schedule.lines;
    const struct node *n = func_node(unit_func(u), k->heroes[0]);
    struct lines w = lines_of(unit_func(u), n);
    bool across = s->across && u->tuning->coalesces, scan = n->op == OP_SCAN;
    uint32_t bytes = scan ? w.bytes + (w.bytes + LINES_EACH - 1) / LINES_EACH : w.bytes,
             most = lines_most(t->max_invocations, t->max_shared_bytes, bytes);
    uint32_t elements = scan || across           ? u->tuning->scan_elements
                        : n->op == OP_MERGE_RUNS ? u->tuning->merge_elements
                                                 : u->tuning->sort_elements;
    uint32_t wanted = min32(most, elements), rows = across ? 32 : 1;
    int64_t span = lines_ceil_power(w.run);
    uint32_t longest = n->op == OP_SORT_RUNS ? most : scan ? wanted / rows : wanted;
    s->span = (uint32_t)(span < longest ? span : longest);
    s->steps = (uint32_t)((w.run + s->span - 1) / s->span);
    s->group_runs = n->op == OP_MERGE_RUNS || wanted < s->span ? 1 : wanted / s->span;
    while (s->group_runs > 1 && s->group_runs / 2 >= w.rows * w.runs)
        s->group_runs /= 2;
    if (n->op == OP_SORT_RUNS && across) /* more rows rather than more workgroups */
        s->group_runs = min32(rows, most / s->span);
    k->schedule.group = s->span * s->group_runs / LINES_EACH;
    if (n->op == OP_MERGE_RUNS)
        schedule_spread(k, w.rows * ((w.length + s->span - 1) / s->span));
    else
        schedule_spread(k, (w.rows * w.runs + s->group_runs - 1) / s->group_runs);
}

/* Once more where neighbours in memory lie in other rows. */
static bool across(struct unit *u, struct kernel *k, struct emit *e, struct diag *d)
{
    if (e->along_outer <= e->along_row)
        return true;
    k->schedule.lines.across = true;
    return kernel_body(u, k, 1, false, e, d);
}

const char *lines_text(struct emit *e)
{
    return arena_printf(e->arena, "%s%s%s%s", str_text(&e->scope->text), e->load ? e->load : "",
                        e->store, e->inner ? e->inner : "");
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    if (op_class(n->op) != CLASS_ORDER && op_class(n->op) != CLASS_MERGE &&
        op_class(n->op) != CLASS_SCAN)
        return false;
    struct lines l = lines_of(unit_func(u), n);
    k->space.lines = (struct lines_space){l.rows, l.length};
    return true;
}

int64_t lines_places(const struct kernel *k)
{
    return k->space.lines.rows;
}

int64_t lines_length(const struct kernel *k)
{
    return k->space.lines.length;
}

bool lines_join(const struct unit *u, const struct kernel *k, const struct kernel *other,
                struct kernel *out)
{
    (void)u;
    return elements_join(k, other, k->space.lines.rows * k->space.lines.length, out);
}

const struct family lines_family = {
    .name = "lines",
    .places = lines_places,
    .length = lines_length,
    .starts = starts,
    .join = lines_join,
    .has_place = has_places,
    .print_space = print_rows_space,
    .schedule = schedule_lines,
    .elements_at_once = one_element,
    .write = kernel_lines,
    .rewrite = across,
    .repeats = rows_repeats,
    .body = lines_text,
    .fill = fill,
};
