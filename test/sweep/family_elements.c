/* Element-wise kernels: plain ones, those whose operand lies across, and copies. */
#include "families.h"

static bool takes(const struct sweep_case *c)
{
    return !op_is(c, "tanh") || type_is_float(c->type);
}

static struct made build(struct graph_text *g, const struct sweep_case *c)
{
    struct value x = operand(g, c);
    if (op_is(c, "same"))
        return made_of(x);
    if (op_is(c, "negate") || op_is(c, "tanh"))
        return made_of(gt_unary(g, case_op(c), x));
    struct value y = gt_param(g, c->type, &c->shape);
    if (op_is(c, "add"))
        return made_of(gt_binary(g, "add", x, y));
    if (op_is(c, "pair")) /* two results of one space */
        return (struct made){gt_binary(g, "add", x, y), gt_binary(g, "subtract", x, y), true};
    struct value count =
        gt_node(g, "iota", c->type, &c->shape, 0, NULL, ", \"attrs\": {\"axis\": -1}");
    return made_of(gt_binary(g, "add", gt_binary(g, "multiply", x, y), count));
}

static const char *const ops[] = {"add", "pair", "counted", "negate", "tanh", NULL};
static const struct sweep_line lines[] = {{{1, {0}}, 0, 140000, false},
                                          {{2, {0, 5}}, 0, 27000, false},
                                          {{2, {6, 0}}, 0, 22000, false},
                                          {{4, {2, 3, 0, 4}}, 0, 5600, false}};

const struct sweep_family family_elements = {.name = "elements",
                                             .what = "element-wise",
                                             .ops = ops,
                                             .probed = 1,
                                             LINES(lines),
                                             .takes = takes,
                                             .build = build};

static const char *const copy_ops[] = {"same", NULL};
static const struct sweep_line copy_lines[] = {{{1, {0}}, 0, 9000, false},
                                               {{2, {0, 7}}, 0, 1200, false}};

const struct sweep_family family_copies = {
    .name = "copies",
    .what = "results that are inputs, or inputs in another order",
    .ops = copy_ops,
    .probed = 1,
    LINES(copy_lines),
    .takes = takes,
    .build = build};

/* ---- an operand that lies across ---- */

static bool takes_turned(const struct sweep_case *c)
{
    return c->shape.rank > 1;
}

static struct made build_turned(struct graph_text *g, const struct sweep_case *c)
{
    struct shape across = c->shape;
    int64_t axes[VKC_MAX_RANK];
    uint32_t rank = c->shape.rank;
    for (uint32_t i = 0; i < rank; i++) {
        axes[i] = op_is(c, "backwards") || rank < 3 ? rank - 1 - i : i == 0 ? 0 : rank - i;
        across.dim[axes[i]] = c->shape.dim[i];
    }
    struct value x = gt_transpose(g, around_feed(g, c, c->type, &across), axes);
    return made_of(op_is(c, "swapped") ? gt_unary(g, "negate", x)
                                       : gt_binary(g, "add", x, gt_param(g, c->type, &c->shape)));
}

static const char *const turned_ops[] = {"swapped", "backwards", NULL};
static const struct sweep_line turned_lines[] = {
    {{2, {0, 260}}, 0, 300, false},      {{2, {290, 0}}, 0, 300, false},
    {{2, {4400, 0}}, 0, 40, false},      {{3, {5, 0, 120}}, 0, 180, false},
    {{4, {3, 0, 20, 24}}, 0, 60, false},
};

const struct sweep_family family_turned = {
    .name = "turned",
    .what = "element-wise, of an operand that lies across: tiles turn in shared memory",
    .ops = turned_ops,
    .probed = 1,
    LINES(turned_lines),
    .takes = takes_turned,
    .build = build_turned};
