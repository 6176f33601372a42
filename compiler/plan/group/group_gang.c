#include "plan/group/group_gang.h"

#include <stdlib.h>

/* One function of several numbers: members[first], ... */
struct gang {
    uint32_t first, count, type; /* of gang_types */
    uint32_t at, thread;         /* its place in its half of the array; its first thread */
    const char *operands[2];     /* that a thread has chosen */
};

struct member {
    struct value v;
    uint32_t level; /* gangs that must be before it, plus 1 */
};

struct finder {
    struct group *g;
    struct emit *e;   /* of the body */
    struct emit text; /* of what stands before it */
    struct slots levels;
    struct member *members;
    uint32_t nmembers;
    struct single *singles;
    uint32_t nsingles;
    bool types[GANG_TYPES]; /* of gangs */
    bool failed;            /* out of memory */
};

static const enum vkc_type gang_types[GANG_TYPES] = {TYPE_F32, TYPE_F64};
enum { MOST_BYTES = 2 * GANG_MOST * (4 + 8) }; /* of their arrays */

static const struct node *node_of(const struct finder *f, struct value v)
{
    return func_node(f->e->func, v.node);
}

/* Additions' worth of one, those of f64 three times as dear. */
static int64_t cost_of_one(const struct node *n)
{
    return (int64_t)vkc_ops[n->op].cost * (n->outs[0].type == TYPE_F64 ? 3 : 1);
}

/* The number of its type among gang_types; GANG_TYPES: none. */
static uint32_t type_of(const struct node *n)
{
    uint32_t type = 0;
    while (type < GANG_TYPES && gang_types[type] != n->outs[0].type)
        type++;
    return type;
}

enum { DEAR = 4 }; /* additions: a division's */
enum { CHOICE_DEPTH = 4 };

static bool is_dear(const struct node *n)
{
    return op_class(n->op) == CLASS_ELEMENTWISE && n->nins <= 2 && type_of(n) < GANG_TYPES &&
           vkc_ops[n->op].cost >= DEAR && shape_size(&n->outs[0].shape) == 1;
}

/* ---- levels ---- */

#define OF_ROWS UINT32_MAX /* it depends on what the phase itself reduces */

/* Whether an earlier phase has left it in a variable. */
static bool is_kept(const struct finder *f, struct value v)
{
    const struct unit *u = f->e->unit;
    for (uint32_t i = 0; i < u->nsingles; i++)
        if (u->singles[i].v.node == v.node && u->singles[i].v.out == v.out)
            return true;
    return false;
}

/* Dear functions on the longest path to a value from what is known, its own included. */
static uint32_t level_of(struct finder *f, struct value v)
{
    const struct node *n = node_of(f, v);
    if (emit_is_load(f->e, v) || is_kept(f, v))
        return 0;
    if (node_is_hero(n))
        return OF_ROWS;
    const struct slot *known = slots_get(&f->levels, unit_slot(f->e->unit, v));
    if (known)
        return known->count;
    uint32_t level = 0;
    for (uint32_t i = 0; i < n->nins; i++) {
        uint32_t before = level_of(f, n->ins[i]);
        level = before > level ? before : level;
    }
    if (level != OF_ROWS && is_dear(n))
        level++;
    struct slot *s = slots_put(f->e->arena, &f->levels, unit_slot(f->e->unit, v));
    f->failed |= !s;
    if (s)
        s->count = level;
    return level;
}

static int compare(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return x->level != y->level ? (x->level > y->level ? 1 : -1)
                                : (x->v.node > y->v.node) - (x->v.node < y->v.node);
}

static bool find_members(struct finder *f)
{
    struct value *singles;
    uint32_t count;
    if (!emit_singles(f->e, &singles, &count))
        return false;
    f->members = ARENA_ARRAY(f->e->arena, struct member, count + 1);
    f->singles = ARENA_ARRAY(f->e->arena, struct single, count + 1);
    if (!f->members || !f->singles)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t level = level_of(f, singles[i]);
        if (is_dear(node_of(f, singles[i])) && level > 0 && level != OF_ROWS)
            f->members[f->nmembers++] = (struct member){singles[i], level};
    }
    qsort(f->members, f->nmembers, sizeof *f->members, compare);
    return !f->failed;
}

/* ---- later levels ---- */

/* Whether `of` is computed from `v`. */
static bool is_from(const struct finder *f, struct value of, struct value v, uint8_t *seen)
{
    if (of.node < v.node || seen[of.node] || emit_is_load(f->e, of) || is_kept(f, of))
        return false;
    if (of.node == v.node)
        return true;
    seen[of.node] = 1;
    const struct node *n = node_of(f, of);
    for (uint32_t i = 0; i < n->nins; i++)
        if (is_from(f, n->ins[i], v, seen))
            return true;
    return false;
}

/* The last level in which a member can be. */
static uint32_t latest(struct finder *f, uint32_t member)
{
    uint32_t last = f->members[f->nmembers - 1].level;
    for (uint32_t i = 0; i < f->nmembers; i++) {
        if (f->members[i].level <= f->members[member].level || f->members[i].level > last)
            continue;
        uint8_t *seen = ARENA_ARRAY(f->e->arena, uint8_t, f->e->func->nnodes);
        f->failed |= !seen;
        if (!seen || is_from(f, f->members[i].v, f->members[member].v, seen))
            last = f->members[i].level - 1;
    }
    return last;
}

static bool is_of(const struct finder *f, uint32_t member, uint32_t level, const struct node *n)
{
    const struct member *m = &f->members[member];
    const struct node *other = node_of(f, m->v);
    return m->level == level && other->op == n->op && other->outs[0].type == n->outs[0].type;
}

static bool pays(const struct finder *f, uint32_t first, uint32_t count)
{
    return count > 0 && cost_of_one(node_of(f, f->members[first].v)) * (count - 1) >=
                            f->g->plan->tuning.gang_least;
}

static uint32_t how_many(const struct finder *f, uint32_t level, const struct node *n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->nmembers; i++)
        count += is_of(f, i, level, n);
    return count;
}

/* Members that would be too few for a gang of their own join one of a later level. */
static void join_later(struct finder *f)
{
    for (uint32_t i = 0; i < f->nmembers; i++) {
        struct member *m = &f->members[i];
        const struct node *n = node_of(f, m->v);
        if (pays(f, i, how_many(f, m->level, n)))
            continue;
        uint32_t last = latest(f, i), level = m->level + 1;
        while (level <= last && !pays(f, i, how_many(f, level, n)))
            level++;
        m->level = level <= last ? level : m->level;
    }
    qsort(f->members, f->nmembers, sizeof *f->members, compare);
}

/* ---- the code ---- */

/* Whether it is not known yet, and of operands of its own type only: then threads may as well
   choose its operands. */
static bool is_choosable(const struct finder *f, struct value v)
{
    const struct node *n = node_of(f, v);
    if (op_class(n->op) != CLASS_ELEMENTWISE || emit_is_load(f->e, v) || is_kept(f, v) ||
        n->nins > 3)
        return false;
    for (uint32_t i = 0; i < f->nsingles; i++)
        if (f->singles[i].v.node == v.node)
            return false;
    for (uint32_t i = 0; i < n->nins; i++)
        if (func_tensor(f->e->func, n->ins[i])->type != n->outs[0].type)
            return false;
    return shape_size(&n->outs[0].shape) == 1;
}

static const char *choose(struct finder *f, const struct value *v, uint32_t thread, uint32_t count,
                          uint32_t deep);

/* The same as a name, or as what is as short. */
static const char *chosen(struct finder *f, const struct value *v, uint32_t thread, uint32_t count,
                          uint32_t deep)
{
    struct emit *e = &f->text;
    const char *text = choose(f, v, thread, count, deep);
    if (!text || text[0] != '(')
        return text;
    const char *name = emit_temp(e, "x");
    emit_line(e, 0, "%s %s = %s;", emit_type(e, node_of(f, v[0])->outs[v[0].out].type), name, text);
    return name;
}

/* What one of the threads from `thread` on has of `v`, `count` of them. Where the next ones have
   the same function of operands of theirs, they choose these, and it is computed once. */
static const char *choose(struct finder *f, const struct value *v, uint32_t thread, uint32_t count,
                          uint32_t deep)
{
    struct emit *e = &f->text;
    const struct node *n = node_of(f, v[0]);
    uint32_t same = 1, alike = 1;
    while (same < count && v[same].node == v[0].node && v[same].out == v[0].out)
        same++;
    if (is_choosable(f, v[0]))
        while (alike < count && is_choosable(f, v[alike]) && node_of(f, v[alike])->op == n->op &&
               node_of(f, v[alike])->outs[0].type == n->outs[0].type)
            alike++;
    const char *first, *rest;
    if (alike > same && deep < CHOICE_DEPTH) {
        const char *args[3] = {NULL};
        struct value *in = ARENA_ARRAY(e->arena, struct value, alike);
        for (uint32_t o = 0; o < n->nins && in; o++) {
            bool again = o > 0;
            for (uint32_t i = 0; i < alike; i++) {
                const struct value *ins = node_of(f, v[i])->ins;
                in[i] = ins[o];
                again &= ins[o].node == ins[0].node && ins[o].out == ins[0].out;
            }
            if (!(args[o] = again ? args[0] : chosen(f, in, thread, alike, deep + 1)))
                return NULL;
        }
        const char *form = in ? emit_form(e, n, args) : NULL;
        if (!form)
            return emit_fail(e, "out of memory"), NULL;
        first = emit_temp(e, "x");
        emit_line(e, 0, "%s%s %s = %s; // %s", e->unit->fast_math ? "" : "precise ",
                  emit_type(e, n->outs[0].type), first, form, op_name(n->op));
        e->statements++;
        same = alike;
    } else {
        const struct ix *zeros[VKC_MAX_RANK];
        for (uint32_t r = 0; r < VKC_MAX_RANK; r++)
            zeros[r] = ix_const(e->ix, 0);
        first = emit_value(e, v[0], zeros).text;
    }
    if (same == count || !first)
        return first;
    rest = choose(f, v + same, thread + same, count - same, deep);
    return rest ? arena_printf(e->arena, "(lid < %uu ? %s : %s)", thread + same, first, rest)
                : NULL;
}

/* An operand of each of its threads. */
static void print_choice(struct finder *f, struct gang *x, uint32_t operand)
{
    struct emit *e = &f->text;
    struct value *v = ARENA_ARRAY(e->arena, struct value, x->count);
    if (!v) {
        f->failed = true;
        return;
    }
    for (uint32_t i = 0; i < x->count; i++)
        v[i] = node_of(f, f->members[x->first + i].v)->ins[operand];
    x->operands[operand] = chosen(f, v, x->thread, x->count, 0);
}

static void print_gang(struct finder *f, const struct gang *x, uint32_t half)
{
    struct emit *e = &f->text;
    const struct node *n = node_of(f, f->members[x->first].v);
    const char *args[3] = {x->operands[0], x->operands[1]};
    const char *type = emit_type(e, gang_types[x->type]), *form = emit_form(e, n, args);
    const char *precise = e->unit->fast_math ? "" : "precise ";
    if (!form) {
        emit_fail(e, "n%u has no form", n->label);
        return;
    }
    const char *thread = x->thread ? arena_printf(e->arena, "lid - %uu", x->thread) : "lid";
    emit_line(e, 0, "if (%s < %uu) { // %s", thread, x->count, op_name(n->op));
    emit_line(e, 0, "    %s%s y = %s;", precise, type, form);
    emit_line(e, 0, "    gang_%s[lid + %uu] = y;", type, half * GANG_MOST + x->at - x->thread);
    emit_line(e, 0, "}");
    e->statements++;
}

static void read_gang(struct finder *f, const struct gang *x, uint32_t half)
{
    struct emit *e = &f->text;
    const char *type = emit_type(e, gang_types[x->type]);
    for (uint32_t i = 0; i < x->count; i++) {
        struct value v = f->members[x->first + i].v;
        const char *name = emit_variable(e, v);
        emit_line(e, 0, "%s %s = gang_%s[%uu];", type, name, type, half * GANG_MOST + x->at + i);
        emit_single_is(e, v, name);
        f->singles[f->nsingles++] = (struct single){v, name};
    }
}

/* ---- which ---- */

static enum op operand_op(const struct finder *f, const struct member *m, uint32_t operand)
{
    return node_of(f, node_of(f, m->v)->ins[operand])->op;
}

/* Those with like operands come next to each other, as choose asks; the last operand, such as a
   divisor, counts first. */
static void arrange(struct finder *f, uint32_t from, uint32_t count)
{
    uint32_t nins = node_of(f, f->members[from].v)->nins;
    for (uint32_t o = 0; o < nins; o++)
        for (uint32_t i = from + 1; i < from + count; i++) {
            struct member m = f->members[i];
            uint32_t k = i;
            for (; k > from && operand_op(f, &f->members[k - 1], o) > operand_op(f, &m, o); k--)
                f->members[k] = f->members[k - 1];
            f->members[k] = m;
        }
}

/* Puts those of members[from..to) that are as `from` is next to each other. *Returns* how many. */
static uint32_t collect(struct finder *f, uint32_t from, uint32_t to)
{
    const struct node *n = node_of(f, f->members[from].v);
    uint32_t count = 1, most = f->g->threads < GANG_MOST ? f->g->threads : GANG_MOST;
    for (uint32_t i = from + 1; i < to && count < most; i++)
        if (is_of(f, i, f->members[from].level, n)) {
            struct member m = f->members[i];
            for (uint32_t k = i; k > from + count; k--)
                f->members[k] = f->members[k - 1];
            f->members[from + count++] = m;
        }
    arrange(f, from, count);
    return count;
}

/* Gangs that go side by side. */
struct row {
    struct gang gangs[GANG_TYPES * GANG_MOST];
    uint32_t ngangs, threads, used[GANG_TYPES];
};

/* False if there is no room beside the others; an empty row has room for any. */
static bool add_gang(struct finder *f, struct row *r, uint32_t first, uint32_t count)
{
    const struct tuning *t = &f->g->plan->tuning;
    uint32_t type = type_of(node_of(f, f->members[first].v)), step = t->vector_threads;
    if (r->used[type] + count > GANG_MOST || r->threads + count > f->g->threads)
        return false;
    r->gangs[r->ngangs++] = (struct gang){first, count, type, r->used[type], r->threads, {0}};
    r->used[type] += count;
    r->threads += (count + step - 1) / step * step;
    return true;
}

/* As many of members[from..to), which are one level, as go side by side. *Returns* the next. */
static uint32_t write_row(struct finder *f, uint32_t from, uint32_t to, uint32_t half)
{
    struct row r = {.ngangs = 0};
    uint32_t i = from;
    for (uint32_t count; i < to; i += count) {
        count = collect(f, i, to);
        if (pays(f, i, count) && !add_gang(f, &r, i, count))
            break;
    }
    for (uint32_t g = 0; g < r.ngangs; g++)
        for (uint32_t o = 0; o < node_of(f, f->members[r.gangs[g].first].v)->nins; o++)
            print_choice(f, &r.gangs[g], o);
    for (uint32_t g = 0; g < r.ngangs; g++)
        print_gang(f, &r.gangs[g], half);
    if (r.ngangs)
        emit_line(&f->text, 0, "barrier();");
    for (uint32_t g = 0; g < r.ngangs; g++) {
        f->types[r.gangs[g].type] = true;
        read_gang(f, &r.gangs[g], half);
    }
    return i;
}

bool group_gangs(struct group *g, struct emit *e, struct gangs *out, struct diag *d)
{
    struct finder f = {.g = g, .e = e};
    *out = (struct gangs){0};
    if (g->shared_bytes + MOST_BYTES > g->plan->target->max_shared_bytes)
        return true;
    if (!find_members(&f) || !emit_init(&f.text, e->unit, e->kernel, d))
        return FAIL(d, MEMORY, "out of memory");
    for (uint32_t i = 0; i < e->unit->nsingles; i++)
        emit_single_is(&f.text, e->unit->singles[i].v, e->unit->singles[i].name);
    join_later(&f);
    uint32_t half = 0;
    for (uint32_t i = 0, end = 0; i < f.nmembers;) {
        uint32_t before = f.nsingles;
        while (end < f.nmembers && f.members[end].level == f.members[i].level)
            end++;
        i = write_row(&f, i, end, half);
        half ^= f.nsingles > before;
    }
    if (f.failed)
        return FAIL(d, MEMORY, "out of memory");
    if (f.text.failed)
        return true; /* then the phase is as it would be without */
    for (uint32_t i = 0; i < GANG_TYPES; i++)
        g->gangs[i] |= f.types[i];
    *out = (struct gangs){f.singles, f.nsingles, str_text(&f.text.scope->text), f.text.needs};
    return true;
}

/* ---- the arrays ---- */

uint32_t gang_bytes(const struct group *g)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < GANG_TYPES; i++)
        bytes += g->gangs[i] ? 2 * GANG_MOST * type_bytes(gang_types[i]) : 0;
    return bytes;
}

void gang_print_shared(const struct group *g, struct needs *needs, struct str *out)
{
    for (uint32_t i = 0; i < GANG_TYPES; i++)
        if (g->gangs[i]) {
            const char *type = needs_type(needs, gang_types[i]);
            str_printf(out, "shared %s gang_%s[%u];\n", type, type, 2 * GANG_MOST);
        }
}
