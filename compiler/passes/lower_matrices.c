/* Matrices [batch, rows, columns]: what the lowerings of linear algebra put together. */
#include "passes/lower.h"

struct value lower_part(struct build *b, struct value x, int64_t row, int64_t column, int64_t rows,
                        int64_t columns)
{
    if (!build_ok(b, x))
        return x;
    int64_t starts[3] = {0, row, column}, ones[3] = {1, 1, 1},
            lengths[3] = {build_tensor(b, x)->shape.dim[0], rows, columns};
    return build_slice(b, x, starts, lengths, ones);
}

struct value lower_padded(struct build *b, struct value x, int64_t rows, int64_t columns)
{
    if (!build_ok(b, x))
        return x;
    const struct tensor t = *build_tensor(b, x), scalar = {.type = t.type};
    int64_t none[3] = {0}, more[3] = {0, rows - t.shape.dim[1], columns - t.shape.dim[2]};
    return more[1] || more[2] ? build_pad(b, x, build_number(b, &scalar, 0), none, more, none) : x;
}

struct value lower_filled(struct build *b, struct value like, int64_t rows, int64_t columns,
                          double x)
{
    if (!build_ok(b, like))
        return like;
    struct tensor t = *build_tensor(b, like);
    t.shape.dim[1] = rows;
    t.shape.dim[2] = columns;
    return build_number(b, &t, x);
}

struct value lower_number(struct build *b, struct value like, double x)
{
    if (!build_ok(b, like))
        return BUILD_NONE;
    struct tensor t = *build_tensor(b, like);
    return build_number(b, &t, x);
}

struct value lower_eye(struct build *b, struct value like, int64_t rows, int64_t columns)
{
    struct value zero = lower_filled(b, like, rows, columns, 0);
    return lower_where(b, OP_EQUAL, lower_filled(b, like, rows, columns, 1), zero);
}

struct value lower_transposed(struct build *b, struct value x)
{
    return build_transpose(b, x, (int64_t[3]){0, 2, 1});
}

struct value lower_adjoint(struct build *b, struct value x)
{
    x = lower_transposed(b, x);
    bool is_complex = build_ok(b, x) && type_is_complex(build_tensor(b, x)->type);
    return is_complex ? build_unary(b, OP_CONJUGATE, x) : x;
}

struct value lower_beside(struct build *b, struct value x, struct value y)
{
    return build_concatenate(b, (struct value[2]){x, y}, 2, 2);
}

struct value lower_where(struct build *b, enum op compare, struct value x, struct value y)
{
    if (!build_ok(b, x))
        return x;
    struct tensor count = {.type = TYPE_S32, .shape = build_tensor(b, x)->shape};
    struct value column = build_iota(b, &count, 2), row = build_iota(b, &count, 1);
    return build_select(b, build_binary(b, compare, row, column), x, y);
}

/* The last axis of x with axis `along` of y. */
static struct value times(struct build *b, struct value x, struct value y, int64_t along)
{
    if (!build_ok(b, x) || !build_ok(b, y))
        return BUILD_NONE;
    int64_t batch = 0, last = 2;
    struct tensor out = *build_tensor(b, x);
    out.shape.dim[2] = build_tensor(b, y)->shape.dim[3 - along];
    struct value ins[2] = {x, y};
    struct attr attrs[4] = {{.key = ATTR_contract_a, .kind = 'I', .count = 1, .list = &last},
                            {.key = ATTR_batch_a, .kind = 'I', .count = 1, .list = &batch},
                            {.key = ATTR_contract_b, .kind = 'I', .count = 1, .list = &along},
                            {.key = ATTR_batch_b, .kind = 'I', .count = 1, .list = &batch}};
    struct node n = {
        .op = OP_DOT, .nins = 2, .nouts = 1, .nattrs = 4, .ins = ins, .outs = &out, .attrs = attrs};
    return build_node(b, &n);
}

struct value lower_times(struct build *b, struct value x, struct value y)
{
    return times(b, x, y, 1);
}

struct value lower_times_adjoint(struct build *b, struct value x, struct value y)
{
    if (build_ok(b, y) && type_is_complex(build_tensor(b, y)->type))
        y = build_unary(b, OP_CONJUGATE, y);
    return times(b, x, y, 2);
}

struct value lower_solved(struct build *b, struct value l, struct value y, bool is_left,
                          bool is_lower)
{
    struct value ins[2] = {l, y};
    if (!build_ok(b, l) || !build_ok(b, y))
        return BUILD_NONE;
    struct tensor out = *build_tensor(b, y);
    struct attr attrs[3] = {
        {.key = ATTR_left_side, .kind = 'b', .i = is_left},
        {.key = ATTR_lower, .kind = 'b', .i = is_lower},
        {.key = ATTR_transform, .kind = 's', .text = is_left ? "none" : "transpose"}};
    struct node n = {.op = OP_TRIANGULAR_SOLVE,
                     .nins = 2,
                     .nouts = 1,
                     .nattrs = 3,
                     .ins = ins,
                     .outs = &out,
                     .attrs = attrs};
    return build_node(b, &n);
}

struct value lower_argsort(struct build *b, struct value numbers, bool is_descending)
{
    if (!build_ok(b, numbers))
        return BUILD_NONE;
    struct tensor out = {.type = TYPE_S32, .shape = build_tensor(b, numbers)->shape};
    struct attr attrs[3] = {{.key = ATTR_axis, .kind = 'i', .i = 1},
                            {.key = ATTR_descending, .kind = 'b', .i = is_descending},
                            {.key = ATTR_stable, .kind = 'b', .i = true}};
    struct node n = {.op = OP_ARGSORT,
                     .nins = 1,
                     .nouts = 1,
                     .nattrs = 3,
                     .ins = &numbers,
                     .outs = &out,
                     .attrs = attrs};
    return build_node(b, &n);
}
