/* What a contraction multiplies: the axes of a dot or a conv as matrices, and where an element
   of either operand lies. A conv is a product of its kernel, a matrix of output channels by
   (channels, kernel space), with the input as an implicit matrix of (channels, kernel space) by
   (batch, space). The index map that windows and dilates is evaluated at every load; the matrix
   is never stored. */
#include "codegen/family/contraction.h"
#include "codegen/members.h"

static void add_axis(struct contraction_axes *a, uint32_t axis, int64_t extent, int64_t stride)
{
    a->axis[a->shape.rank] = (uint8_t)axis;
    a->stride[a->shape.rank] = stride;
    a->shape.dim[a->shape.rank++] = extent;
}

/* ---- dot: axes are those of the operands ---- */

static void dot_axes(const struct func *f, struct contraction *c)
{
    const struct node *n = c->node;
    const struct shape *in[2] = {&func_tensor(f, n->ins[0])->shape,
                                 &func_tensor(f, n->ins[1])->shape};
    uint32_t nc, nb, at = 0;
    int64_t stride[VKC_MAX_RANK];
    const int64_t *batch = attr_list(n, ATTR_batch_a, &nb),
                  *contract = attr_list(n, ATTR_contract_a, &nc);
    shape_strides(&n->outs[0].shape, stride);
    for (uint32_t i = 0; i < nb; i++, at++)
        add_axis(&c->batch, (uint32_t)batch[i], in[0]->dim[batch[i]], stride[at]);
    for (uint32_t i = 0; i < nc; i++)
        add_axis(&c->k, (uint32_t)contract[i], in[0]->dim[contract[i]], 0);
    for (uint32_t side = 0; side < 2; side++) {
        c->operand[side] = side;
        for (uint32_t i = 0; i < in[side]->rank; i++)
            if (!attr_list_has(n, side ? ATTR_contract_b : ATTR_contract_a, i) &&
                !attr_list_has(n, side ? ATTR_batch_b : ATTR_batch_a, i)) {
                add_axis(&c->free[side], i, in[side]->dim[i], stride[at]);
                at++;
            }
    }
}

static struct expr dot_operand(struct emit *e, const struct contraction *c, uint32_t side,
                               const struct contraction_at *at)
{
    const struct node *n = c->node;
    const struct ix *idx[VKC_MAX_RANK];
    uint32_t nc, nb;
    const int64_t *batch = attr_list(n, side ? ATTR_batch_b : ATTR_batch_a, &nb),
                  *contract = attr_list(n, side ? ATTR_contract_b : ATTR_contract_a, &nc);
    for (uint32_t i = 0; i < nb; i++)
        idx[batch[i]] = at->batch[i];
    for (uint32_t i = 0; i < nc; i++)
        idx[contract[i]] = at->k[i];
    for (uint32_t i = 0; i < c->free[side].shape.rank; i++)
        idx[c->free[side].axis[i]] = at->free[side][i];
    return emit_value(e, c->in[side], idx);
}

/* ---- conv: axes are logical, 0 batch or output channel, 1 channel, 2 ... space ---- */

struct conv_attrs {
    const int64_t *in, *kernel, *out; /* which axis of the tensor plays each logical part */
    const int64_t *strides, *lo, *input_dilation, *kernel_dilation;
    int64_t features, batches; /* groups; one of them is 1 */
};

static struct conv_attrs conv_attrs(const struct node *n)
{
    uint32_t count;
    return (struct conv_attrs){attr_list(n, ATTR_input_permutation, &count),
                               attr_list(n, ATTR_kernel_permutation, &count),
                               attr_list(n, ATTR_output_permutation, &count),
                               attr_list(n, ATTR_strides, &count),
                               attr_list(n, ATTR_lo, &count),
                               attr_list(n, ATTR_input_dilation, &count),
                               attr_list(n, ATTR_kernel_dilation, &count),
                               attr_int(n, ATTR_feature_groups, 1),
                               attr_int(n, ATTR_batch_groups, 1)};
}

/* The axis along which the tensor's neighbours in memory lie. */
static uint32_t innermost(const struct shape *s)
{
    uint32_t i = s->rank;
    while (i > 1 && s->dim[i - 1] == 1)
        i--;
    return i - 1;
}

/* Results that are neighbours in memory are columns. Groups are matrices of a batch. */
static void conv_axes(const struct func *f, struct contraction *c)
{
    const struct conv_attrs a = conv_attrs(c->node);
    const struct shape *in = &func_tensor(f, c->node->ins[0])->shape,
                       *kernel = &func_tensor(f, c->node->ins[1])->shape,
                       *out = &c->node->outs[0].shape;
    int64_t stride[VKC_MAX_RANK], groups = a.features * a.batches,
                                  channels = kernel->dim[a.kernel[0]] / groups;
    uint32_t kernels = a.out[1] == innermost(out) && channels > 1 ? 1 : 0;
    shape_strides(out, stride);
    if (groups > 1)
        add_axis(&c->batch, 1, groups, stride[a.out[1]] * channels);
    c->operand[kernels] = 1;
    c->operand[1 - kernels] = 0;
    for (uint32_t p = 0; p < out->rank; p++) /* in the order of memory */
        for (uint32_t i = 0; i < out->rank; i++)
            if (a.out[i] == p)
                add_axis(&c->free[i == 1 ? kernels : 1 - kernels], i,
                         i == 1 ? channels : out->dim[p], stride[p]);
    bool channel_last = innermost(in) == a.in[1];
    if (!channel_last)
        add_axis(&c->k, 1, kernel->dim[a.kernel[1]], 0);
    for (uint32_t i = 2; i < kernel->rank; i++)
        add_axis(&c->k, i, kernel->dim[a.kernel[i]], 0);
    if (channel_last)
        add_axis(&c->k, 1, kernel->dim[a.kernel[1]], 0);
}

static struct expr conv_kernel(struct emit *e, const struct contraction *c, uint32_t side,
                               const struct contraction_at *at)
{
    const struct conv_attrs a = conv_attrs(c->node);
    const struct ix *idx[VKC_MAX_RANK],
        *group = c->batch.shape.rank ? at->batch[0] : ix_const(e->ix, 0);
    idx[a.kernel[0]] =
        ix_add(e->ix, ix_scale(e->ix, group, c->free[side].shape.dim[0]), at->free[side][0]);
    for (uint32_t i = 0; i < c->k.shape.rank; i++)
        idx[a.kernel[c->k.axis[i]]] = at->k[i];
    return emit_value(e, c->in[1], idx);
}

/* Zero in the padding and between dilated elements. */
static struct expr conv_input(struct emit *e, const struct contraction *c, uint32_t side,
                              const struct contraction_at *at)
{
    const struct conv_attrs a = conv_attrs(c->node);
    const struct shape *in = &func_tensor(e->func, c->node->ins[0])->shape;
    const struct ix *idx[VKC_MAX_RANK], *out[VKC_MAX_RANK], *k[VKC_MAX_RANK],
        *group = c->batch.shape.rank ? at->batch[0] : ix_const(e->ix, 0);
    struct str cond;
    str_init(&cond, e->arena);
    for (uint32_t i = 0; i < c->free[side].shape.rank; i++)
        out[c->free[side].axis[i]] = at->free[side][i];
    for (uint32_t i = 0; i < c->k.shape.rank; i++)
        k[c->k.axis[i]] = at->k[i];
    idx[a.in[0]] = a.batches > 1
                       ? ix_add(e->ix, ix_scale(e->ix, group, in->dim[a.in[0]] / a.batches), out[0])
                       : out[0];
    idx[a.in[1]] = a.features > 1
                       ? ix_add(e->ix, ix_scale(e->ix, group, in->dim[a.in[1]] / a.features), k[1])
                       : k[1];
    for (uint32_t i = 2; i < in->rank; i++) {
        const struct ix *p = ix_add(e->ix, ix_scale(e->ix, out[i], a.strides[i - 2]),
                                    ix_scale(e->ix, k[i], a.kernel_dilation[i - 2]));
        int64_t span = (in->dim[a.in[i]] - 1) * a.input_dilation[i - 2] + 1;
        idx[a.in[i]] = emit_bounded(e, ix_add_const(e->ix, p, -a.lo[i - 2]), span,
                                    a.input_dilation[i - 2], &cond);
        if (!idx[a.in[i]])
            return (struct expr){NULL, 0};
    }
    return emit_if(e, str_text(&cond), emit_constant(e, func_tensor(e->func, c->in[0])->type, 0, 0),
                   c->in[0], idx);
}

/* Of the input, guards hide from the trial emission where the memory runs. */
static bool conv_input_along_k(const struct func *f, const struct contraction *c)
{
    const struct conv_attrs a = conv_attrs(c->node);
    const struct shape *in = &func_tensor(f, c->node->ins[0])->shape,
                       *kernel = &func_tensor(f, c->node->ins[1])->shape;
    uint32_t last = innermost(in);
    for (uint32_t i = 2; i < in->rank; i++)
        if (a.in[i] == last) /* whichever crosses more memory before it wraps, gaps aside */
            return kernel->dim[a.kernel[i]] * a.strides[i - 2] >
                   c->node->outs[0].shape.dim[a.out[i]] * a.kernel_dilation[i - 2];
    return a.in[1] == last;
}

/* ---- both ---- */

enum vkc_type contraction_sources(const struct unit *u, const struct kernel *k,
                                  const struct node *n, struct value *out_in)
{
    const struct func *f = unit_func(u);
    enum vkc_type type = n->outs[0].type, from[2];
    for (uint32_t i = 0; i < 2; i++) {
        const struct node *x = func_node(f, n->ins[i].node);
        bool is_widened =
            type == TYPE_F32 && x->op == OP_AS_TYPE && !members_loads(u, k, n->ins[i]);
        out_in[i] = is_widened ? x->ins[0] : n->ins[i];
        from[i] = func_tensor(f, out_in[i])->type;
    }
    if (from[0] == from[1] && (from[0] == TYPE_F16 || from[0] == TYPE_BF16))
        return from[0];
    out_in[0] = n->ins[0], out_in[1] = n->ins[1];
    return type;
}

void contraction_of(const struct func *f, const struct node *n, struct contraction *out)
{
    *out = (struct contraction){.node = n, .in = {n->ins[0], n->ins[1]}};
    if (n->op == OP_DOT)
        dot_axes(f, out);
    else
        conv_axes(f, out);
}

struct expr contraction_operand(struct emit *e, const struct contraction *c, uint32_t side,
                                const struct contraction_at *at)
{
    if (c->node->op == OP_DOT)
        return dot_operand(e, c, side, at);
    return c->operand[side] == 0 ? conv_input(e, c, side, at) : conv_kernel(e, c, side, at);
}

uint64_t contraction_additions(const struct node *n)
{
    return type_is_complex(n->outs[0].type) ? 8 : 2;
}

struct expr contraction_product(struct emit *e, const struct contraction *c,
                                const struct contraction_at *at)
{
    enum vkc_type t = c->node->outs[0].type;
    struct expr a = contraction_operand(e, c, 0, at), b = contraction_operand(e, c, 1, at);
    if (!a.text || !b.text)
        return (struct expr){NULL, 0};
    const char *text = type_is_complex(t) ? arena_printf(e->arena, "%s(%s, %s)",
                                                         emit_call(e, "nx_mul", t), a.text, b.text)
                                          : arena_printf(e->arena, "%s * %s", a.text, b.text);
    return (struct expr){text, a.depth > b.depth ? a.depth : b.depth};
}

/* A sum of zeros is not negative. Adding 0 says so, where a comparison would take subnormal numbers
   for 0 on devices that compare so. */
const char *contraction_sum(struct emit *e, const struct node *n, const char *acc)
{
    enum vkc_type t = n->outs[0].type;
    if (type_is_float(t) || type_is_complex(t))
        acc = arena_printf(e->arena, "%s + %s", acc,
                           t == TYPE_F64 || t == TYPE_C128 ? "NX_ZERO_F64" : "NX_ZERO");
    return emit_wrap(e, t, acc);
}

enum contraction_run contraction_run(const struct func *f, const struct contraction *c,
                                     uint32_t side)
{
    if (c->node->op == OP_DOT || c->operand[side] != 0)
        return RUN_UNKNOWN;
    return conv_input_along_k(f, c) ? RUN_ALONG_K : RUN_ALONG_FREE;
}

static const struct ix *scattered(struct emit *e, const struct contraction_axes *a,
                                  const struct ix *const *idx)
{
    const struct ix *sum = ix_const(e->ix, 0);
    for (uint32_t i = 0; i < a->shape.rank; i++)
        sum = ix_add(e->ix, sum, ix_scale(e->ix, idx[i], a->stride[i]));
    return sum;
}

const struct ix *contraction_flat(struct emit *e, const struct contraction *c,
                                  const struct contraction_at *at)
{
    const struct ix *column = scattered(e, &c->free[1], at->free[1]),
                    *row = scattered(e, &c->free[0], at->free[0]),
                    *free = ix_add(e->ix, row, column);
    return ix_add(e->ix, scattered(e, &c->batch, at->batch), free);
}

static void gathered(struct emit *e, const struct contraction_axes *a, const struct ix *flat,
                     const struct ix **out)
{
    for (uint32_t i = 0; i < a->shape.rank; i++)
        out[i] = ix_mod(e->ix, ix_div(e->ix, flat, a->stride[i]), a->shape.dim[i]);
}

void contraction_unflat(struct emit *e, const struct contraction *c, const struct ix *flat,
                        struct contraction_at *at)
{
    gathered(e, &c->batch, flat, at->batch);
    gathered(e, &c->free[0], flat, at->free[0]);
    gathered(e, &c->free[1], flat, at->free[1]);
}

struct contract_space contraction_space(const struct func *f, const struct node *n)
{
    struct contraction c;
    contraction_of(f, n, &c);
    return (struct contract_space){shape_size(&c.batch.shape), shape_size(&c.free[0].shape),
                                   shape_size(&c.free[1].shape), shape_size(&c.k.shape)};
}
