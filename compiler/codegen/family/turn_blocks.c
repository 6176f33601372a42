/* Pairs of blocks of a matrix's rows turned by the rotations of jacobi, and the columns, too, where
   both sides are; a workgroup for the rows of a pair and some columns: turn_blocks. The products
   are fixed text, turn_blocks.glsl. This file generates the loads of the matrix and of the turns,
   and the stores at the places of the next round. */
#include "runtime/bundle.h"
#include "codegen/family/family.h"
#include "codegen/family/schedule.h"
#include "codegen/template.h"
#include "target/limits.h"

static const struct node *hero_of(struct emit *e)
{
    return func_node(e->func, e->kernel->heroes[0]);
}

static struct blocks_space space_of(const struct func *f, const struct node *n)
{
    const struct shape *x = &func_tensor(f, n->ins[0])->shape;
    int64_t width = func_tensor(f, n->ins[1])->shape.dim[2];
    return (struct blocks_space){x->dim[0], x->dim[1] / width, width, x->dim[2]};
}

/* Tiles side by side. */
static int64_t chunks(const struct blocks_space *s)
{
    int64_t half = s->width / 2;
    return (s->length + half - 1) / half;
}

static int64_t tiles(const struct blocks_space *s)
{
    return s->matrices * s->pairs * chunks(s);
}

/* Where an element is: a variable for each axis, of so many scopes from the outermost in. */
struct spot {
    const char *axis[3];
    int64_t bound[3];
};

static void open_at(struct emit *e, const struct spot *p, int scopes, const struct ix **at)
{
    for (int i = 0; i < scopes; i++)
        emit_open(e);
    for (int i = 0; i < 3; i++)
        at[i] = ix_var(e->ix, p->axis[i], p->bound[i], e->scope->depth);
    e->floor = e->scope->depth;
}

static const char *close_all(struct emit *e, int scopes)
{
    e->floor = 0;
    const char *text = emit_take(e);
    for (int i = 1; i < scopes; i++)
        emit_take(e);
    return text;
}

/* `form` with the element of input `in` there. */
static const char *load_text(struct emit *e, uint32_t in, const struct spot *p, int scopes,
                             const char *form)
{
    const struct ix *at[VKC_MAX_RANK];
    open_at(e, p, scopes, at);
    const char *x = emit_value(e, hero_of(e)->ins[in], at).text;
    if (x)
        emit_line(e, e->scope->depth, form, x);
    return close_all(e, scopes);
}

static const char *store_text(struct emit *e, const struct spot *p)
{
    const struct node *n = hero_of(e);
    const struct ix *at[VKC_MAX_RANK];
    enum { SCOPES = 4 };
    open_at(e, p, SCOPES, at);
    emit_results(e, n, e->kernel->heroes[0], ix_linear(e->ix, &n->outs[0].shape, at),
                 emit_type(e, n->outs[0].type), "sums[q * EACH + r]");
    return close_all(e, SCOPES);
}

static bool kernel_turn_blocks(struct emit *e)
{
    struct kernel *k = e->kernel;
    const struct node *n = hero_of(e);
    const struct blocks_space s = space_of(e->func, n);
    enum vkc_type type = n->outs[0].type;
    int64_t rows = s.pairs * s.width, turns = s.matrices * s.pairs;
    if (e->unit->workgroup)
        return emit_fail(e, "n%u %s takes a workgroup of its own", n->label, op_name(n->op)), false;
    const struct spot element = {{"o", "row", "column"}, {s.matrices, rows, s.length}},
                      stored = {{"o", "to_row", "to_column"}, {s.matrices, rows, s.length}},
                      left = {{"pair", "i", "j"}, {turns, s.width, s.width}},
                      right = {{"other", "i", "to"}, {turns, s.width, s.width}};
    uint32_t each = turn_each(s.width);
    uint64_t square = (uint64_t)(s.width * s.width / k->schedule.group);
    k->shared_bytes = turn_shared_bytes(s.width, type_bytes(type));
    e->iterations =
        3 * square + 2 * (uint64_t)s.width * (1 + 2 * each + each * each) + 8 * each * each;
    emit_count(e, (uint64_t)(2 * s.width)); /* an element of the result */
    if (type_is_complex(type)) {
        emit_call(e, "nx_mul", type);
        emit_call(e, "nx_conj", type);
    }
    bool both = attr_bool(n, ATTR_both);
    e->load = both ? load_text(e, 0, &element, 3, "left[j * PITCH + i] = %s;") : "";
    e->turns_right =
        both ? load_text(e, 1, &right, 3, "put_turn_right(i, j, first, %s, on_right);") : "";
    e->inner = load_text(e, 0, &element, 4, "right[i * HALF + j] = %s;");
    e->turns_left = load_text(e, 1, &left, 2, "put_turn_left(i, j, %s, on_left);");
    e->store = store_text(e, &stored);
    return e->failed == NULL;
}

/* ---- the row ---- */

static void schedule(const struct unit *u, struct kernel *k, uint32_t most_unroll)
{
    (void)u;
    (void)most_unroll;
    k->schedule = (struct schedule){.group = TURN_THREADS};
    schedule_spread(k, tiles(&k->space.blocks));
}

static const char *all_text(struct emit *e)
{
    return arena_printf(e->arena, "%s%s%s%s%s", e->load, e->turns_right, e->inner, e->turns_left,
                        e->store);
}

static bool fill(struct emit *e, struct kernel_text *t, struct str *out)
{
    const struct node *n = hero_of(e);
    const struct blocks_space s = space_of(e->func, n);
    bool is_complex = type_is_complex(n->outs[0].type);
    const char *type = emit_type(e, n->outs[0].type);
    text_add_number(e, t, "WIDTH", s.width);
    text_add_number(e, t, "HALF", s.width / 2);
    text_add_number(e, t, "PAIRS", s.pairs);
    text_add_number(e, t, "EACH", turn_each(s.width));
    text_add_number(e, t, "LENGTH", s.length);
    text_add_number(e, t, "CHUNKS", chunks(&s));
    text_add_number(e, t, "TILES", s.pairs * chunks(&s));
    text_add_number(e, t, "BOTH", attr_bool(n, ATTR_both) ? 2 * s.pairs : 0);
    text_add(t, "TYPE", type);
    text_add(t, "ZERO", arena_printf(e->arena, "%s(0.0)", type));
    text_add(t, "ONE", is_complex ? arena_printf(e->arena, "%s(1.0, 0.0)", type) : "1.0");
    text_add(t, "PRODUCT", is_complex ? "nx_mul(x, y)" : "x * y");
    text_add(t, "CONJUGATE", is_complex ? "nx_conj(x)" : "x");
    text_add(t, "DIFFERENT", is_complex ? "x.x != y.x || x.y != y.y" : "x != y");
    text_add(t, "LOAD_PAIR", e->load);
    text_add(t, "LOAD_RIGHT", e->turns_right);
    text_add(t, "LOAD_PLAIN", e->inner);
    text_add(t, "LOAD_LEFT", e->turns_left);
    text_add(t, "STORE", e->store);
    text_add_number(e, t, "GROUPS", tiles(&s));
    return text_fill(e, t, "turn_blocks.comp", out);
}

static bool starts(const struct unit *u, struct kernel *k, struct value v)
{
    const struct node *n = func_node(unit_func(u), v.node);
    if (op_class(n->op) != CLASS_TURN)
        return false;
    k->space.blocks = space_of(unit_func(u), n);
    return true;
}

static int64_t elements(const struct kernel *k)
{
    const struct blocks_space *s = &k->space.blocks;
    return s->matrices * s->pairs * s->width * s->length;
}

static int64_t width(const struct kernel *k)
{
    return k->space.blocks.width;
}

static void print_space(const struct kernel *k, struct str *out)
{
    const struct blocks_space *s = &k->space.blocks;
    str_printf(out, " %lld x %lld x %lld x %lld", (long long)s->matrices, (long long)s->pairs,
               (long long)s->width, (long long)s->length);
}

const struct family turn_blocks_family = {
    .name = "turn_blocks",
    .places = elements,
    .length = width,
    .starts = starts,
    .has_place = has_places,
    .print_space = print_space,
    .schedule = schedule,
    .elements_at_once = one_element,
    .write = kernel_turn_blocks,
    .repeats = elements,
    .body = all_text,
    .fill = fill,
};
