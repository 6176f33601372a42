/* Elements at places that are data, and windows. */
#include "families.h"

static const struct shape scalar;

/* ---- scatters: targets x rest x updates ---- */

static bool takes_scatter(const struct sweep_case *c)
{
    return c->shape.rank == 3;
}

/* An update for each row, at a place of it. */
static struct made build_own(struct graph_text *g, const struct sweep_case *c)
{
    const int64_t targets = c->shape.dim[0], rest = c->shape.dim[1], updates = c->shape.dim[2];
    struct shape to = {3, {updates, targets, rest}}, column = {2, {updates, 1}},
                 from = {2, {updates, rest}};
    struct value target = around_feed(g, c, c->type, &to);
    struct value row = gt_node(g, "iota", TYPE_S32, &column, 0, NULL, ", \"attrs\": {\"axis\": 0}");
    struct value place = gt_param_filled(g, TYPE_S32, &column, GT_INDICES, targets);
    struct value ins[3] = {target, gt_concatenate(g, row, place, 1), gt_param(g, c->type, &from)};
    return made_of(
        gt_node(g, "indexed_add", c->type, &to, 3, ins, ", \"attrs\": {\"axes\": [0,1]}"));
}

static struct made build_scatter(struct graph_text *g, const struct sweep_case *c)
{
    const int64_t targets = c->shape.dim[0], rest = c->shape.dim[1], updates = c->shape.dim[2];
    bool last = op_is(c, "add_last");
    if (op_is(c, "add_own"))
        return build_own(g, c);
    struct shape to =
                     last ? (struct shape){2, {rest, targets}} : (struct shape){2, {targets, rest}},
                 places = {2, {updates, 1}}, from = {2, {updates, rest}};
    struct value ins[3] = {
        around_feed(g, c, c->type, &to),
        gt_param_filled(g, op_is(c, "put") ? TYPE_S64 : TYPE_S32, &places, GT_INDICES,
                        op_is(c, "add_few") ? (targets < 3 ? targets : 3) : targets),
        gt_param(g, c->type, &from)};
    return made_of(gt_node(g, op_is(c, "put") ? "indexed_put" : "indexed_add", c->type, &to, 3, ins,
                           last ? ", \"attrs\": {\"axes\": [1]}" : ", \"attrs\": {\"axes\": [0]}"));
}

static const char *const scatter_ops[] = {"add", "put", "add_last", "add_few", "add_own", NULL};
static const struct sweep_line scatter_lines[] = {
    {{3, {50, 1, 0}}, 0, 9000, false},
    {{3, {0, 1, 40}}, 0, 3000, false},
    {{3, {300, 0, 33}}, 0, 100, false},
    {{3, {20, 3, 0}}, 0, 5000, false},
};
const struct sweep_family family_scatter = {
    .name = "scatter",
    .what = "indexed_add and indexed_put: sort, search and segment sums, or none of these",
    .ops = scatter_ops,
    .probed = 2,
    LINES(scatter_lines),
    .takes = takes_scatter,
    .build = build_scatter};

/* ---- gathers ---- */

static bool takes_gather(const struct sweep_case *c)
{
    return c->shape.rank == 2;
}

static struct made build_gather(struct graph_text *g, const struct sweep_case *c)
{
    const struct shape *s = &c->shape;
    struct value x = operand(g, c);
    if (op_is(c, "put_slice")) {
        struct shape part = {2, {(s->dim[0] + 1) / 2, (s->dim[1] + 1) / 2}};
        struct value ins[4] = {x, gt_param(g, c->type, &part),
                               gt_param_filled(g, TYPE_S32, &scalar, GT_INDICES, s->dim[0]),
                               gt_param_filled(g, TYPE_U8, &scalar, GT_INDICES, 5)};
        return made_of(gt_node(g, "put_slice", c->type, s, 4, ins, ""));
    }
    bool both = op_is(c, "elements"), last = op_is(c, "columns");
    int64_t count = both ? s->dim[0] : s->dim[last];
    struct shape places = {2, {count, both ? 2 : 1}},
                 to = both   ? (struct shape){1, {count}}
                      : last ? (struct shape){2, {count, s->dim[0]}}
                             : *s;
    struct value i =
        gt_param_filled(g, TYPE_S32, &places, GT_INDICES,
                        both ? (s->dim[0] < s->dim[1] ? s->dim[0] : s->dim[1]) : count);
    return made_of(gt_node(g, "gather", c->type, &to, 2, (struct value[]){x, i},
                           both   ? ", \"attrs\": {\"axes\": [0,1]}"
                           : last ? ", \"attrs\": {\"axes\": [1]}"
                                  : ", \"attrs\": {\"axes\": [0]}"));
}

static const char *const gather_ops[] = {"rows", "columns", "elements", "put_slice", NULL};
static const struct sweep_line gather_lines[] = {{{2, {0, 5}}, 0, 9000, false},
                                                 {{2, {33, 0}}, 0, 2000, false}};
const struct sweep_family family_gather = {.name = "gather",
                                           .what = "gather and put_slice",
                                           .ops = gather_ops,
                                           .probed = 1,
                                           LINES(gather_lines),
                                           .takes = takes_gather,
                                           .build = build_gather};

/* ---- windows of the axes that are set ---- */

static bool takes_windows(const struct sweep_case *c)
{
    bool sums = op_is(c, "window_sum") || op_is(c, "window_product") || op_is(c, "window_reduce");
    for (uint32_t i = 0; i < c->shape.rank; i++)
        if ((c->axes & 1u << i) && c->shape.dim[i] < 2)
            return false;
    return c->axes != 0 && c->axes < 1u << c->shape.rank && (sums || !type_is_complex(c->type));
}

static struct made build_windows(struct graph_text *g, const struct sweep_case *c)
{
    const struct shape *s = &c->shape;
    bool back = strstr(case_op(c), "scatter") != NULL, long_one = op_is(c, "window_min");
    int64_t window[VKC_MAX_RANK], strides[VKC_MAX_RANK], lo[VKC_MAX_RANK], hi[VKC_MAX_RANK],
        ones[VKC_MAX_RANK];
    struct shape to = *s;
    for (uint32_t i = 0; i < s->rank; i++) {
        bool is = c->axes & 1u << i;
        window[i] = !is ? 1 : long_one ? (s->dim[i] + 1) / 2 : 3;
        strides[i] = is && !long_one ? 2 : 1;
        lo[i] = is;
        hi[i] = is && !back;
        ones[i] = 1;
        to.dim[i] = (s->dim[i] + lo[i] + hi[i] - window[i]) / strides[i] + 1;
    }
    const char *attrs =
        arena_printf(g->arena, "\"window\": %s, \"strides\": %s, \"lo\": %s, \"hi\": %s",
                     gt_list(g, window, s->rank), gt_list(g, strides, s->rank),
                     gt_list(g, lo, s->rank), gt_list(g, hi, s->rank));
    struct value x = operand(g, c);
    if (back) {
        struct value ins[3] = {x, gt_param(g, c->type, &to), gt_constant(g, c->type, &scalar, 1)};
        return made_of(gt_node(g, "window_scatter_max", c->type, s, 3, ins,
                               arena_printf(g->arena, ", \"attrs\": {%s}", attrs)));
    }
    attrs = arena_printf(g->arena, "%s, \"dilations\": %s", attrs, gt_list(g, ones, s->rank));
    if (!op_is(c, "window_reduce"))
        return made_of(gt_node(g, case_op(c), c->type, &to, 1, &x,
                               arena_printf(g->arena, ", \"attrs\": {%s}", attrs)));
    struct value first = gt_constant(g, c->type, &scalar, 1);
    uint32_t region = gt_begin(g);
    struct value element = gt_param(g, c->type, &scalar), so_far = gt_param(g, c->type, &scalar);
    gt_result(g, gt_binary(g, "subtract", element, so_far));
    gt_end(g);
    return made_of(gt_node(g, "window_reduce", c->type, &to, 2, (struct value[]){x, first},
                           with_regions(g, attrs, region, 1)));
}

static const char *const window_ops[] = {
    "window_sum",         "window_max",    "window_min", "window_product",
    "window_scatter_max", "window_reduce", NULL};
static const struct sweep_line window_lines[] = {{{1, {0}}, 1, 4000, false},
                                                 {{2, {0, 6}}, 1, 1000, false},
                                                 {{3, {3, 0, 9}}, 6, 300, false},
                                                 {{2, {5, 0}}, 2, 700, false}};
const struct sweep_family family_windows = {.name = "windows",
                                            .what = "windows, and their gradients",
                                            .ops = window_ops,
                                            .probed = 3,
                                            LINES(window_lines),
                                            .takes = takes_windows,
                                            .build = build_windows};
