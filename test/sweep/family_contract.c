/* Products of matrices, convolutions and triangular systems. */
#include "families.h"

/* ---- dot: batch x m x n x k ---- */

static bool takes_dot(const struct sweep_case *c)
{
    return c->shape.rank == 4;
}

static struct made build_dot(struct graph_text *g, const struct sweep_case *c)
{
    const int64_t b = c->shape.dim[0], m = c->shape.dim[1], n = c->shape.dim[2],
                  k = c->shape.dim[3];
    bool left = op_is(c, "left_turned"), right = op_is(c, "right_turned");
    struct shape to = {3, {b, m, n}};
    struct shape x = {3, {b, left ? k : m, left ? m : k}},
                 y = {3, {b, right ? n : k, right ? k : n}};
    int64_t first = b == 1 ? 0 : 1, contract_x = first + !left, contract_y = first + right;
    if (b == 1) {
        to = (struct shape){2, {m, n}};
        x = (struct shape){2, {x.dim[1], x.dim[2]}};
        y = (struct shape){2, {y.dim[1], y.dim[2]}};
    }
    struct value ins[2] = {around_feed(g, c, c->type, &x), gt_param(g, c->type, &y)};
    const char *batch = b == 1 ? "[]" : "[0]";
    return made_of(gt_node(
        g, "dot", c->type, &to, 2, ins,
        arena_printf(
            g->arena,
            ", \"attrs\": {\"contract_a\": [%lld], \"batch_a\": %s, \"contract_b\": [%lld], \"batch_b\": %s}",
            (long long)contract_x, batch, (long long)contract_y, batch)));
}

static const char *const dot_ops[] = {"plain", "left_turned", "right_turned", NULL};
static const struct sweep_line dot_lines[] = {
    {{4, {1, 0, 40, 24}}, 0, 300, false},
    {{4, {1, 40, 0, 24}}, 0, 300, false},
    {{4, {1, 24, 44, 0}}, 0, 300, false},
    {{4, {0, 9, 10, 12}}, 0, 200, false},
    {{4, {1, 0, 3, 8}}, 0, 3000, false},
    {{4, {1, 16, 17, 0}}, 0, 5000, false},
    {{4, {0, 33, 20, 9}}, 0, 60, false},
    {{4, {0, 33, 41, 16}}, 0, 60, false},
    {{4, {7, 0, 40, 17}}, 0, 140, false},
    {{4, {7, 40, 0, 17}}, 0, 140, false}, /* where the next matrix follows */
    /* few rows */
    {{4, {1, 0, 1032, 1024}}, 0, 18, false},
    {{4, {1, 3, 0, 1024}}, 0, 1100, false},
    {{4, {1, 2, 4099, 0}}, 0, 300, false},
};
const struct sweep_family family_contract = {
    .name = "contract",
    .what = "products of matrices: tiles, rows, and split ones",
    .ops = dot_ops,
    .probed = 1,
    LINES(dot_lines),
    .takes = takes_dot,
    .build = build_dot};

/* Results so large that larger tiles are worth it. */
static bool takes_tiles(const struct sweep_case *c)
{
    return takes_dot(c) && (type_bytes(c->type) >= 4 || c->type == TYPE_BF16 || c->type == TYPE_U8);
}

static const struct sweep_line tile_lines[] = {{{4, {1, 0, 512, 16}}, 0, 1400, false},
                                               {{4, {0, 128, 129, 16}}, 0, 70, false}};
const struct sweep_family family_tiles = {.name = "tiles",
                                          .what = "products whose results are large",
                                          .ops = dot_ops,
                                          .probed = 1,
                                          LINES(tile_lines),
                                          .takes = takes_tiles,
                                          .build = build_dot};

/* ---- conv: batch x channels x outputs x size, windows of 3 x 3 ---- */

static bool takes_conv(const struct sweep_case *c)
{
    /* a window of 3, with one element of padding */
    bool fits = !op_is(c, "strided") || c->shape.dim[3] >= 2;
    return c->shape.rank == 4 && fits && (type_is_float(c->type) || type_is_complex(c->type)) &&
           type_bytes(c->type) > 1;
}

static struct made build_conv(struct graph_text *g, const struct sweep_case *c)
{
    const int64_t b = c->shape.dim[0], in = c->shape.dim[1], out = c->shape.dim[2],
                  n = c->shape.dim[3];
    bool last = op_is(c, "channels_last"), strided = op_is(c, "strided");
    int64_t stride = strided ? 2 : 1, to_n = strided ? (n + 1 - 3) / 2 + 1 : n;
    struct shape x = last ? (struct shape){4, {b, n, n, in}} : (struct shape){4, {b, in, n, n}},
                 kernel = {4, {out, in, 3, 3}};
    struct shape to =
        last ? (struct shape){4, {b, to_n, to_n, out}} : (struct shape){4, {b, out, to_n, to_n}};
    const char *order = last ? "[0,3,1,2]" : "[0,1,2,3]", *lo = strided ? "[0,1]" : "[1,1]",
               *hi = strided ? "[1,0]" : "[1,1]";
    struct value ins[2] = {around_feed(g, c, c->type, &x), gt_param(g, c->type, &kernel)};
    return made_of(gt_node(
        g, "conv", c->type, &to, 2, ins,
        arena_printf(
            g->arena,
            ", \"attrs\": {\"strides\": [%lld,%lld], \"lo\": %s, \"hi\": %s, "
            "\"input_dilation\": [1,1], \"kernel_dilation\": [1,1], \"feature_groups\": 1, "
            "\"batch_groups\": 1, \"input_permutation\": %s, \"kernel_permutation\": [0,1,2,3], "
            "\"output_permutation\": %s}",
            (long long)stride, (long long)stride, lo, hi, order, order)));
}

static const char *const conv_ops[] = {"channels_first", "channels_last", "strided", NULL};
static const struct sweep_line conv_lines[] = {
    {{4, {0, 3, 8, 9}}, 0, 60, false},
    {{4, {2, 0, 16, 7}}, 0, 300, false},
    {{4, {2, 3, 0, 8}}, 0, 100, false},
    {{4, {1, 2, 9, 0}}, 0, 60, false},
};
const struct sweep_family family_conv = {.name = "conv",
                                         .what = "convolutions",
                                         .ops = conv_ops,
                                         .probed = 1,
                                         LINES(conv_lines),
                                         .takes = takes_conv,
                                         .build = build_conv};

/* ---- triangular systems: rows x columns of the right side ---- */

static bool takes_solve(const struct sweep_case *c)
{
    return c->shape.rank == 2 && (type_is_float(c->type) || type_is_complex(c->type)) &&
           type_bytes(c->type) > 2;
}

static struct made build_solve(struct graph_text *g, const struct sweep_case *c)
{
    bool left = !op_is(c, "right");
    int64_t n = c->shape.dim[0];
    struct shape square = {2, {n, n}},
                 side = left ? c->shape : (struct shape){2, {c->shape.dim[1], n}};
    struct value ins[2] = {gt_param_filled(g, c->type, &square, GT_TRIANGLE, 0),
                           around_feed(g, c, c->type, &side)};
    return made_of(gt_node(
        g, "triangular_solve", c->type, &side, 2, ins,
        arena_printf(g->arena,
                     ", \"attrs\": {\"left_side\": %s, \"lower\": %s, \"transform\": \"%s\"}",
                     left ? "true" : "false", op_is(c, "upper") ? "false" : "true",
                     op_is(c, "turned") ? "transpose" : "none")));
}

static const char *const solve_ops[] = {"lower", "upper", "right", "turned", NULL};
static const struct sweep_line solve_lines[] = {{{2, {0, 5}}, 0, 40, false},
                                                {{2, {6, 0}}, 0, 300, false}};
const struct sweep_family family_solve = {.name = "solve",
                                          .what = "triangular systems",
                                          .ops = solve_ops,
                                          .probed = 1,
                                          LINES(solve_lines),
                                          .takes = takes_solve,
                                          .build = build_solve};
