#define _POSIX_C_SOURCE 200809L
#include "codegen/emit/emit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Recursion must fit a scheduler's stack of 320 KB. The limit for a phase is low because drivers
   take minutes to compile one long shader: it is better to store a value, at the price of a
   barrier, than to compute it again. */
enum { STATEMENT_LIMIT = 1500, PHASE_LIMIT = 256, DEPTH_LIMIT = 192 };

/* All text counts, so that these limits bound a kernel's text whatever the number of paths through
   the graph: x = take(x, x) reads x at two places; done 20 times, at a million. A guard has four
   lines or more for its one statement. Values are counted because some write no line. The lines
   that compute a value again at a further index may be as many as all others, and AGAIN_LIMIT
   more; beyond that it is cheaper to store the value in a kernel of its own (fuse_cut.c). Kernels
   in test/graphs have at most 189 such lines, for random bits. */
enum { LINES_A_STATEMENT = 3, VALUES_A_STATEMENT = 16, BYTES_A_STATEMENT = 160, AGAIN_LIMIT = 256 };
enum { LINE_CODE = 2 }; /* additions' worth of a load, a guard or a part of an index */
enum { INSTRUCTIONS_AN_ADDITION = 3 };

/* ---- scopes ---- */

struct memo {
    struct memo *next;
    struct value v;
    uint32_t slot;
    uint32_t rank;
    const struct ix **idx;
    struct expr value;
};

bool emit_init(struct emit *e, struct unit *u, struct kernel *k, struct diag *d)
{
    u->texts++;
    *e = (struct emit){
        .arena = u->arena, .unit = u, .elements = 1, .func = unit_func(u), .kernel = k, .diag = d};
    e->limit = u->workgroup ? PHASE_LIMIT : STATEMENT_LIMIT;
    e->ix = ix_create(u->arena);
    e->heroes = ARENA_NEW(u->arena, struct slots);
    e->names = ARENA_NEW(u->arena, struct slots);
    e->scope = ARENA_NEW(u->arena, struct scope);
    if (!e->ix || !e->heroes || !e->names || !e->scope)
        return FAIL(d, MEMORY, "out of memory");
    str_init(&e->scope->text, u->arena);
    return true;
}

bool emit_trial(struct emit *e, struct emit *trial)
{
    struct kernel *copy = arena_copy(e->arena, e->kernel, sizeof *e->kernel);
    *trial = *e;
    trial->trial = true;
    trial->scope = ARENA_NEW(e->arena, struct scope);
    trial->names = ARENA_NEW(e->arena, struct slots);
    if (!copy || !trial->scope || !trial->names)
        return false;
    copy->bound = NULL;
    copy->nbound = copy->cap_bound = 0;
    trial->kernel = copy;
    trial->along_row = trial->along_outer = 0;
    str_init(&trial->scope->text, e->arena);
    emit_open(trial);
    return true;
}

void emit_open(struct emit *e)
{
    struct scope *s = ARENA_NEW(e->arena, struct scope);
    if (!s) {
        e->failed = "out of memory";
        return;
    }
    s->parent = e->scope;
    s->depth = e->scope->depth + 1;
    str_init(&s->text, e->arena);
    e->scope = s;
}

void emit_close(struct emit *e, const char *head)
{
    struct scope *s = e->scope;
    if (!s->parent)
        return;
    e->scope = s->parent;
    if (head)
        emit_line(e, e->scope->depth, head[0] ? "%s {" : "%s{", head);
    str_add(&e->scope->text, str_text(&s->text));
    if (head)
        emit_line(e, e->scope->depth, "}");
}

void emit_close_each(struct emit *e, const char *name, uint32_t count)
{
    struct scope *s = e->scope;
    if (!s->parent)
        return;
    e->scope = s->parent;
    for (uint32_t i = 0; i < count; i++) {
        emit_line(e, e->scope->depth, "{");
        emit_line(e, e->scope->depth, "    const uint %s = %uu;", name, i);
        str_add(&e->scope->text, str_text(&s->text));
        emit_line(e, e->scope->depth, "}");
    }
}

void emit_close_into(struct emit *e, const char *head, struct str *chain)
{
    struct scope *s = e->scope;
    if (!s->parent)
        return;
    e->scope = s->parent;
    for (uint32_t i = 0; i <= e->scope->depth; i++)
        str_add(chain, "    ");
    str_printf(chain, "%s {\n%s", head, str_text(&s->text));
    for (uint32_t i = 0; i <= e->scope->depth; i++)
        str_add(chain, "    ");
    str_add(chain, "}\n");
}

const char *emit_take(struct emit *e)
{
    struct scope *s = e->scope;
    if (!s->parent)
        return "";
    e->scope = s->parent;
    return str_text(&s->text);
}

/* Blocks are already indented and counted, so the file is filled with marks that stand for them. */
bool emit_pour(struct emit *e, const char *file, const struct template_var *vars, uint32_t nvars,
               const struct template_var *blocks, uint32_t nblocks)
{
    static const char *const marks[] = {"\1", "\2", "\3", "\4", "\5", "\6"};
    enum { MOST_BLOCKS = sizeof marks / sizeof *marks, MOST_VARS = 32 };
    struct template_var all[MOST_VARS + MOST_BLOCKS];
    struct str text;
    if (nvars > MOST_VARS || nblocks > MOST_BLOCKS)
        return FAIL(e->diag, INTERNAL, "too many values for %s", file);
    for (uint32_t i = 0; i < nvars; i++)
        all[i] = vars[i];
    for (uint32_t i = 0; i < nblocks; i++)
        all[nvars + i] = (struct template_var){blocks[i].name, marks[i]};
    str_init(&text, e->arena);
    if (!template_fill(file, all, nvars + nblocks, &text, e->diag))
        return false;
    for (const char *line = str_text(&text); *line;) {
        size_t n = strcspn(line, "\n");
        if (*line > 0 && *line <= MOST_BLOCKS)
            str_add(&e->scope->text, blocks[*line - 1].text);
        else
            emit_line(e, e->scope->depth, "%.*s", (int)n, line);
        line += n + (line[n] == '\n');
    }
    return true;
}

static struct scope *scope_at(struct emit *e, uint32_t depth)
{
    struct scope *s = e->scope;
    while (s->depth > depth && s->parent)
        s = s->parent;
    return s;
}

void emit_line(struct emit *e, uint32_t depth, const char *fmt, ...)
{
    struct scope *s = scope_at(e, depth);
    char line[2048];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof line) {
        emit_fail(e, "a statement is longer than %zu characters", sizeof line);
        return;
    }
    if (line[0] != '\0')
        for (uint32_t i = 0; i <= s->depth; i++)
            str_add(&s->text, "    ");
    str_add(&s->text, line);
    str_add(&s->text, "\n");
    e->lines++;
    e->code += LINE_CODE;
    e->bytes += 4 * (s->depth + 1) + (uint32_t)n;
    /* a copy in a workgroup program has neither */
    uint32_t wide = e->unit ? e->limit * e->unit->patience : 0;
    if (e->unit && e->code > e->unit->tuning->kernel_code * (int64_t)e->unit->patience)
        emit_fail(e, "its code is more than drivers compile in a second or two");
    if (wide && (e->lines > LINES_A_STATEMENT * wide || e->bytes > BYTES_A_STATEMENT * wide))
        emit_fail(e, "its code is longer than %u lines or %u bytes", LINES_A_STATEMENT * wide,
                  BYTES_A_STATEMENT * wide);
}

struct expr emit_fail(struct emit *e, const char *fmt, ...)
{
    if (!e->failed) {
        char text[256];
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(text, sizeof text, fmt, ap);
        va_end(ap);
        e->failed = arena_strdup(e->arena, text);
    }
    return (struct expr){NULL, 0};
}

const char *emit_temp(struct emit *e, const char *prefix)
{
    return arena_printf(e->arena, "%s%u", prefix, e->temps++);
}

/* Additions' worth of a library function of so many instructions. A driver takes as long for three
   of f32 as for an addition, with its share of loads and indices, and twice as long for those of
   doubles, of which half as many fit a register (../DECISIONS.md). */
static int64_t call_code(enum vkc_type t, uint32_t size)
{
    int64_t code = (int64_t)size * (t == TYPE_F64 || t == TYPE_C128 ? 2 : 1);
    return code > INSTRUCTIONS_AN_ADDITION ? code / INSTRUCTIONS_AN_ADDITION : 1;
}

const char *emit_type(struct emit *e, enum vkc_type t)
{
    return needs_type(&e->needs, t);
}

const char *emit_call(struct emit *e, const char *name, enum vkc_type t)
{
    uint32_t size = 0;
    if (!needs_call(&e->needs, e->arena, name, t, &size))
        emit_fail(e, "out of memory");
    int64_t code = call_code(t, size);
    e->code += code;
    e->called += code;
    return name;
}

/* ---- indices ---- */

const struct ix *emit_index_var(struct emit *e, const char *name, int64_t extent, uint32_t depth)
{
    return ix_var(e->ix, name, extent, depth);
}

/* Quotients and remainders get a variable each, kept in the memo under a slot past all values. */
static struct expr emit_atom(struct emit *e, const struct ix_atom *a)
{
    if (a->kind == IX_VAR)
        return (struct expr){a->name, a->depth};
    uint32_t key = e->unit->nslots + a->id;
    for (struct scope *s = e->scope; s; s = s->parent)
        for (struct memo *m = s->memo[key % 64]; m; m = m->next)
            if (m->slot == key)
                return m->value;
    struct expr arg = emit_index(e, a->arg);
    if (!arg.text)
        return arg;
    struct expr out = {emit_temp(e, a->kind == IX_DIV ? "q" : "r"), emit_depth(e, a->depth)};
    bool single = a->arg->nterms == 1 && a->arg->constant == 0 && a->arg->terms[0].coef == 1;
    emit_line(e, out.depth, single ? "uint %s = %s %c %lldu;" : "uint %s = (%s) %c %lldu;",
              out.text, arg.text, a->kind == IX_DIV ? '/' : '%', (long long)a->divisor);
    struct memo *m = ARENA_NEW(e->arena, struct memo);
    if (!m)
        return emit_fail(e, "out of memory");
    struct scope *s = scope_at(e, out.depth);
    *m = (struct memo){.next = s->memo[key % 64], .slot = key, .value = out};
    s->memo[key % 64] = m;
    return out;
}

struct expr emit_index(struct emit *e, const struct ix *i)
{
    if (ix_is_const(i))
        return (struct expr){arena_printf(e->arena, "%uu", (unsigned)(uint32_t)i->constant), 0};
    struct str s;
    uint32_t depth = i->depth;
    str_init(&s, e->arena);
    /* positive terms first, so that the text has no leading minus */
    for (int sign = 1; sign >= -1; sign -= 2) {
        if (sign < 0 && i->constant > 0)
            str_printf(&s, "%s%lldu", s.len ? " + " : "", (long long)i->constant);
        for (uint32_t t = 0; t < i->nterms; t++) {
            int64_t k = i->terms[t].coef;
            if ((k > 0) != (sign > 0))
                continue;
            struct expr atom = emit_atom(e, i->terms[t].atom);
            if (!atom.text)
                return atom;
            depth = atom.depth > depth ? atom.depth : depth; /* a guard keeps them further in */
            if (sign < 0 && !s.len)
                str_add(&s, "0u");
            str_add(&s, sign < 0 ? " - " : s.len ? " + " : "");
            if (k != sign)
                str_printf(&s, "%lldu * ", (long long)(k < 0 ? -k : k));
            str_add(&s, atom.text);
        }
    }
    if (i->constant < 0)
        str_printf(&s, " - %lldu", (long long)-i->constant);
    return (struct expr){str_text(&s), depth};
}

/* ---- the memo ---- */

static struct memo *memo_find(struct emit *e, uint32_t slot, uint32_t rank,
                              const struct ix *const *idx)
{
    for (struct scope *s = e->scope; s; s = s->parent)
        for (struct memo *m = s->memo[slot % 64]; m; m = m->next)
            if (m->slot == slot && m->rank == rank && memcmp(m->idx, idx, rank * sizeof *idx) == 0)
                return m;
    return NULL;
}

static void memo_add(struct emit *e, struct value v, const struct ix *const *idx, struct expr value)
{
    uint32_t slot = unit_slot(e->unit, v), rank = func_tensor(e->func, v)->shape.rank;
    /* A guarded value is known only inside its guard: the scope that has it is the innermost one
       at or above its depth. */
    struct scope *s = scope_at(e, value.depth);
    struct memo *m = ARENA_NEW(e->arena, struct memo);
    const struct ix **kept = arena_copy(e->arena, idx, rank * sizeof *idx);
    if (!m || !kept) {
        emit_fail(e, "out of memory");
        return;
    }
    *m = (struct memo){s->memo[slot % 64], v, slot, rank, kept, value};
    s->memo[slot % 64] = m;
}

void emit_single_is(struct emit *e, struct value v, const char *text)
{
    const struct ix *zeros[VKC_MAX_RANK];
    for (uint32_t i = 0; i < VKC_MAX_RANK; i++)
        zeros[i] = ix_const(e->ix, 0);
    memo_add(e, v, zeros, (struct expr){text, 0});
}

static bool is_first_element(const struct memo *m)
{
    for (uint32_t i = 0; i < m->rank; i++)
        if (!ix_is_const(m->idx[i]) || m->idx[i]->constant)
            return false;
    return true;
}

bool emit_singles(const struct emit *e, struct value **out, uint32_t *out_count)
{
    uint32_t cap = 0;
    *out = NULL;
    *out_count = 0;
    for (uint32_t i = 0; i < 64; i++)
        for (struct memo *m = e->scope->memo[i]; m; m = m->next)
            if (m->slot < e->unit->nslots && unit_size(e->unit, m->v) == 1 && is_first_element(m) &&
                !unit_add_value(e->arena, out, out_count, &cap, m->v))
                return false;
    return true;
}

const char *emit_variable(struct emit *e, struct value v)
{
    /* outputs of one node share it */
    struct slot *name = slots_put(e->arena, e->names, e->unit->first_slot[v.node]);
    uint32_t count = name ? name->count++ : 0, label = func_node(e->func, v.node)->label;
    return count ? arena_printf(e->arena, "n%u_%u", label, count)
                 : arena_printf(e->arena, "n%u", label);
}

/* How many times as long an operation of the type is as that of an f32. */
static int wide_code(enum vkc_type t)
{
    return (type_is_complex(t) ? 3 : 1) * (type_bytes(t) > (type_is_complex(t) ? 8u : 4u) ? 3 : 1);
}

/* `called`: of library functions in the text, which are counted already. */
static struct expr statement(struct emit *e, struct value v, uint32_t depth, const char *text,
                             int64_t called)
{
    const struct node *n = func_node(e->func, v.node);
    enum vkc_type t = n->outs[v.out].type;
    if (!text)
        return emit_fail(e, "out of memory");
    if (++e->statements > e->limit * e->unit->patience)
        return emit_fail(e, "the kernel has more than %u statements", e->statements - 1);
    depth = emit_depth(e, depth);
    emit_count_at(e, depth, (uint64_t)vkc_ops[n->op].cost);
    e->code += (called ? 0 : vkc_ops[n->op].cost * wide_code(t)) - LINE_CODE;
    const char *name = emit_variable(e, v);
    bool precise = !e->unit->fast_math && (type_is_float(t) || type_is_complex(t));
    emit_line(e, depth, "%s%s %s = %s; // %s%s%s", precise ? "precise " : "", emit_type(e, t), name,
              text, op_name(n->op), n->loc ? "  " : "", n->loc ? n->loc : "");
    return (struct expr){name, depth};
}

/* ---- values ---- */

bool emit_is_load(const struct emit *e, struct value v)
{
    const struct unit *u = e->unit;
    uint32_t slot = unit_slot(u, v);
    return u->external[slot] || (u->stored[slot] && u->kernel_of[slot] != e->kernel->id);
}

static struct expr emit_iota(struct emit *e, struct value v, const struct ix *const *idx)
{
    const struct node *n = func_node(e->func, v.node);
    enum vkc_type t = n->outs[0].type;
    int64_t axis = attr_int(n, ATTR_axis, -1);
    const struct ix *at = axis < 0 ? ix_linear(e->ix, &n->outs[0].shape, idx) : idx[axis];
    struct expr i = emit_index(e, at);
    if (!i.text)
        return i;
    /* what reads it writes an operator beside it, which no cast keeps apart from a u32's */
    const char *text = ix_is_atom(at) ? i.text : arena_printf(e->arena, "(%s)", i.text);
    return (struct expr){emit_cast(e, TYPE_U32, t, t == TYPE_U32 ? text : i.text), i.depth};
}

static struct expr emit_eye(struct emit *e, struct value v, const struct ix *const *idx)
{
    const struct node *n = func_node(e->func, v.node);
    uint32_t rank = n->outs[0].shape.rank;
    struct expr i = emit_index(e, idx[rank - 2]), j = emit_index(e, idx[rank - 1]);
    if (!i.text || !j.text)
        return (struct expr){NULL, 0};
    const char *same = arena_printf(e->arena, "uint((%s) == (%s))", i.text, j.text);
    return (struct expr){emit_cast(e, TYPE_U8, n->outs[0].type, same),
                         i.depth > j.depth ? i.depth : j.depth};
}

/* Whether many elements are divided by one, as a row by its sum. */
static bool is_by_few(const struct emit *e, const struct node *n)
{
    const struct node *by = n->op == OP_DIVIDE ? func_node(e->func, n->ins[1].node) : NULL;
    return by && e->unit->tuning->inverse_once && by->op == OP_BROADCAST &&
           n->outs[0].type == TYPE_F32 && e->kernel->nheroes > 0;
}

/* `a` / `b`, whose inverse is computed where `b` is known. */
static const char *quotient(struct emit *e, const char *a, bool is_unit, const char *b,
                            uint32_t b_depth)
{
    struct scope *at = scope_at(e, emit_depth(e, b_depth));
    const char *name = at->inverse_of && !strcmp(at->inverse_of, b) ? at->inverse : NULL;
    if (!name) {
        name = emit_temp(e, "c");
        emit_line(e, at->depth, "float %s = %s(%s);", name, emit_call(e, "nx_inverse", TYPE_F32),
                  b);
        at->inverse_of = b;
        at->inverse = name;
    }
    const char *by = is_unit ? "nx_div_unit_by" : "nx_div_by";
    return arena_printf(e->arena, "%s(%s, %s, %s)", emit_call(e, by, TYPE_F32), a, b, name);
}

static struct expr emit_elementwise(struct emit *e, struct value v, const struct ix *const *idx)
{
    const struct node *n = func_node(e->func, v.node);
    const char *args[3] = {0};
    uint32_t depth = 0, by_depth = 0;
    for (uint32_t i = 0; i < n->nins; i++) {
        struct expr x = emit_value(e, n->ins[i], idx);
        if (!x.text)
            return x;
        args[i] = x.text;
        by_depth = x.depth;
        depth = x.depth > depth ? x.depth : depth;
    }
    int64_t called = e->called;
    const char *form = is_by_few(e, n)
                           ? quotient(e, args[0], emit_is_unit(e, n->ins[0]), args[1], by_depth)
                           : emit_form(e, n, args);
    if (!form)
        return emit_fail(e, "n%u %s has no GLSL form for %s", n->label, op_name(n->op),
                         type_name(func_tensor(e->func, n->ins[0])->type));
    return statement(e, v, depth, form, e->called - called);
}

void emit_hero_is(struct emit *e, node_id hero, const char *text, uint32_t depth)
{
    struct slot *s = slots_put(e->arena, e->heroes, e->unit->first_slot[hero]);
    if (s)
        s->expr = (struct expr){text, depth};
    else
        emit_fail(e, "out of memory");
}

static struct expr emit_hero(struct emit *e, struct value v, const struct ix *const *idx)
{
    uint32_t slot = unit_slot(e->unit, v);
    const struct node *n = func_node(e->func, v.node);
    const struct ix *flat = ix_linear(e->ix, &n->outs[0].shape, idx);
    const struct slot *known = slots_get(e->heroes, slot);
    if (!known || !known->expr.text)
        return emit_fail(e, "n%u %s is not computed in this kernel before it is read", n->label,
                         op_name(n->op));
    for (uint32_t p = 0; p < 3 && e->planes[p]; p++)
        if (flat == ix_add_const(e->ix, e->hero_index, p * e->plane))
            return (struct expr){e->planes[p], known->expr.depth};
    if (flat != e->hero_index)
        return emit_fail(e, "n%u %s is read at another place than where the kernel has it",
                         n->label, op_name(n->op));
    return known->expr;
}

static struct expr emit_new(struct emit *e, struct value v, const struct ix *const *idx)
{
    const struct node *n = func_node(e->func, v.node);
    if (emit_is_load(e, v))
        return emit_load(e, v, ix_linear(e->ix, &n->outs[v.out].shape, idx));
    if (node_is_hero(n))
        return emit_hero(e, v, idx);
    if (op_class(n->op) == CLASS_ELEMENTWISE)
        return emit_elementwise(e, v, idx);
    const struct ix *at[VKC_MAX_RANK];
    switch (n->op) {
    case OP_CONSTANT: {
        const struct attr *bits = node_attr(n, ATTR_bits);
        return (struct expr){emit_constant(e, n->outs[0].type, bits->bits[0], bits->bits[1]), 0};
    }
    case OP_IOTA: return emit_iota(e, v, idx);
    case OP_EYE: return emit_eye(e, v, idx);
    case OP_RESHAPE:
    case OP_BROADCAST:
    case OP_TRANSPOSE:
    case OP_REVERSE:
    case OP_SLICE:
        ix_through(e->ix, n, &func_tensor(e->func, n->ins[0])->shape, idx, at);
        return emit_value(e, n->ins[0], at);
    case OP_PAD: return emit_pad(e, v, idx);
    case OP_CONCATENATE: return emit_concatenate(e, v, idx);
    case OP_DYNAMIC_SLICE: return emit_dynamic_slice(e, v, idx);
    case OP_PUT_SLICE: return emit_put_slice(e, v, idx);
    case OP_GATHER: return emit_gather(e, v, idx);
    case OP_SCORES: return emit_hero(e, v, idx);
    case OP_SEARCH: return emit_search(e, v, idx);
    case OP_SEGMENT_SUM: return emit_segment_sum(e, v, idx);
    default: return emit_fail(e, "n%u %s is not compiled yet", n->label, op_name(n->op));
    }
}

/* Counts a value that has been written out, in `all` lines. */
static void note_written(struct emit *e, struct value v, uint32_t slot, uint32_t all)
{
    struct unit *u = e->unit;
    struct written *w = &u->written[slot];
    uint32_t own = all - e->nested;
    if (e->trial)
        return;
    if (w->text != u->texts)
        *w = (struct written){.text = u->texts};
    w->lines = all > w->lines ? all : w->lines;
    w->times++;
    if (emit_is_load(e, v) || op_class(func_node(e->func, v.node)->op) == CLASS_SOURCE)
        return; /* no dearer than what would be read in its place */
    *(w->times > 1 ? &e->again : &e->once) += own;
    if (e->again > (AGAIN_LIMIT + e->once) * u->patience * e->elements)
        emit_fail(e, "%u lines of its code compute at another index what is computed already",
                  e->again);
}

struct expr emit_value(struct emit *e, struct value v, const struct ix *const *idx)
{
    static const struct ix *const none[1] = {NULL};
    if (e->failed)
        return (struct expr){NULL, 0};
    if (!idx)
        idx = none;
    uint32_t slot = unit_slot(e->unit, v), rank = func_tensor(e->func, v)->shape.rank;
    struct memo *m = memo_find(e, slot, rank, idx);
    if (m)
        return m->value;
    if (++e->nesting > DEPTH_LIMIT)
        return emit_fail(e, "a chain of more than %d operations", DEPTH_LIMIT);
    if (++e->values > VALUES_A_STATEMENT * e->limit * e->unit->patience)
        return emit_fail(e, "its code has more than %u values", e->values - 1);
    uint32_t before = e->lines, outer = e->nested;
    e->nested = 0;
    struct expr x = emit_new(e, v, idx);
    note_written(e, v, slot, e->lines - before);
    e->nested = outer + (e->lines - before);
    e->nesting--;
    if (!x.text)
        return x.text || e->failed ? x : emit_fail(e, "out of memory");
    memo_add(e, v, idx, x);
    return x;
}

struct expr emit_flat(struct emit *e, struct value v, const struct ix *flat)
{
    const struct ix *idx[VKC_MAX_RANK];
    ix_delinear(e->ix, &func_tensor(e->func, v)->shape, flat, idx);
    return emit_value(e, v, idx);
}
