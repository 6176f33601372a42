/* The row program: `outer` rows of `inner` elements; reductions along the rows (heroes), what is
   computed per row from them, and what is computed per element from that. Softmax is one of these:
   a loop for the maximum, one for the sum of exponentials, one for the quotients.

   A row is shared by `row_threads` threads, each taking every row_threads-th element. Their
   partial results are combined in shared memory in a fixed tree, so every run gives the same
   bits. Sums of floats are compensated (Neumaier) up to the root of the tree, so the error of a
   sum depends neither on its length nor on the number of threads. A small matrix product is a
   row program whose elements are products. */
#include <string.h>

#include "runtime/bundle.h"
#include "codegen/family/family.h"
#include "codegen/family/schedule.h"
#include "codegen/family/generate.h"
#include "codegen/family/rows.h"
#include "codegen/members.h"
#include "codegen/family/contraction.h"
#include "codegen/family/row_accumulator.h"
#include "codegen/family/row_elements.h"
#include "codegen/family/row_held.h"
#include "codegen/family/row_tree.h"
#include "codegen/family/map.h"

enum { HELD = 4 };

/* Limits of an unrolled row program: statements, and their cost in additions. Beside them the
   library functions that it calls are limited, which drivers write out at every call
   (tuning->row_called). */
enum { STRAIGHT_CODE = 400, STRAIGHT_COST = 500 };

/* Additions of a loop that a phase has written out: that of a product over 32 elements. */
enum { TURNS_COST = 64 };

struct rows {
    /* row, position in it, and both as the flat index of the elements */
    const struct ix *o, *r, *flat;
    const struct ix *part; /* which of the row's threads this is */
    /* by node: how many heroes lie on the longest path to it, itself included */
    struct slots level;
    uint32_t phases;
    /* four neighbours of straight code: by hero, what is yet to be summed, and */
    const char *(*held)[HELD];
    const char *(*stored)[HELD];  /* by root, what is yet to be stored */
    const struct ix *place[HELD]; /* and where: `flat` of each of the four */
    uint32_t nheld;
};

/* 0: no hero leads to it, or it is not computed here. */
static uint32_t level(const struct rows *w, node_id id)
{
    const struct slot *s = slots_get(&w->level, id);
    return s ? s->count : 0;
}

/* The heroes of a phase, behind their loop. False when out of memory. */
static bool finish(struct emit *e, const struct rows *w, uint32_t phase)
{
    struct kernel *k = e->kernel;
    node_id *heroes = ARENA_ARRAY(e->arena, node_id, k->nheroes + 1);
    uint32_t nheroes = 0;
    if (!heroes)
        return false;
    for (uint32_t h = 0; h < k->nheroes; h++)
        if (level(w, k->heroes[h]) == phase)
            heroes[nheroes++] = k->heroes[h];
    bool shared = nheroes && k->schedule.rows.row_threads > 1;
    uint32_t apart = shared ? row_tree_apart(e, heroes, nheroes) : 0;
    if (shared)
        row_tree_join(e, heroes, nheroes, apart ? 2 * apart : 1);
    for (uint32_t h = 0; h < nheroes; h++) {
        const struct node *n = func_node(e->func, heroes[h]);
        bool arg = op_class(n->op) == CLASS_ARGREDUCE;
        enum vkc_type t = hero_holds(e->func, n);
        if (shared)
            k->shared_bytes +=
                row_tree_slots(e, n) * ((type_bytes(t) < 4 ? 4 : type_bytes(t)) + (arg ? 4 : 0));
        if (!apart)
            hero_settle(e, n);
    }
    if (apart)
        row_tree_sums_apart(e, heroes, nheroes, apart);
    else if (shared)
        row_tree_tell(e, heroes, nheroes);
    for (uint32_t h = 0; h < nheroes; h++)
        hero_finish(e, heroes[h]);
    return true;
}

/* ---- the loops ---- */

static bool levels(struct emit *e, struct rows *w)
{
    struct members m = {0};
    if (!members_of(e->unit, e->arena, e->kernel, &m))
        return FAIL(e->diag, MEMORY, "out of memory");
    members_sort(&m);
    for (uint32_t i = 0; i < m.nnodes; i++) {
        const struct node *n = func_node(e->func, m.nodes[i]);
        struct slot *s = slots_put(e->arena, &w->level, m.nodes[i]);
        if (!s)
            return FAIL(e->diag, MEMORY, "out of memory");
        for (uint32_t j = 0; j < n->nins; j++)
            if (level(w, n->ins[j].node) > s->count)
                s->count = level(w, n->ins[j].node);
        for (uint32_t h = 0; h < e->kernel->nheroes; h++)
            s->count += e->kernel->heroes[h] == m.nodes[i];
        w->phases = s->count > w->phases ? s->count : w->phases;
    }
    return true;
}

static bool per_element(const struct emit *e, struct value root)
{
    return e->kernel->space.rows.inner > 1 &&
           shape_size(&func_tensor(e->func, root)->shape) ==
               e->kernel->space.rows.outer * e->kernel->space.rows.inner;
}

/* The loop in which a per-element root is stored: the first in which all it needs is known. */
static uint32_t root_phase(const struct rows *w, struct value root)
{
    return level(w, root.node) + 1;
}

/* One element at `flat`, or four held ones, each at its own place: along another axis than the
   last, neighbours in the row are not neighbours in memory. */
static void store_root(struct emit *e, const struct rows *w, uint32_t root, const char *const *text,
                       uint32_t count)
{
    const struct kernel *k = e->kernel;
    bool guarded =
        k->schedule.rows.row_threads > 1 && k->space.rows.outer % k->schedule.rows.group_rows != 0;
    if (guarded)
        emit_open(e);
    if (count == HELD)
        emit_store_four(e, k->roots[root], w->place, text);
    else
        emit_store(e, k->roots[root], w->flat, *text);
    if (guarded)
        emit_close(e, "if (live)");
}

static void loop_body(struct emit *e, struct rows *w, uint32_t phase)
{
    struct kernel *k = e->kernel;
    struct expr r = emit_index(e, w->r);
    if (!r.text)
        return;
    for (uint32_t h = 0; h < k->nheroes && !e->failed; h++) {
        const struct node *n = func_node(e->func, k->heroes[h]);
        if (level(w, k->heroes[h]) != phase)
            continue;
        if (hero_is_serial(n)) {
            serial_step(e, n, w->o, w->r, arena_printf(e->arena, "acc_n%u", n->label));
            continue;
        }
        struct expr x = hero_element(e, n, w->o, w->r);
        if (x.text && w->held && hero_is_compensated(e, n))
            w->held[h][w->nheld] = x.text;
        else if (x.text)
            hero_accumulate(e, n, x.text, r.text);
    }
    for (uint32_t i = 0; i < k->nroots && !e->failed; i++) {
        if (!per_element(e, k->roots[i]) || root_phase(w, k->roots[i]) != phase)
            continue;
        struct expr x = emit_flat(e, k->roots[i], w->flat);
        if (!x.text)
            return;
        if (w->stored)
            w->stored[i][w->nheld] = x.text;
        else
            store_root(e, w, i, &x.text, 1);
    }
}

static void flat_element_index(struct emit *e, struct rows *w)
{
    for (uint32_t h = 0; h < e->kernel->nheroes; h++) {
        const struct node *n = func_node(e->func, e->kernel->heroes[h]);
        if (op_class(n->op) != CLASS_REDUCE && op_class(n->op) != CLASS_ARGREDUCE)
            continue;
        const struct ix *at[VKC_MAX_RANK];
        reduce_index(e, n, w->o, w->r, at);
        w->flat = ix_linear(e->ix, &func_tensor(e->func, n->ins[0])->shape, at);
        return;
    }
}

/* One element of the row, at index `r`. */
static void element(struct emit *e, struct rows *w, uint32_t phase, const struct ix *r)
{
    w->r = r;
    flat_element_index(e, w);
    loop_body(e, w, phase);
}

/* Four neighbours in long rows are summed in pairs, and their sum is added exactly: two more
   roundings, as many as the tree has for 4 threads, and a third of the work. */
static void sum_held(struct emit *e, struct rows *w, uint32_t phase)
{
    for (uint32_t h = 0; h < e->kernel->nheroes && !e->failed; h++) {
        const struct node *n = func_node(e->func, e->kernel->heroes[h]);
        const char *const *x = w->held[h];
        if (level(w, e->kernel->heroes[h]) != phase || !hero_is_compensated(e, n) || !x[HELD - 1])
            continue;
        hero_add_four(e, n, x);
    }
}

/* `count` groups of `vector` neighbouring elements, each group for one thread; group number `first`
   is the first of thread 0. With `guard`, the last ones may lie past the end of the row. */
static void elements(struct emit *e, struct rows *w, uint32_t phase, const struct ix *first,
                     uint32_t count, bool guard)
{
    const struct kernel *k = e->kernel;
    const struct rows_schedule *s = &k->schedule.rows;
    for (uint32_t c = 0; c < count && !e->failed; c++) {
        const struct ix *group = ix_add_const(e->ix, first, (int64_t)c * s->row_threads);
        int64_t groups = k->space.rows.inner / s->vector;
        bool past = guard && group->max >= groups;
        const char *name = NULL;
        if (past) {
            struct expr text = emit_index(e, group);
            if (!text.text)
                return;
            name = emit_temp(e, "g");
            emit_line(e, e->scope->depth, "uint %s = %s;", name, text.text);
            emit_open(e);
            group = ix_var(e->ix, name, groups, e->scope->depth);
        }
        if (s->vector == HELD) {
            w->held = (const char *(*)[HELD])arena_alloc(e->arena, k->nheroes, sizeof *w->held);
            w->stored = (const char *(*)[HELD])arena_alloc(e->arena, k->nroots, sizeof *w->stored);
        }
        for (w->nheld = 0; w->nheld < s->vector && !e->failed; w->nheld++) {
            element(e, w, phase, ix_add_const(e->ix, ix_scale(e->ix, group, s->vector), w->nheld));
            w->place[w->nheld] = w->flat;
        }
        if (w->held)
            sum_held(e, w, phase);
        for (uint32_t i = 0; w->stored && i < k->nroots && !e->failed; i++)
            if (w->stored[i][HELD - 1])
                store_root(e, w, i, w->stored[i], HELD);
        w->held = w->stored = NULL;
        if (past)
            emit_close(e, arena_printf(e->arena, "if (%s < %lldu)", name, (long long)groups));
    }
}

/* Whether the loop of a phase over a row is written out, with as many turns for each thread, so
   that its loads are under way at a time: one after another they are most of a phase's time. */
static bool has_turns(const struct emit *e, uint64_t flops)
{
    const struct kernel *k = e->kernel;
    int64_t turns = k->space.rows.inner / k->schedule.rows.row_threads;
    return e->unit->workgroup && e->unit->tuning->unroll_hint && turns > 1 &&
           k->space.rows.inner % k->schedule.rows.row_threads == 0 &&
           flops * (uint64_t)turns <= TURNS_COST;
}

/* Short rows: a plain loop. Long rows: straight-line code for `unroll` elements of a thread,
   with constant distances and whole vectors, so that their loads are in flight together. A row
   that fits is written out without a loop, and its values then stay in registers from one phase
   to the next. */
static void walk_row(struct emit *e, struct rows *w, uint32_t phase)
{
    const struct kernel *k = e->kernel;
    const struct rows_schedule *s = &k->schedule.rows;
    const char *part = s->row_threads > 1 ? "part" : "0u";
    if (s->unroll == 1) {
        uint64_t before = e->flops;
        int64_t called = e->called;
        emit_open(e);
        element(e, w, phase, e->position);
        /* workgroup programs stay short, for the drivers that compile them */
        bool straight = rows_are_windows(e->unit, k) && s->row_threads == 1 &&
                        !e->unit->workgroup &&
                        k->space.rows.inner <= e->unit->tuning->window_straight &&
                        (e->flops - before) * (uint64_t)k->space.rows.inner <= STRAIGHT_COST &&
                        (e->called - called) * k->space.rows.inner <= e->unit->tuning->row_called;
        bool is_little = k->space.rows.outer * k->space.rows.inner <= e->unit->tuning->rolled_most;
        const char *head = arena_printf(e->arena, "%sfor (uint r = %s; r < %lldu%s; r += %uu)",
                                        straight    ? "[[unroll]] "
                                        : is_little ? "[[dont_unroll]] "
                                                    : "",
                                        part, (long long)k->space.rows.inner,
                                        e->unit->workgroup ? emit_rolled(e) : "", s->row_threads);
        if (has_turns(e, e->flops - before))
            head = arena_printf(
                e->arena, "[[unroll]] for (uint turn = 0u, r = %s; turn < %lldu; turn++, r += %uu)",
                part, (long long)k->space.rows.inner / s->row_threads, s->row_threads);
        emit_close(e, k->space.rows.inner == 1 && s->row_threads == 1 ? NULL : head);
        e->iterations += (uint64_t)(k->space.rows.inner + s->row_threads - 1) / s->row_threads;
        return;
    }
    const struct ix *mine = ix_var(e->ix, "part", s->row_threads, 0);
    if (w->part)
        mine = w->part;
    w->part = mine;
    int64_t groups = k->space.rows.inner / s->vector;
    uint32_t each = s->unroll / s->vector;
    int64_t passes = groups / ((int64_t)s->row_threads * each),
            rest = groups - passes * s->row_threads * each;
    const struct ix *first = mine;
    if (passes > 1) {
        emit_open(e);
        const struct ix *step = ix_var(e->ix, "step", passes, 1);
        elements(e, w, phase,
                 ix_add(e->ix, mine, ix_scale(e->ix, step, (int64_t)s->row_threads * each)), each,
                 false);
        emit_close(e, arena_printf(e->arena, "for (uint step = 0u; step < %lldu; step++)",
                                   (long long)passes));
        e->iterations += (uint64_t)passes;
    } else if (passes == 1)
        elements(e, w, phase, mine, each, false);
    first = ix_add_const(e->ix, mine, passes * s->row_threads * each);
    elements(e, w, phase, first, (uint32_t)((rest + s->row_threads - 1) / s->row_threads), true);
}

static bool loop(struct emit *e, struct rows *w, uint32_t phase)
{
    struct kernel *k = e->kernel;
    for (uint32_t h = 0; h < k->nheroes; h++)
        if (level(w, k->heroes[h]) == phase)
            hero_begin(e, func_node(e->func, k->heroes[h]), w->o);
    walk_row(e, w, phase);
    return !e->failed && finish(e, w, phase) && !e->failed;
}

static void row_roots(struct emit *e, struct rows *w)
{
    struct kernel *k = e->kernel;
    const char **text = ARENA_ARRAY(e->arena, const char *, k->nroots);
    bool any = false;
    if (!text) {
        emit_fail(e, "out of memory");
        return;
    }
    for (uint32_t i = 0; i < k->nroots && !e->failed; i++)
        if (shape_size(&func_tensor(e->func, k->roots[i])->shape) == k->space.rows.outer) {
            text[i] = emit_flat(e, k->roots[i], w->o).text;
            any |= !emit_is_local(e, k->roots[i]);
        }
    if (e->failed)
        return;
    bool shared_row = k->schedule.rows.row_threads > 1;
    for (uint32_t i = 0; i < k->nroots; i++) /* every thread has the sum of the only row */
        if (text[i] && emit_is_local(e, k->roots[i]))
            emit_store(e, k->roots[i], w->o, text[i]);
    if (any && shared_row)
        emit_open(e);
    for (uint32_t i = 0; i < k->nroots; i++)
        if (text[i] && !emit_is_local(e, k->roots[i]))
            emit_store(e, k->roots[i], w->o, text[i]);
    if (any && shared_row)
        emit_close(e, "if (live && part == 0u)");
    emit_scalars(e, k->space.rows.outer,
                 shared_row ? "if (o == 0u && live && part == 0u)" : "if (o == 0u)");
}

static bool emit_all(struct emit *e, struct rows *w)
{
    uint32_t last = w->phases;
    for (uint32_t i = 0; i < e->kernel->nroots; i++)
        if (per_element(e, e->kernel->roots[i]) && root_phase(w, e->kernel->roots[i]) > last)
            last = root_phase(w, e->kernel->roots[i]);
    for (uint32_t phase = 1; phase <= last; phase++)
        if (!loop(e, w, phase))
            return false;
    row_roots(e, w);
    return e->failed == NULL;
}

/* ---- the kernel ---- */

/* Whether rows have elements, where a result is made of them. */
static bool have_places(struct emit *e, const struct rows *w)
{
    const struct kernel *k = e->kernel;
    for (uint32_t i = 0; i < k->nroots; i++)
        if (per_element(e, k->roots[i]) && !w->flat)
            return emit_fail(e, "n%u has an element for every product of a contraction",
                             func_node(e->func, k->roots[i].node)->label)
                       .text != NULL;
    return true;
}

static bool kernel_rows(struct emit *e)
{
    struct kernel *k = e->kernel;
    struct rows w = {0};
    w.o = ix_var(e->ix, "o", k->space.rows.outer, 0);
    w.r = ix_var(e->ix, "r", k->space.rows.inner, 1);
    e->hero_index = w.o;
    e->times_outside = (uint64_t)k->space.rows.outer;
    e->vectors = k->schedule.rows.vector == 4;
    e->row = w.o;
    e->position = w.r;
    flat_element_index(e, &w);
    if (!levels(e, &w) || !have_places(e, &w))
        return false;
    if ((e->held_words = row_held_words(e, &w.level)) == UINT32_MAX)
        return FAIL(e->diag, MEMORY, "out of memory");
    return emit_all(e, &w);
}

/* ---- the row ---- */

static uint32_t elements_at_once(const struct kernel *k)
{
    return k->schedule.rows.unroll ? k->schedule.rows.unroll : 1;
}

/* Once the loads have shown in which direction they run: as much straight-line code as stays
   readable and in registers. */
static bool unroll(struct unit *u, struct kernel *k, struct emit *e, struct diag *d)
{
    /* of one element, which straight code has many of */
    uint64_t plain = e->flops, work = e->work;
    bool ok = true;
    if (e->along_outer >= e->along_row && e->along_outer > 0 && u->tuning->coalesces)
        k->schedule.rows.outer_fast = true;
    uint32_t held = rows_held(u, k, e->held_words);
    if (held) {
        k->schedule.rows.held = true;
        ok = kernel_body(u, k, held, false, e, d);
        k->schedule.rows.held = ok && !e->failed;
    }
    held = k->schedule.rows.held;
    for (uint32_t times = u->workgroup ? 1 : 16; times >= 1 && !held; times /= 4) {
        ok = kernel_body(u, k, times, false, e, d);
        if (k->schedule.rows.unroll == 1 ||
            (ok && e->statements <= STRAIGHT_CODE && e->flops <= STRAIGHT_COST &&
             e->called <= u->tuning->row_called))
            break;
    }
    e->flops = plain;
    e->work = work;
    return ok;
}

static void print_shared(struct emit *e, struct str *out)
{
    const struct kernel *k = e->kernel;
    for (uint32_t h = 0; h < k->nheroes && k->schedule.rows.row_threads > 1; h++) {
        const struct node *n = func_node(e->func, k->heroes[h]);
        bool arg = op_class(n->op) == CLASS_ARGREDUCE;
        enum vkc_type t = hero_holds(e->func, n);
        uint32_t slots = row_tree_slots(e, n);
        str_printf(out, "shared %s part_n%u[%u];\n", emit_type(e, t), n->label, slots);
        if (arg)
            str_printf(out, "shared uint where_n%u[%u];\n", n->label, slots);
    }
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    const struct kernel *k = e->kernel;
    const struct rows_schedule *s = &k->schedule.rows;
    text_add(t, "BODY", t->body);
    text_add_number(e, t, "ROWS", k->space.rows.outer);
    if (s->row_threads == 1)
        return text_fill(e, t, "rows.comp", out);
    const char *gr = arena_printf(e->arena, "%u", s->group_rows),
               *rt = arena_printf(e->arena, "%u", s->row_threads);
    const char *part = s->group_rows == 1 ? "lid"
                       : s->outer_fast    ? arena_printf(e->arena, "lid / %su", gr)
                                          : arena_printf(e->arena, "lid %% %su", rt);
    const char *row = s->group_rows == 1 ? "0u"
                      : s->outer_fast    ? arena_printf(e->arena, "lid %% %su", gr)
                                         : arena_printf(e->arena, "lid / %su", rt);
    text_add(t, "SHARED", t->shared);
    text_add(t, "GROUP_ROWS", gr);
    text_add(t, "ROW_THREADS", rt);
    text_add(t, "PART", part);
    text_add(t, "ROW", row);
    text_add_number(e, t, "LAST_ROW", k->space.rows.outer - 1);
    return text_fill(e, t, "rows_shared.comp", out);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    k->space.rows.outer = unit_size(u, v);
    k->space.rows.inner = hero_inner(unit_func(u), n);
    return true;
}

static int64_t places(const struct kernel *k)
{
    return k->space.rows.outer;
}

static int64_t length(const struct kernel *k)
{
    return k->space.rows.inner;
}

static uint32_t row_threads(const struct kernel *k)
{
    return k->schedule.rows.row_threads;
}

static void print_schedule(const struct kernel *k, struct str *out)
{
    const struct rows_schedule *s = &k->schedule.rows;
    str_printf(out, " = %u rows x %u threads%s, %u elements at a time", s->group_rows,
               s->row_threads, s->outer_fast ? ", across" : "", s->unroll);
}

const struct family rows_family = {
    .name = "rows",
    .places = places,
    .length = length,
    .joins_own = true,
    .starts = starts,
    .join = rows_join,
    .has_place = rows_have_place,
    .runs_everywhere = true,
    .schedule_phase = schedule_rows_phase,
    .phase = rows_phase,
    .row_threads = row_threads,
    .print_space = print_rows_space,
    .print_schedule = print_schedule,
    .schedule = schedule_rows,
    .elements_at_once = elements_at_once,
    .write = kernel_rows,
    .rewrite = unroll,
    .repeats = rows_repeats,
    .print_shared = print_shared,
    .fill = fill,
};
