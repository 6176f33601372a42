/* Rows in shared memory: sorts, scans and transforms. */
#include "families.h"

static uint32_t axis_of(const struct sweep_case *c)
{
    uint32_t axis = 0;
    while (!(c->axes & 1u << axis) && axis < c->shape.rank)
        axis++;
    return axis;
}

static bool one_axis(const struct sweep_case *c)
{
    return c->axes != 0 && (c->axes & (c->axes - 1)) == 0 && axis_of(c) < c->shape.rank;
}

/* ---- sorts ---- */

static bool takes_sort(const struct sweep_case *c)
{
    return one_axis(c) && !type_is_complex(c->type);
}

static struct made build_sort(struct graph_text *g, const struct sweep_case *c)
{
    bool places = strncmp(case_op(c), "argsort", 7) == 0, down = strstr(case_op(c), "down") != NULL;
    struct value x = operand(g, c);
    return made_of(gt_node(
        g, places ? "argsort" : "sort", places ? TYPE_S32 : c->type, &c->shape, 1, &x,
        arena_printf(g->arena, ", \"attrs\": {\"axis\": %u, \"descending\": %s, \"stable\": true}",
                     axis_of(c), down ? "true" : "false")));
}

static const char *const sort_ops[] = {"sort", "argsort", "sort_down", "argsort_down", NULL};
static const struct sweep_line sort_lines[] = {
    {{1, {0}}, 1, 17000, false},   {{2, {7, 0}}, 2, 9000, false},    {{2, {0, 5}}, 1, 9000, false},
    {{2, {0, 40}}, 2, 600, false}, {{3, {3, 0, 4}}, 2, 2600, false}, {{2, {50, 0}}, 1, 140, false},
};
const struct sweep_family family_sort = {.name = "sort",
                                         .what = "sorts, in shared memory and by merging",
                                         .ops = sort_ops,
                                         .probed = 2,
                                         LINES(sort_lines),
                                         .takes = takes_sort,
                                         .build = build_sort};

/* ---- scans ---- */

static const struct running {
    const char *name, *block, *combine;
    enum op reduce;
    bool reverse;
} running[] = {
    {"sum", "CumulativeSum", "add", OP_SUM, false},
    {"sum_back", "CumulativeSum", "add", OP_SUM, true},
    {"max", "CumulativeMax", "max", OP_REDUCE_MAX, false},
    {"product", "CumulativeProduct", "multiply", OP_PRODUCT, true},
    {"min", "CumulativeMin", "min", OP_REDUCE_MIN, true},
};
static const char *const scan_ops[] = {"sum", "max", "sum_back", "product", "min", NULL};

static const struct running *running_of(const struct sweep_case *c)
{
    const struct running *r = running;
    while (!op_is(c, r->name))
        r++;
    return r;
}

static bool takes_scan(const struct sweep_case *c)
{
    enum op reduce = running_of(c)->reduce;
    return one_axis(c) && vkc_types[c->type].bits >= 8 &&
           (!type_is_complex(c->type) || reduce == OP_SUM || reduce == OP_PRODUCT);
}

/* The block's expansion: each step combines with what is 1, 2, 4, ... places before. */
static void expand_scan(struct graph_text *g, const struct sweep_case *c, const struct running *r)
{
    uint32_t axis = axis_of(c);
    struct value x = gt_param(g, c->type, &c->shape), identity = gt_identity(g, r->reduce, c->type);
    for (int64_t d = 1; d < c->shape.dim[axis]; d *= 2) {
        int64_t starts[VKC_MAX_RANK] = {0}, strides[VKC_MAX_RANK], zeros[VKC_MAX_RANK] = {0},
                pad[VKC_MAX_RANK] = {0};
        struct shape part = c->shape;
        part.dim[axis] -= d;
        starts[axis] = r->reverse ? d : 0;
        pad[axis] = d;
        for (uint32_t i = 0; i < part.rank; i++)
            strides[i] = 1;
        struct value moved = gt_slice(g, x, starts, part.dim, strides);
        moved =
            gt_pad(g, moved, identity, r->reverse ? zeros : pad, r->reverse ? pad : zeros, zeros);
        x = gt_binary(g, r->combine, moved, x);
    }
    gt_result(g, x);
}

static struct made build_scan(struct graph_text *g, const struct sweep_case *c)
{
    const struct running *r = running_of(c);
    struct value x = operand(g, c);
    uint32_t region = gt_begin(g);
    expand_scan(g, c, r);
    gt_end(g);
    const char *attrs =
        arena_printf(g->arena, "\"name\": \"%s\", \"options\": \"axis=%u;reverse=%s\"", r->block,
                     axis_of(c), r->reverse ? "true" : "false");
    return made_of(
        gt_node(g, "block", c->type, &c->shape, 1, &x, with_regions(g, attrs, region, 1)));
}

static const struct sweep_line scan_lines[] = {
    {{1, {0}}, 1, 18000, false},   {{2, {7, 0}}, 2, 9000, false},    {{2, {0, 5}}, 1, 9000, false},
    {{2, {0, 70}}, 2, 600, false}, {{3, {3, 0, 40}}, 2, 600, false}, {{2, {50, 0}}, 1, 300, false},
};
const struct sweep_family family_scan = {.name = "scan",
                                         .what = "cumulative sums and their kin",
                                         .ops = scan_ops,
                                         .probed = 1,
                                         LINES(scan_lines),
                                         .takes = takes_scan,
                                         .build = build_scan};

/* ---- transforms ---- */

static enum vkc_type complex_type(enum vkc_type t)
{
    return t == TYPE_F64 || t == TYPE_C128 ? TYPE_C128 : TYPE_C64;
}

static struct made build_fourier(struct graph_text *g, const struct sweep_case *c)
{
    struct value x = operand(g, c);
    const char *op = op_is(c, "ifft") ? "ifft" : "fft";
    struct shape to = c->shape;
    int64_t *length = &to.dim[axis_of(c)];
    if (op_is(c, "fft_padded"))
        *length += *length / 3 + 1;
    x = gt_node(g, op, complex_type(c->type), &to, 1, &x,
                arena_printf(g->arena, ", \"attrs\": {\"axis\": %u, \"length\": %lld}", axis_of(c),
                             (long long)*length));
    return made_of(x);
}

static const char *const fourier_ops[] = {"fft", "ifft", "fft_padded", NULL};
static const struct sweep_line fourier_lines[] = {
    {{1, {0}}, 1, 40000, true},    {{2, {3, 0}}, 2, 9000, true},     {{2, {0, 3}}, 1, 9000, true},
    {{2, {0, 12}}, 2, 400, false}, {{3, {2, 30, 0}}, 2, 100, false}, {{2, {0, 256}}, 2, 40, false},
};
const struct sweep_family family_fourier = {.name = "fourier",
                                            .what = "transforms",
                                            .ops = fourier_ops,
                                            .probed = 1,
                                            LINES(fourier_lines),
                                            .takes = one_axis,
                                            .build = build_fourier};
