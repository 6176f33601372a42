/* Panels of complex matrices, column by column: what panel_lu and panel_qr do with a workgroup is a
   loop here, of whose rounds each changes the panel. A panel is a few columns, so that nearly all
   of the work is in the products of lower_lu.c and lower_qr.c all the same. */
#include "passes/lower.h"

/* What is carried from column to column. */
enum { COLUMN, PANEL, PLACES, ORDER, NLU };
enum { TRIANGLE = PLACES, NQR };

struct columns {
    struct build *b;
    struct tensor panel; /* [batch, rows, width], complex */
    int64_t batch, rows, width;
    struct value k; /* the column, s32 [] */
};

static struct columns columns_of(struct build *b, const struct tensor *panel)
{
    const int64_t *dim = panel->shape.dim;
    return (struct columns){b, *panel, dim[0], dim[1], dim[2], BUILD_NONE};
}

static struct tensor numbers(enum vkc_type type, int64_t batch, int64_t count)
{
    return (struct tensor){.type = type, .shape = shape_of(2, (int64_t[2]){batch, count})};
}

/* x [batch] or [batch, some] in all elements of the shape; `first` and `second` are the axes that
   it has there. */
static struct value along(const struct columns *c, struct value x, const struct shape *to,
                          int64_t first, int64_t second)
{
    return build_ok(c->b, x) ? build_broadcast(c->b, x, to, (int64_t[2]){first, second}) : x;
}

static struct value of_rows(const struct columns *c, struct value x) /* [batch, rows] */
{
    return along(c, x, &c->panel.shape, 0, 1);
}

static struct value of_columns(const struct columns *c, struct value x) /* [batch, width] */
{
    return along(c, x, &c->panel.shape, 0, 2);
}

/* x [batch], as [batch, count]. */
static struct value of_matrix(const struct columns *c, struct value x, int64_t count)
{
    struct shape to = shape_of(2, (int64_t[2]){c->batch, count});
    return along(c, x, &to, 0, 0);
}

/* Whether counting along the axis compares so with the column. */
static struct value counted(const struct columns *c, const struct shape *shape, int64_t axis,
                            enum op compare)
{
    struct tensor count = {.type = TYPE_S32, .shape = *shape};
    struct value k = build_ok(c->b, c->k) ? build_broadcast(c->b, c->k, shape, NULL) : c->k;
    return build_binary(c->b, compare, build_iota(c->b, &count, axis), k);
}

static struct value sum(const struct columns *c, struct value x, int64_t axis)
{
    return build_ok(c->b, x) ? build_reduce(c->b, OP_SUM, x, &axis, 1) : x;
}

/* Those of x [batch, count] or of a panel that are chosen along an axis, of which each has one. */
static struct value chosen(const struct columns *c, struct value which, struct value x,
                           int64_t axis)
{
    return sum(c, build_select(c->b, which, x, lower_number(c->b, x, 0)), axis);
}

/* Column k, [batch, rows]. */
static struct value column_of(const struct columns *c, struct value x)
{
    struct build *b = c->b;
    int64_t lengths[3] = {c->batch, c->rows, 1}, ones[3] = {1, 1, 1};
    struct tensor scalar = {.type = TYPE_S32}, out = c->panel;
    struct value zero = build_number(b, &scalar, 0), ins[4] = {x, zero, zero, c->k};
    struct attr attrs[2] = {{.key = ATTR_lengths, .kind = 'I', .count = 3, .list = lengths},
                            {.key = ATTR_strides, .kind = 'I', .count = 3, .list = ones}};
    struct shape flat = shape_of(2, (int64_t[2]){c->batch, c->rows});
    out.shape.dim[2] = 1;
    struct node n = {.op = OP_DYNAMIC_SLICE,
                     .nins = 4,
                     .nouts = 1,
                     .nattrs = 2,
                     .ins = ins,
                     .outs = &out,
                     .attrs = attrs};
    return build_ok(b, x) && build_ok(b, zero) ? build_reshape(b, build_node(b, &n), &flat)
                                               : BUILD_NONE;
}

/* ---- the loop ---- */

static uint32_t goes_on(struct build *b, const struct tensor *types, uint32_t count, int64_t width)
{
    struct value given[NLU];
    struct build region = build_region(b, types, count, given);
    struct value less = build_binary(&region, OP_LESS, given[COLUMN],
                                     build_number(&region, &types[COLUMN], (double)width));
    return build_region_end(b, &region, &less, 1);
}

typedef void (*round_fn)(const struct columns *c, const struct value *given, struct value *results);

/* All rounds; results are of the node. */
static struct value all_rounds(const struct columns *outer, round_fn round, struct value *ins,
                               uint32_t count)
{
    struct build *b = outer->b;
    struct tensor types[NLU];
    struct value given[NLU], results[NLU] = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        if (!build_ok(b, ins[i]))
            return BUILD_NONE;
        types[i] = *build_tensor(b, ins[i]);
    }
    uint32_t condition = goes_on(b, types, count, outer->width);
    struct build region = build_region(b, types, count, given);
    struct columns c = *outer;
    c.b = &region;
    c.k = given[COLUMN];
    round(&c, given, results);
    results[COLUMN] = build_binary(&region, OP_ADD, c.k, build_number(&region, types, 1));
    uint32_t regions[2] = {condition, build_region_end(b, &region, results, count)};
    struct node n = {.op = OP_WHILE,
                     .nins = count,
                     .nouts = count,
                     .nregions = 2,
                     .ins = ins,
                     .outs = types,
                     .regions = regions};
    return b->failed ? BUILD_NONE : build_node(b, &n);
}

static struct value result_of(const struct value all, uint32_t out)
{
    return (struct value){all.node, out};
}

/* ---- elimination ---- */

/* The row that would stand first of those with the greatest magnitude in the column, as its place
   [batch]. A NaN is greater than any number. */
static struct value first_place(const struct columns *c, struct value column, struct value places)
{
    struct build *b = c->b;
    struct shape shape = numbers(TYPE_S32, c->batch, c->rows).shape;
    struct value k = build_ok(b, c->k) ? build_broadcast(b, c->k, &shape, NULL) : c->k,
                 is_left = build_binary(b, OP_GREATER_EQUAL, places, k),
                 size = build_unary(b, OP_ABS, column);
    size = build_select(b, is_left, size, lower_number(b, size, -1));
    if (!build_ok(b, size))
        return BUILD_NONE;
    struct value most = of_matrix(c, build_reduce(b, OP_REDUCE_MAX, size, (int64_t[1]){1}, 1),
                                  c->rows),
                 is_nan = build_binary(b, OP_NOT_EQUAL, size, size),
                 is_most =
                     build_binary(b, OP_LOGICAL_OR, build_binary(b, OP_EQUAL, size, most), is_nan);
    is_most = build_binary(b, OP_LOGICAL_AND, is_most, is_left);
    struct value place = build_select(b, is_most, places, lower_number(b, places, INT32_MAX));
    return build_ok(b, place) ? build_reduce(b, OP_REDUCE_MIN, place, (int64_t[1]){1}, 1)
                              : BUILD_NONE;
}

static void eliminate(const struct columns *c, const struct value *given, struct value *results)
{
    struct build *b = c->b;
    struct tensor rows = numbers(TYPE_S32, c->batch, c->rows),
                  columns = numbers(TYPE_S32, c->batch, c->width);
    struct value x = given[PANEL], places = given[PLACES], column = column_of(c, x),
                 first = of_matrix(c, first_place(c, column, places), c->rows),
                 k = build_ok(b, c->k) ? build_broadcast(b, c->k, &rows.shape, NULL) : c->k,
                 is_pivot = build_binary(b, OP_EQUAL, places, first),
                 row = chosen(c, is_pivot, build_iota(b, &rows, 1), 1),
                 upper = chosen(c, of_rows(c, is_pivot), x, 1),
                 is_here = counted(c, &columns.shape, 1, OP_EQUAL),
                 pivot = of_matrix(c, chosen(c, is_here, upper, 1), c->rows);
    /* rows change places */
    places = build_select(b, is_pivot, k,
                          build_select(b, build_binary(b, OP_EQUAL, places, k), first, places));
    results[PLACES] = places;
    results[ORDER] = build_select(b, is_here, of_matrix(c, row, c->width), given[ORDER]);
    struct value lower = build_binary(b, OP_DIVIDE, column, pivot),
                 is_zero = build_binary(b, OP_EQUAL, pivot, lower_number(b, pivot, 0));
    lower = build_select(b, is_zero, column, lower);
    struct value is_below = of_rows(c, build_binary(b, OP_GREATER, places, k));
    lower = of_rows(c, lower);
    struct value rest =
        build_binary(b, OP_SUBTRACT, x, build_binary(b, OP_MULTIPLY, lower, of_columns(c, upper)));
    struct value left = build_select(b, counted(c, &c->panel.shape, 2, OP_EQUAL), lower, x);
    rest = build_select(b, counted(c, &c->panel.shape, 2, OP_GREATER), rest, left);
    results[PANEL] = build_select(b, is_below, rest, x);
}

struct value lower_lu_columns(struct build *b, struct value x, struct value *places,
                              struct value *order)
{
    *order = BUILD_NONE;
    if (!build_ok(b, x) || !build_ok(b, *places))
        return BUILD_NONE;
    struct columns c = columns_of(b, build_tensor(b, x));
    struct tensor scalar = {.type = TYPE_S32}, columns = numbers(TYPE_S32, c.batch, c.width);
    struct value was_left = of_rows(
                     &c, build_binary(b, OP_GREATER_EQUAL, *places, lower_number(b, *places, 0))),
                 ins[NLU] = {build_number(b, &scalar, 0), x, *places, build_number(b, &columns, 0)},
                 all = all_rounds(&c, eliminate, ins, NLU);
    if (!build_ok(b, all))
        return BUILD_NONE;
    x = result_of(all, PANEL);
    *order = result_of(all, ORDER);
    *places = build_binary(b, OP_SUBTRACT, result_of(all, PLACES),
                           lower_number(b, *places, (double)c.width));
    return build_select(b, was_left, x, lower_number(b, x, 0));
}

/* ---- reflection ---- */

/* H = I - tau v v* of a column, whose phase times norm is added to its element k: v is that divided
   by this element, zeros above it, and H x is -phase norm e_k. */
struct mirror {
    struct value v;      /* [batch, rows] */
    struct value tau;    /* [batch], complex */
    struct value column; /* [batch, rows]: H x, with v in place of zeros below it */
};

/* The norm of the column from k on, of which `size` is the magnitude of the first element, and
   whether there is anything below that. Squares that underflow are rounding of rounding. */
static struct value norm_of(const struct columns *c, struct value column, struct value is_below,
                            struct value size, struct value *is_something)
{
    struct build *b = c->b;
    struct value parts = build_unary(b, OP_ABS,
                                     build_select(b, is_below, column, lower_number(b, column, 0))),
                 below = sum(c, build_binary(b, OP_MULTIPLY, parts, parts), 1);
    *is_something = BUILD_NONE;
    if (!build_ok(b, below))
        return BUILD_NONE;
    bool is_wide = build_tensor(b, below)->type == TYPE_F64;
    *is_something =
        build_binary(b, OP_GREATER, below, lower_number(b, below, is_wide ? 0x1p-950 : 0x1p-90));
    struct value squares = build_binary(b, OP_ADD, build_binary(b, OP_MULTIPLY, size, size), below);
    return build_select(b, *is_something, build_unary(b, OP_SQRT, squares), size);
}

/* x / y, where y is not 0; `otherwise` there. */
static struct value divided(const struct columns *c, struct value x, struct value y,
                            struct value otherwise)
{
    struct build *b = c->b;
    struct value is_zero = build_binary(b, OP_EQUAL, y, lower_number(b, y, 0));
    y = build_select(b, is_zero, lower_number(b, y, 1), y);
    return build_select(b, is_zero, otherwise, build_binary(b, OP_DIVIDE, x, y));
}

static struct mirror mirror_of(const struct columns *c, struct value column)
{
    struct build *b = c->b;
    const struct shape rows = shape_of(2, c->panel.shape.dim);
    enum vkc_type type = c->panel.type;
    struct value is_here = counted(c, &rows, 1, OP_EQUAL),
                 is_below = counted(c, &rows, 1, OP_GREATER), top = chosen(c, is_here, column, 1),
                 size = build_unary(b, OP_ABS, top), is_something,
                 norm = norm_of(c, column, is_below, size, &is_something),
                 one = lower_number(b, top, 1);
    struct value phase = divided(c, top, build_convert(b, size, type), one),
                 end =
                     build_select(/* nothing below: exactly the element */
                                  b, is_something,
                                  build_binary(b, OP_MULTIPLY, phase, build_convert(b, norm, type)),
                                  top);
    struct value none = lower_number(b, norm, 0),
                 tau = divided(c, build_binary(b, OP_ADD, size, norm), norm, none);
    struct mirror m = {.tau = build_convert(b, tau, type)};
    struct value first = of_matrix(c, build_binary(b, OP_ADD, top, end), c->rows);
    is_below = build_binary(b, OP_LOGICAL_AND, is_below, of_matrix(c, is_something, c->rows));
    struct value below = divided(c, column, first, lower_number(b, column, 0)),
                 is_above = counted(c, &rows, 1, OP_LESS), zero = lower_number(b, column, 0);
    below = build_select(b, is_below, below, zero);
    m.v = build_select(b, is_here, lower_number(b, column, 1), below);
    column = build_select(b, is_above, column, below);
    end = of_matrix(c, build_unary(b, OP_NEGATE, end), c->rows);
    m.column = build_select(b, is_here, end, column);
    return m;
}

static void reflect(const struct columns *c, const struct value *given, struct value *results)
{
    struct build *b = c->b;
    struct shape columns = shape_of(2, (int64_t[2]){c->batch, c->width}),
                 square = shape_of(3, (int64_t[3]){c->batch, c->width, c->width});
    struct value x = given[PANEL], t = given[TRIANGLE];
    struct mirror m = mirror_of(c, column_of(c, x));
    struct value v = of_rows(c, m.v), tau = of_matrix(c, m.tau, c->width),
                 along_v =
                     sum(c, build_binary(b, OP_MULTIPLY, build_unary(b, OP_CONJUGATE, v), x), 1);
    along_v = build_binary(b, OP_MULTIPLY, tau, along_v);
    struct value rest =
        build_binary(b, OP_SUBTRACT, x, build_binary(b, OP_MULTIPLY, v, of_columns(c, along_v)));
    rest = build_select(b, counted(c, &c->panel.shape, 2, OP_GREATER), rest, x);
    struct value reflected = of_rows(c, m.column);
    results[PANEL] = build_select(b, counted(c, &c->panel.shape, 2, OP_EQUAL), reflected, rest);
    /* of T, column k: -tau T (V* v), and tau; left of k the panel has V */
    struct value zero = lower_number(b, along_v, 0),
                 adjoint = build_unary(b, OP_CONJUGATE, along_v),
                 of_v = build_select(b, counted(c, &columns, 1, OP_LESS), adjoint, zero),
                 onto = sum(c, build_binary(b, OP_MULTIPLY, t, along(c, of_v, &square, 0, 2)), 2);
    onto = build_unary(b, OP_NEGATE, onto);
    onto = build_select(b, counted(c, &columns, 1, OP_EQUAL), tau, onto);
    onto = along(c, onto, &square, 0, 1);
    results[TRIANGLE] = build_select(b, counted(c, &square, 2, OP_EQUAL), onto, t);
}

struct value lower_qr_columns(struct build *b, struct value x, struct value *t)
{
    *t = BUILD_NONE;
    if (!build_ok(b, x))
        return BUILD_NONE;
    struct columns c = columns_of(b, build_tensor(b, x));
    struct tensor scalar = {.type = TYPE_S32};
    struct value ins[NQR] = {build_number(b, &scalar, 0), x,
                             lower_filled(b, x, c.width, c.width, 0)},
                 all = all_rounds(&c, reflect, ins, NQR);
    if (!build_ok(b, all))
        return BUILD_NONE;
    *t = result_of(all, TRIANGLE);
    return result_of(all, PANEL);
}
