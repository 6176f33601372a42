/* triangular_solve: one thread per system, substituting forward or backward. What is already
   solved is read back from the result's buffer, which only this thread writes. The operands may
   be any fused values. */
#include <string.h>

#include "runtime/bundle.h"
#include "codegen/family/family.h"
#include "codegen/family/schedule.h"

/* Element (i, k) of the matrix as the solve sees it is at i * row + k * column; see
   interp_contract.c for what left_side, lower and transform mean. */
struct system {
    const struct node *n;
    int64_t size, row, column, step, systems, each;
    bool lower, left, conjugate;
    const char *multiply; /* the function for complex numbers, or NULL */
};

static struct system system_of(const struct emit *e, const struct node *n)
{
    const struct shape *a = &func_tensor(e->func, n->ins[0])->shape,
                       *b = &func_tensor(e->func, n->ins[1])->shape;
    struct system s = {.n = n, .size = a->dim[a->rank - 1]};
    int64_t matrices = shape_size(a) / (s.size * s.size);
    bool transposed = strcmp(attr_text(n, ATTR_transform), "transpose") == 0,
         swap = transposed != !attr_bool(n, ATTR_left_side);
    s.left = attr_bool(n, ATTR_left_side) || b->rank + 1 == a->rank;
    s.conjugate = strcmp(attr_text(n, ATTR_transform), "conjugate") == 0;
    s.row = swap ? 1 : s.size;
    s.column = swap ? s.size : 1;
    s.lower = attr_bool(n, ATTR_lower) != swap;
    s.each = shape_size(b) / matrices;
    s.systems = s.each / s.size;
    s.step = s.left ? s.systems : 1;
    return s;
}

/* What stands before a count of unknowns to make it the number of the next. */
static const char *from_text(struct emit *e, const struct system *s)
{
    return s->lower ? "" : arena_printf(e->arena, "%lldu - ", (long long)s->size - 1);
}

static struct expr matrix_element(struct emit *e, const struct system *s, const struct ix *matrix,
                                  const struct ix *i, const struct ix *k)
{
    const struct ix *flat =
        ix_add(e->ix, ix_scale(e->ix, matrix, s->size * s->size),
               ix_add(e->ix, ix_scale(e->ix, i, s->row), ix_scale(e->ix, k, s->column)));
    struct expr x = emit_flat(e, s->n->ins[0], flat);
    if (x.text && s->conjugate && type_is_complex(s->n->outs[0].type))
        x.text =
            arena_printf(e->arena, "%s(%s)", emit_call(e, "nx_conj", s->n->outs[0].type), x.text);
    return x;
}

/* Takes from `rest` what unknown k has in row i. */
static bool take_known(struct emit *e, const struct system *s, const struct ix *matrix,
                       const struct ix *origin, const struct ix *i)
{
    struct value v = {e->kernel->heroes[0], 0};
    const struct ix *k = ix_var(e->ix, "k", s->size, e->scope->depth);
    struct expr m = matrix_element(e, s, matrix, i, k),
                known = emit_index(e, ix_add(e->ix, origin, ix_scale(e->ix, k, s->step)));
    if (m.text && known.text)
        emit_line(e, e->scope->depth, s->multiply ? "rest -= %s(%s, %s);" : "rest -= %s%s * %s;",
                  s->multiply ? s->multiply : "", m.text, emit_element(e, v, known.text));
    return m.text && known.text;
}

/* Unknowns that are taken at once where a loop over single ones would be too long for the
   driver. */
enum { TILE = 16 };

static bool take_tiles(struct emit *e, const struct system *s, const struct ix *matrix,
                       const struct ix *origin, const struct ix *i)
{
    emit_open(e);
    emit_open(e);
    emit_line(e, e->scope->depth, "uint k = %stile * %uu%sl;", from_text(e, s), TILE,
              s->lower ? " + " : " - ");
    bool done = take_known(e, s, matrix, origin, i);
    emit_close_each(e, "l", TILE);
    emit_close(e, arena_printf(e->arena, "for (uint tile = 0u; tile < done / %uu; tile++)", TILE));
    return done;
}

static bool kernel_solve(struct emit *e)
{
    struct kernel *kn = e->kernel;
    struct value v = {kn->heroes[0], 0};
    struct system s = system_of(e, func_node(e->func, v.node));
    enum vkc_type t = s.n->outs[0].type;
    if (packed_per_word(t) > 1) {
        emit_fail(e, "n%u triangular_solve: %s is narrower than 32 bits; convert to f32",
                  s.n->label, type_name(t));
        return false;
    }
    const struct ix *o = ix_var(e->ix, "o", kn->space.solve.systems, 0);
    const struct ix *matrix = ix_div(e->ix, o, s.systems), *system = ix_mod(e->ix, o, s.systems);
    const struct ix *origin = ix_add(e->ix, ix_scale(e->ix, matrix, s.each),
                                     ix_scale(e->ix, system, s.left ? 1 : s.size));
    emit_binding(e, v, VKB_READ | VKB_WRITE);

    emit_open(e);
    const struct ix *i = ix_var(e->ix, "i", s.size, e->scope->depth);
    const struct ix *here = ix_add(e->ix, origin, ix_scale(e->ix, i, s.step));
    struct expr b = emit_flat(e, s.n->ins[1], here), at = emit_index(e, here);
    if (!b.text || !at.text)
        return false;
    if (type_is_complex(t))
        s.multiply = emit_call(e, "nx_mul", t);
    uint64_t all = (uint64_t)s.size * (uint64_t)(s.size + 1) / 2;
    bool in_tiles = all > e->unit->tuning->loop_iterations;
    emit_line(e, 1, "%s rest = %s;", emit_type(e, t), b.text);
    if (in_tiles && !take_tiles(e, &s, matrix, origin, i))
        return false;
    emit_open(e);
    if (!take_known(e, &s, matrix, origin, i))
        return false;
    const char *take = emit_take(e), *begin = emit_take(e);
    emit_open(e);
    struct expr pivot = matrix_element(e, &s, matrix, i, i);
    if (!pivot.text)
        return false;
    const struct template_var blocks[] = {{"BEGIN", begin}, {"TAKE", take}, {"END", emit_take(e)}};
    const struct template_var parts[] = {
        {"ORDER", arena_printf(e->arena, "%lld", (long long)s.size)},
        {"FROM", from_text(e, &s)},
        {"KNOWN", in_tiles ? arena_printf(e->arena, "done / %uu * %uu", TILE, TILE) : "0u"},
        {"X", emit_element(e, v, at.text)},
        {"DIVIDE", emit_call(e, "nx_div", t)},
        {"PIVOT", pivot.text},
        {"NOTE", arena_printf(e->arena, " // triangular_solve%s%s", s.n->loc ? "  " : "",
                              s.n->loc ? s.n->loc : "")},
    };
    if (!emit_pour(e, "substitute.glsl", parts, sizeof parts / sizeof *parts, blocks, 3))
        return false;
    e->iterations += in_tiles ? all / TILE + (uint64_t)s.size * TILE : all + (uint64_t)s.size;
    emit_count(e, (uint64_t)s.size);
    return e->failed == NULL;
}

/* ---- the row ---- */

static void schedule_solve(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    uint32_t group = min32(64, u->target->max_invocations);
    (void)most_unroll;
    k->schedule.group = group;
    schedule_spread(k, (k->space.solve.systems + group - 1) / group);
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    text_add(t, "BODY", t->body);
    text_add_number(e, t, "ROWS", e->kernel->space.solve.systems);
    return text_fill(e, t, "rows.comp", out);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    const struct shape *matrix =
        &unit_tensor(u, n->op == OP_TRIANGULAR_SOLVE ? n->ins[0] : v)->shape;
    if (n->op != OP_TRIANGULAR_SOLVE)
        return false;
    k->space.solve.order = matrix->dim[matrix->rank - 1];
    k->space.solve.systems = unit_size(u, v) / k->space.solve.order;
    return true;
}

static int64_t places(const struct kernel *k)
{
    return k->space.solve.systems;
}

static int64_t length(const struct kernel *k)
{
    return k->space.solve.order;
}

static void phase(const struct kernel *k, struct phase *out)
{
    out->rounds = (k->space.solve.order + 10) * k->space.solve.order;
}

const struct family solve_family = {
    .name = "solve",
    .places = places,
    .length = length,
    .starts = starts,
    .has_place = has_places,
    .phase = phase,
    .print_space = print_rows_space,
    .schedule = schedule_solve,
    .elements_at_once = one_element,
    .write = kernel_solve,
    .repeats = rows_repeats,
    .fill = fill,
};
