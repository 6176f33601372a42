/* Reductions along any axes, alone and with what needs the row's result for each element. */
#include "families.h"

static const char *const ops[] = {"center",   "sum",       "softmax",    "less_max",   "norm",
                                  "argmax",   "moments",   "reduce_max", "reduce_min", "product",
                                  "less_sum", "logsumexp", "all",        "any",        "argmin",
                                  "fold",     NULL};

static bool is(const struct sweep_case *c, const char *list)
{
    const char *op = case_op(c), *at = strstr(list, op);
    size_t n = strlen(op);
    return at && (at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0');
}

static bool takes(const struct sweep_case *c)
{
    bool reduces = c->axes != 0 && c->axes < 1u << c->shape.rank;
    if (is(c, "softmax norm logsumexp"))
        return reduces && type_is_float(c->type);
    if (is(c, "center"))
        return reduces && (type_is_float(c->type) || type_is_complex(c->type));
    if (is(c, "argmax argmin")) /* along one axis */
        return reduces && !type_is_complex(c->type) && (c->axes & (c->axes - 1)) == 0;
    if (is(c, "less_max reduce_max reduce_min"))
        return reduces && !type_is_complex(c->type);
    return reduces;
}

static int64_t row_length(const struct sweep_case *c)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < c->shape.rank; i++)
        n *= c->axes & 1u << i ? c->shape.dim[i] : 1;
    return n;
}

/* The shape that is left. */
static struct shape row_shape(const struct sweep_case *c)
{
    struct shape to = {0};
    for (uint32_t i = 0; i < c->shape.rank; i++)
        if (!(c->axes & 1u << i))
            to.dim[to.rank++] = c->shape.dim[i];
    return to;
}

/* x less its rows' `what`, which is also a result of its own. */
static struct made less(struct graph_text *g, const struct sweep_case *c, struct value x,
                        struct value row)
{
    return (struct made){gt_binary(g, "subtract", x, gt_stretch(g, row, &c->shape)), row, true};
}

static struct value mean(struct graph_text *g, const struct sweep_case *c, struct value x)
{
    struct value sum = gt_reduce(g, "sum", x, c->axes, true);
    return gt_binary(g, "divide", sum,
                     gt_constant(g, c->type, gt_shape(g, sum), (double)row_length(c)));
}

static struct made softmax(struct graph_text *g, const struct sweep_case *c, struct value x,
                           bool log)
{
    struct made m = less(g, c, x, gt_reduce(g, "reduce_max", x, c->axes, true));
    struct value e = gt_unary(g, "exp", m.main), sum = gt_reduce(g, "sum", e, c->axes, true);
    if (log)
        return made_of(gt_binary(g, "add", gt_unary(g, "log", sum), m.row));
    return (struct made){gt_binary(g, "divide", e, gt_stretch(g, sum, &c->shape)), sum, true};
}

static struct made norm(struct graph_text *g, const struct sweep_case *c, struct value x)
{
    struct made m = less(g, c, x, mean(g, c, x));
    struct value variance = mean(g, c, gt_binary(g, "multiply", m.main, m.main));
    struct value scale = gt_unary(
        g, "rsqrt",
        gt_binary(g, "add", variance, gt_constant(g, c->type, gt_shape(g, variance), 0.0625)));
    m.main = gt_binary(g, "multiply", m.main, gt_stretch(g, scale, &c->shape));
    m.row = variance;
    return m;
}

static struct made arg(struct graph_text *g, const struct sweep_case *c, struct value x)
{
    const struct shape to = row_shape(c);
    uint32_t axis = 0;
    while (!(c->axes & 1u << axis))
        axis++;
    return made_of(
        gt_node(g, case_op(c), TYPE_S32, &to, 1, &x,
                arena_printf(g->arena,
                             ", \"attrs\": {\"axis\": %u, \"tie_break\": \"%s\", \"keep\": false}",
                             axis, to.rank % 2 ? "low" : "high")));
}

/* A function that depends on the order: a thread takes a whole row. */
static struct made fold(struct graph_text *g, const struct sweep_case *c, struct value x)
{
    const struct shape scalar = scalar_shape();
    struct value first = gt_constant(g, c->type, &scalar, 1);
    const struct shape to = row_shape(c);
    uint32_t region = gt_begin(g);
    struct value element = gt_param(g, c->type, &scalar), so_far = gt_param(g, c->type, &scalar);
    gt_result(g, gt_binary(g, "subtract", element, so_far));
    gt_end(g);
    const char *attrs =
        arena_printf(g->arena, "\"axes\": %s, \"keep\": false", gt_axes(g, c->axes));
    return made_of(gt_node(g, "reduce", c->type, &to, 2, (struct value[]){x, first},
                           with_regions(g, attrs, region, 1)));
}

static struct made build(struct graph_text *g, const struct sweep_case *c)
{
    struct value x = operand(g, c);
    if (is(c, "softmax logsumexp"))
        return softmax(g, c, x, op_is(c, "logsumexp"));
    if (is(c, "center"))
        return less(g, c, x, mean(g, c, x));
    if (is(c, "norm"))
        return norm(g, c, x);
    if (is(c, "less_max less_sum"))
        return less(g, c, x,
                    gt_reduce(g, op_is(c, "less_sum") ? "sum" : "reduce_max", x, c->axes, true));
    if (is(c, "argmax argmin"))
        return arg(g, c, x);
    if (is(c, "fold"))
        return fold(g, c, x);
    if (is(c, "moments"))
        return (struct made){gt_reduce(g, "sum", x, c->axes, false),
                             gt_reduce(g, "sum", gt_binary(g, "multiply", x, x), c->axes, false),
                             true};
    return made_of(gt_reduce(g, case_op(c), x, c->axes, false));
}

static const struct sweep_line lines[] = {
    {{1, {0}}, 1, 9000, false},         {{2, {3, 0}}, 2, 9000, false},
    {{2, {70, 0}}, 2, 1100, false},     {{2, {0, 20}}, 2, 2100, false},
    {{2, {0, 300}}, 2, 600, false},     {{2, {0, 6}}, 1, 5000, false},
    {{2, {300, 0}}, 1, 600, false},     {{3, {5, 0, 4}}, 2, 2100, false},
    {{3, {4, 0, 6}}, 3, 1100, false},   {{4, {2, 0, 3, 4}}, 6, 600, false},
    {{4, {3, 4, 0, 5}}, 5, 600, false}, {{4, {2, 3, 0, 2}}, 13, 600, false},
};

const struct sweep_family family_rows = {.name = "rows",
                                         .what =
                                             "reductions, and what follows them for each element",
                                         .ops = ops,
                                         .probed = 2,
                                         LINES(lines),
                                         .takes = takes,
                                         .build = build};

/* Rows so long, or results so few, that a pass cuts the reduction in two. */
static bool takes_long(const struct sweep_case *c)
{
    return takes(c);
}

static const char *const long_ops[] = {"sum",     "center", "reduce_max", "argmin",
                                       "product", "any",    NULL};
static const struct sweep_line long_lines[] = {
    {{1, {0}}, 1, 140000, false},      {{2, {2, 0}}, 2, 70000, false},
    {{2, {0, 3}}, 1, 46000, false},    {{2, {0, 70}}, 1, 2200, false},
    {{3, {0, 4, 40}}, 5, 1000, false}, {{2, {260, 0}}, 2, 7000, false},
};

const struct sweep_family family_long = {.name = "long",
                                         .what = "long reductions, which are split",
                                         .ops = long_ops,
                                         .probed = 1,
                                         LINES(long_lines),
                                         .takes = takes_long,
                                         .build = build};
