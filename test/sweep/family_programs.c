/* Functions with loops and branches, and chains of small kernels: workgroup programs where they
   are small enough, steered by the device where they are not. */
#include "families.h"

static bool takes(const struct sweep_case *c)
{
    return c->shape.rank == 2 && !type_is_complex(c->type) && c->axes > 0 && c->axes < 4;
}

/* Each element less its row's greatest. */
static struct value less(struct graph_text *g, struct value x, uint32_t axes)
{
    const struct shape s = *gt_shape(g, x);
    return gt_binary(g, "subtract", x,
                     gt_stretch(g, gt_reduce(g, "reduce_max", x, axes, true), &s));
}

static struct made loop(struct graph_text *g, const struct sweep_case *c)
{
    const struct shape scalar = scalar_shape();
    struct value ins[2] = {gt_constant(g, TYPE_S32, &scalar, 0), operand(g, c)};
    struct tensor outs[2] = {{TYPE_S32, scalar}, {c->type, c->shape}};
    uint32_t first = gt_begin(g);
    struct value i = gt_param(g, TYPE_S32, &scalar);
    gt_param(g, c->type, &c->shape);
    gt_result(g, gt_node(g, "less", TYPE_U8, &scalar, 2,
                         (struct value[]){i, gt_constant(g, TYPE_S32, &scalar, 3)}, ""));
    gt_begin(g);
    i = gt_param(g, TYPE_S32, &scalar);
    struct value x = gt_param(g, c->type, &c->shape);
    gt_result(g, gt_binary(g, "add", i, gt_constant(g, TYPE_S32, &scalar, 1)));
    gt_result(g, less(g, gt_reverse(g, x, 1), c->axes));
    gt_end(g);
    struct value n = gt_node_of(g, "while", 2, outs, 2, ins, with_regions(g, "", first, 2));
    return made_of((struct value){n.node, 1});
}

static struct made branch(struct graph_text *g, const struct sweep_case *c)
{
    const struct shape scalar = scalar_shape();
    struct value ins[2] = {gt_param_filled(g, TYPE_S32, &scalar, GT_INDICES, 2), operand(g, c)};
    uint32_t first = 0;
    for (int r = 0; r < 3; r++) { /* predicate, branch, default */
        uint32_t region = gt_begin(g);
        struct value p = gt_param(g, TYPE_S32, &scalar), x = gt_param(g, c->type, &c->shape);
        first = r ? first : region;
        gt_result(g, r == 0   ? gt_node(g, "greater", TYPE_U8, &scalar, 2,
                                        (struct value[]){p, gt_constant(g, TYPE_S32, &scalar, 0)}, "")
                     : r == 1 ? less(g, x, c->axes)
                              : gt_reverse(g, less(g, x, 3), 3));
    }
    gt_end(g);
    return made_of(gt_node(g, "cond", c->type, &c->shape, 2, ins, with_regions(g, "", first, 3)));
}

static struct made build(struct graph_text *g, const struct sweep_case *c)
{
    if (op_is(c, "loop"))
        return loop(g, c);
    if (op_is(c, "branch"))
        return branch(g, c);
    struct value x = less(g, less(g, operand(g, c), c->axes), 3 & ~c->axes ? 3 & ~c->axes : 1);
    return (struct made){less(g, gt_reverse(g, x, 2), c->axes),
                         gt_reduce(g, "sum", x, c->axes, false), true};
}

static const char *const ops[] = {"chain", "loop", "branch", NULL};
static const struct sweep_line lines[] = {
    {{2, {3, 0}}, 2, 4000, false}, {{2, {0, 6}}, 1, 2000, false}, {{2, {0, 20}}, 3, 600, false}};

const struct sweep_family family_programs = {.name = "programs",
                                             .what = "loops, branches and chains of small kernels",
                                             .ops = ops,
                                             .probed = 2,
                                             LINES(lines),
                                             .takes = takes,
                                             .build = build};
