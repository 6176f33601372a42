/* What a hero combines: which element of which operand belongs to row `o` at position `r`. A
   reduction takes its operand, a contraction a product of two, a window what lies under it, a
   convolution a product for every kernel element. Serial heroes (scatters and folds with a
   function) take elements in order. */
#include <string.h>

#include "codegen/family/row_elements.h"
#include "codegen/family/contraction.h"

static const struct shape *operand(const struct func *f, const struct node *n, uint32_t i)
{
    return &func_tensor(f, n->ins[i])->shape;
}

/* The shape that position `r` counts through. */
static struct shape inner_shape(const struct func *f, const struct node *n)
{
    struct shape s = {0};
    const struct shape *in = operand(f, n, 0);
    uint32_t count;
    const int64_t *list;
    switch (op_class(n->op)) {
    case CLASS_REDUCE:
    case CLASS_FOLD:
        for (uint32_t i = 0; i < in->rank; i++)
            if (attr_list_has(n, ATTR_axes, i))
                s.dim[s.rank++] = in->dim[i];
        break;
    case CLASS_ARGREDUCE:
        for (uint32_t i = 0; i < in->rank; i++)
            if (attr_int(n, ATTR_axis, 0) < 0 || attr_int(n, ATTR_axis, 0) == i)
                s.dim[s.rank++] = in->dim[i];
        break;
    case CLASS_WINDOW:
        list = attr_list(n, ATTR_window, &count);
        s = shape_of(count, list);
        break;
    case CLASS_SCATTER:
        if (n->op == OP_INDEXED_ADD || n->op == OP_INDEXED_PUT) {
            s = *operand(f, n, 1);
            s.rank--; /* the last holds the coordinates */
        } else {      /* as many windows as can hold an element */
            list = attr_list(n, ATTR_window, &count);
            s = shape_of(count, list);
            list = attr_list(n, ATTR_strides, &count);
            for (uint32_t i = 0; i < s.rank; i++)
                s.dim[i] = (s.dim[i] + list[i] - 1) / list[i];
        }
        break;
    case CLASS_CONTRACT: {
        struct contraction c;
        contraction_of(f, n, &c);
        s = c.k.shape;
        break;
    }
    default: break;
    }
    return s;
}

int64_t hero_inner(const struct func *f, const struct node *n)
{
    struct shape s = inner_shape(f, n);
    return shape_size(&s);
}

enum op hero_combine(const struct node *n)
{
    return op_class(n->op) == CLASS_CONTRACT ? OP_SUM : vkc_ops[n->op].reduction;
}

bool hero_is_serial(const struct node *n)
{
    return op_class(n->op) == CLASS_SCATTER || op_class(n->op) == CLASS_FOLD ||
           n->op == OP_WINDOW_REDUCE;
}

void reduce_index(struct emit *e, const struct node *n, const struct ix *o, const struct ix *r,
                  const struct ix **out)
{
    const struct shape *in = operand(e->func, n, 0);
    struct shape kept = {0}, reduced = inner_shape(e->func, n);
    const struct ix *ko[VKC_MAX_RANK], *kr[VKC_MAX_RANK];
    int64_t axis = attr_int(n, ATTR_axis, 0);
    bool is_reduced[VKC_MAX_RANK];
    for (uint32_t i = 0; i < in->rank; i++) {
        is_reduced[i] = op_class(n->op) == CLASS_ARGREDUCE ? (axis < 0 || axis == i)
                                                           : attr_list_has(n, ATTR_axes, i);
        if (!is_reduced[i])
            kept.dim[kept.rank++] = in->dim[i];
    }
    ix_delinear(e->ix, &kept, o, ko);
    ix_delinear(e->ix, &reduced, r, kr);
    for (uint32_t i = 0, a = 0, b = 0; i < in->rank; i++)
        out[i] = is_reduced[i] ? kr[b++] : ko[a++];
}

static struct expr contraction_element(struct emit *e, const struct node *n, const struct ix *o,
                                       const struct ix *r)
{
    struct contraction c;
    struct contraction_at at;
    contraction_of(e->func, n, &c);
    contraction_unflat(e, &c, o, &at);
    ix_delinear(e->ix, &c.k.shape, r, at.k);
    return contraction_product(e, &c, &at);
}

static const char *identity(struct emit *e, const struct node *n, enum vkc_type t)
{
    uint64_t bits = 0;
    if (!op_identity_bits(hero_combine(n), t, &bits))
        emit_fail(e, "n%u %s has no identity for %s", n->label, op_name(n->op), type_name(t));
    return emit_constant(e, t, bits, 0);
}

/* Where element `r` of the window over `o` lies in the operand. */
static bool window_index(struct emit *e, const struct node *n, const struct ix *o,
                         const struct ix *r, const struct ix **at, struct str *cond)
{
    uint32_t count;
    const struct shape *in = operand(e->func, n, 0);
    const int64_t *strides = attr_list(n, ATTR_strides, &count),
                  *lo = attr_list(n, ATTR_lo, &count),
                  *dilations = attr_list(n, ATTR_dilations, &count);
    struct shape window = inner_shape(e->func, n);
    const struct ix *out[VKC_MAX_RANK], *w[VKC_MAX_RANK];
    ix_delinear(e->ix, &n->outs[0].shape, o, out);
    ix_delinear(e->ix, &window, r, w);
    for (uint32_t i = 0; i < in->rank; i++) {
        const struct ix *p = ix_add(e->ix, ix_scale(e->ix, out[i], strides[i]),
                                    ix_scale(e->ix, w[i], dilations ? dilations[i] : 1));
        at[i] = emit_bounded(e, ix_add_const(e->ix, p, -lo[i]), in->dim[i], 1, cond);
        if (!at[i])
            return false;
    }
    return true;
}

static struct expr window_element(struct emit *e, const struct node *n, const struct ix *o,
                                  const struct ix *r)
{
    const struct ix *at[VKC_MAX_RANK];
    struct str cond;
    str_init(&cond, e->arena);
    if (!window_index(e, n, o, r, at, &cond))
        return (struct expr){NULL, 0};
    return emit_if(e, str_text(&cond), identity(e, n, n->outs[0].type), n->ins[0], at);
}

struct expr hero_element(struct emit *e, const struct node *n, const struct ix *o,
                         const struct ix *r)
{
    const struct ix *at[VKC_MAX_RANK];
    switch (op_class(n->op)) {
    case CLASS_REDUCE:
    case CLASS_ARGREDUCE: reduce_index(e, n, o, r, at); return emit_value(e, n->ins[0], at);
    case CLASS_CONTRACT: return contraction_element(e, n, o, r);
    case CLASS_WINDOW: return window_element(e, n, o, r);
    default: return emit_fail(e, "n%u %s is not compiled yet", n->label, op_name(n->op));
    }
}

/* ---- serial heroes ---- */

struct expr serial_begin(struct emit *e, const struct node *n, const struct ix *o)
{
    if (n->op == OP_INDEXED_ADD || n->op == OP_INDEXED_PUT)
        return emit_flat(e, n->ins[0], o);
    if (op_class(n->op) == CLASS_FOLD || n->op == OP_WINDOW_REDUCE)
        return emit_value(e, n->ins[1], NULL);
    if (n->op == OP_WINDOW_SCATTER_MAX || n->op == OP_WINDOW_SCATTER_MIN)
        return emit_value(e, n->ins[2], NULL);
    return emit_fail(e, "n%u %s is not compiled yet", n->label, op_name(n->op));
}

/* Floats of fewer than 32 bits are summed in f32 and rounded once the sum is complete. In bf16 a
   sum of ones would not grow beyond 256. */
static const char *add_up(struct emit *e, enum vkc_type t, const char *acc, const char *x)
{
    bool is_narrow = type_is_float(t) && vkc_types[t].bits < 32;
    return emit_combine(e, OP_SUM, is_narrow ? TYPE_F32 : t, acc, x);
}

/* acc takes update `r` if that goes to element `o`; the last of several wins a put. */
static bool scatter_step(struct emit *e, const struct node *n, const struct ix *o,
                         const struct ix *r, const char *acc)
{
    struct shape rows = inner_shape(e->func, n);
    uint32_t count, rank = n->outs[0].shape.rank, next = rows.rank;
    const int64_t *axes = attr_list(n, ATTR_axes, &count);
    const struct ix *out[VKC_MAX_RANK], *row[VKC_MAX_RANK], *update[VKC_MAX_RANK];
    struct str cond;
    str_init(&cond, e->arena);
    ix_delinear(e->ix, &n->outs[0].shape, o, out);
    ix_delinear(e->ix, &rows, r, row);
    memcpy(update, row, rows.rank * sizeof *row);
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t k = 0;
        while (k < count && axes[k] != i)
            k++;
        if (k == count) {
            update[next++] = out[i];
            continue;
        }
        row[rows.rank] = ix_const(e->ix, k);
        struct expr where = emit_value(e, n->ins[1], row), here = emit_index(e, out[i]);
        if (!where.text || !here.text)
            return false;
        enum vkc_type t = func_tensor(e->func, n->ins[1])->type;
        /* not in a narrow type, where places past its range would wrap; -1 becomes a place that
           does not exist */
        enum vkc_type in = vkc_types[t].bits < 32 ? TYPE_U32 : t;
        str_printf(&cond, "%s%s == %s", cond.len ? " && " : "", emit_cast(e, t, in, where.text),
                   emit_cast(e, TYPE_U32, in, here.text));
    }
    emit_open(e);
    struct expr x = emit_value(e, n->ins[2], update);
    if (x.text)
        emit_line(e, e->scope->depth, "%s = %s; // %s%s%s", acc,
                  n->op == OP_INDEXED_ADD ? add_up(e, n->outs[0].type, acc, x.text) : x.text,
                  op_name(n->op), n->loc ? "  " : "", n->loc ? n->loc : "");
    emit_close(e, arena_printf(e->arena, "if (%s)", cond.len ? str_text(&cond) : "true"));
    return x.text != NULL;
}

/* Searches window `w` for the element that it selects: its place goes to `where`, its value to
   `best`. */
static bool window_winner(struct emit *e, const struct node *n, const struct shape *window,
                          const struct ix *const *w, const char *best, const char *where)
{
    uint32_t count;
    const struct shape *in = operand(e->func, n, 0);
    const int64_t *strides = attr_list(n, ATTR_strides, &count),
                  *lo = attr_list(n, ATTR_lo, &count);
    const struct ix *inside[VKC_MAX_RANK], *at[VKC_MAX_RANK];
    enum vkc_type t = func_tensor(e->func, n->ins[0])->type;
    struct str seen;
    str_init(&seen, e->arena);
    emit_open(e);
    const struct ix *q = ix_var(e->ix, "q", shape_size(window), e->scope->depth);
    struct expr qt = emit_index(e, q);
    ix_delinear(e->ix, window, q, inside);
    for (uint32_t i = 0; i < in->rank; i++) {
        const struct ix *first = ix_add_const(e->ix, ix_scale(e->ix, w[i], strides[i]), -lo[i]);
        at[i] = emit_bounded(e, ix_add(e->ix, first, inside[i]), in->dim[i], 1, &seen);
        if (!at[i])
            return false;
    }
    emit_open(e);
    struct expr x = emit_value(e, n->ins[0], at);
    if (!x.text || !qt.text)
        return false;
    const char *than = n->op == OP_WINDOW_SCATTER_MAX ? "<=" : ">=";
    const char *is_nan = type_is_float(t) ? emit_call(e, "nx_is_nan", t) : NULL;
    const char *nan = is_nan ? arena_printf(e->arena, " || %s(%s) != 0u || %s(%s) != 0u", is_nan,
                                            best, is_nan, x.text)
                             : "";
    emit_line(e, e->scope->depth, "if (%s == 0xffffffffu || %s %s %s%s) { %s = %s; %s = %s; }",
              where, best, than, x.text, nan, best, x.text, where, qt.text);
    emit_close(e, seen.len ? arena_printf(e->arena, "if (%s)", str_text(&seen)) : NULL);
    emit_close(e, arena_printf(e->arena, "for (uint q = 0u; q < %lldu; q++)",
                               (long long)shape_size(window)));
    return true;
}

/* Element `o` of a window scatter visits the windows that contain it. `r` counts them backwards,
   from the window that begins at the element. If a window selects the element, acc takes that
   window's source element. A window is searched as in the reference interpreter: a later element
   replaces the current one unless the current one is greater, so the last of equals wins. */
static bool window_scatter_step(struct emit *e, const struct node *n, const struct ix *o,
                                const struct ix *r, const char *acc)
{
    uint32_t count;
    const struct shape *in = operand(e->func, n, 0), *source = operand(e->func, n, 1);
    const int64_t *strides = attr_list(n, ATTR_strides, &count),
                  *lo = attr_list(n, ATTR_lo, &count);
    const struct shape window = shape_of(count, attr_list(n, ATTR_window, &count)),
                       holding = inner_shape(e->func, n);
    const struct ix *here[VKC_MAX_RANK], *back[VKC_MAX_RANK], *off[VKC_MAX_RANK], *w[VKC_MAX_RANK];
    enum vkc_type t = func_tensor(e->func, n->ins[0])->type;
    struct str cond;
    str_init(&cond, e->arena);
    ix_delinear(e->ix, in, o, here);
    ix_delinear(e->ix, &holding, r, back);
    for (uint32_t i = 0; i < in->rank; i++) {
        /* windows' worth, so that no quotient is negative */
        int64_t cropped = lo[i] < 0 ? (strides[i] - 1 - lo[i]) / strides[i] : 0;
        const struct ix *p = ix_add_const(e->ix, here[i], lo[i] + cropped * strides[i]),
                        *last = ix_add_const(e->ix, ix_div(e->ix, p, strides[i]), -cropped);
        w[i] = emit_bounded(e, ix_add(e->ix, last, ix_scale(e->ix, back[i], -1)), source->dim[i], 1,
                            &cond);
        off[i] = ix_add(e->ix, ix_mod(e->ix, p, strides[i]), ix_scale(e->ix, back[i], strides[i]));
        struct expr at_off = emit_index(e, off[i]);
        if (!w[i] || !at_off.text)
            return false;
        if (off[i]->max >= window.dim[i])
            str_printf(&cond, "%s%s < %lldu", cond.len ? " && " : "", at_off.text,
                       (long long)window.dim[i]);
    }
    struct expr me = emit_index(e, ix_linear(e->ix, &window, off));
    if (!me.text)
        return false;
    emit_open(e);
    uint32_t d = e->scope->depth;
    const char *best = emit_temp(e, "best"), *where = emit_temp(e, "where");
    emit_line(e, d, "%s %s = %s;", emit_type(e, t), best, emit_constant(e, t, 0, 0));
    emit_line(e, d, "uint %s = 0xffffffffu;", where);
    if (!window_winner(e, n, &window, w, best, where))
        return false;
    emit_open(e);
    struct expr add = emit_value(e, n->ins[1], w);
    if (add.text)
        emit_line(e, e->scope->depth, "%s = %s; // %s%s%s", acc,
                  add_up(e, n->outs[0].type, acc, add.text), op_name(n->op), n->loc ? "  " : "",
                  n->loc ? n->loc : "");
    emit_close(e, arena_printf(e->arena, "if (%s == %s)", where, me.text));
    emit_close(e, cond.len ? arena_printf(e->arena, "if (%s)", str_text(&cond)) : NULL);
    return add.text != NULL;
}

/* The region of a fold, inlined: a function of (element, accumulator), both scalars. */
static const char *inline_function(struct emit *e, const struct node *n, const char *element,
                                   const char *acc)
{
    const struct func *f = &e->unit->graph->funcs[n->regions[0]], *outer = e->func;
    const char **text = ARENA_ARRAY(e->arena, const char *, f->nnodes + 1);
    if (!text) {
        emit_fail(e, "out of memory");
        return NULL;
    }
    for (node_id i = 0; i < f->nnodes && !e->failed; i++) {
        const struct node *b = func_node(f, i);
        const char *args[3] = {0};
        if (b->op == OP_PARAMETER) {
            text[i] = attr_int(b, ATTR_index, 0) == 0 ? element : acc;
            continue;
        }
        if (b->op == OP_CONSTANT) {
            const struct attr *bits = node_attr(b, ATTR_bits);
            text[i] = emit_constant(e, b->outs[0].type, bits->bits[0], bits->bits[1]);
            continue;
        }
        for (uint32_t j = 0; j < b->nins && j < 3; j++)
            args[j] = text[b->ins[j].node];
        if (b->op == OP_RESHAPE || b->op == OP_BROADCAST) {
            text[i] = args[0];
            continue;
        }
        e->func = f;
        const char *form = op_class(b->op) == CLASS_ELEMENTWISE ? emit_form(e, b, args) : NULL;
        e->func = outer;
        if (!form) {
            emit_fail(e, "n%u %s: its function uses %s, which is not compiled there yet", n->label,
                      op_name(n->op), op_name(b->op));
            return NULL;
        }
        text[i] = emit_temp(e, "f");
        bool precise = !e->unit->fast_math && type_is_float(b->outs[0].type);
        emit_line(e, e->scope->depth, "%s%s %s = %s; // %s", precise ? "precise " : "",
                  emit_type(e, b->outs[0].type), text[i], form, op_name(b->op));
        e->statements++;
    }
    return e->failed ? NULL : text[f->results[0].node];
}

static bool fold_step(struct emit *e, const struct node *n, const struct ix *o, const struct ix *r,
                      const char *acc)
{
    const struct ix *at[VKC_MAX_RANK];
    struct str cond;
    str_init(&cond, e->arena);
    struct expr x;
    if (n->op == OP_FOLD) {
        reduce_index(e, n, o, r, at);
        x = emit_value(e, n->ins[0], at);
    } else {
        if (!window_index(e, n, o, r, at, &cond))
            return false;
        /* what lies outside is the initial value */
        struct expr initial = cond.len ? emit_value(e, n->ins[1], NULL) : (struct expr){"", 0};
        if (!initial.text)
            return false;
        x = emit_if(e, str_text(&cond), initial.text, n->ins[0], at);
    }
    if (!x.text)
        return false;
    const char *next = inline_function(e, n, x.text, acc);
    if (next)
        emit_line(e, e->scope->depth, "%s = %s;", acc, next);
    return next != NULL;
}

bool serial_step(struct emit *e, const struct node *n, const struct ix *o, const struct ix *r,
                 const char *acc)
{
    if (n->op == OP_INDEXED_ADD || n->op == OP_INDEXED_PUT)
        return scatter_step(e, n, o, r, acc);
    if (op_class(n->op) == CLASS_SCATTER)
        return window_scatter_step(e, n, o, r, acc);
    return fold_step(e, n, o, r, acc);
}
