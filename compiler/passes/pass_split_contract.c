/* Does      splits a product or convolution with few results and a long contraction, such as the
             gradient of weights: parts of the contraction become matrices of a batch (for a conv:
             groups of channels), followed by a sum over the parts
   Requires  nothing
   Keeps     the order of summation, so the same bits on every run; narrow floats are summed in f32
   Cost      linear */
#include "passes/build.h"
#include "passes/pass.h"
#include "target/units.h"

/* What decides about parts: tiles of `edge` x `edge`, of which there should be `full`; contractions
   from `least` on; the least of a part. */
struct rule {
    int64_t edge, full, least, part;
};

/* How many parts: a divisor of `axis`, 1 to leave it. */
static int64_t parts_by(const struct rule *r, const struct product *whole, int64_t axis)
{
    int64_t wanted = r->full / product_tiles(whole, r->edge, r->edge), most = whole->k / r->part;
    if (whole->m < r->edge / 2 || whole->n < r->edge / 2 || whole->k < r->least)
        return 1;
    int64_t parts = 1;
    for (int64_t p = 2; p <= axis && p <= most && parts < wanted; p++)
        if (axis % p == 0 && p <= 2 * wanted)
            parts = p;
    return parts;
}

/* Tiles of all parts for a processor, from which on more parts only cost more sums. */
enum { TILES_EACH = 16 };

/* Whether a product has the tiles that it must have for matrix units. */
static bool has_tiles(const struct tuning *t, enum vkc_type type, const struct product *p)
{
    return type == TYPE_F32 ? units_split_suit(t, p)
                            : product_in_tiles(t, p) || product_narrow(t, p, type_bytes(type));
}

/* The least time that any tile gives a product on matrix units. */
static double units_least_ns(const struct tuning *t, enum vkc_type type, const struct product *p)
{
    uint32_t count;
    const struct matrix_tile *tiles = units_tiles(t, type, &count);
    double least = units_ns(t, &tiles[0], p);
    for (uint32_t i = 1; i < count; i++) {
        double ns = units_ns(t, &tiles[i], p);
        least = ns < least ? ns : least;
    }
    return least;
}

/* How many parts a product on matrix units is cut in: as many as take least time, with that of
   their sum, or 1 if that gains less than a tenth. They should be whole vectors, or loads are
   single elements. */
static int64_t parts_on_units(const struct tuning *t, enum vkc_type type,
                              const struct product *whole, int64_t axis)
{
    const int64_t vector = 8;
    int64_t tiles = product_tiles(whole, UNITS_SPLIT_EDGE, UNITS_SPLIT_EDGE), parts = 1;
    double least = 0.9 * (has_tiles(t, type, whole) ? units_least_ns(t, type, whole)
                                                    : t->product_ns * (double)whole->k);
    for (int64_t p = 2; p <= axis && p <= whole->k / t->matrix_split_part &&
                        p * tiles <= (int64_t)TILES_EACH * t->processors;
         p++) {
        const struct product x = {whole->batch * p, whole->m, whole->n, whole->k / p};
        if (axis % p || x.k % vector || !has_tiles(t, type, &x))
            continue;
        double bytes = 4.0 * (double)(whole->batch * whole->m * whole->n) * (double)(2 * p + 1),
               ns = units_least_ns(t, type, &x) + t->launch_ns + bytes / t->bytes_a_second * 1e9;
        if (ns < least) {
            least = ns;
            parts = p;
        }
    }
    return parts;
}

/* Whether a product is cut with its kernel on matrix units in mind. */
static bool is_on_units(const struct pass_options *o, enum vkc_type type,
                        const struct product *whole)
{
    const struct tuning *t = o->tuning;
    if (!o->target || !units_for(o->target, type))
        return false;
    if (type != TYPE_F32)
        return t->matrix_units && units_suit(t, type, whole);
    return t->matrix_split && !o->highest_precision && whole->m > t->matrix_split_few &&
           whole->n > t->matrix_split_few &&
           whole->batch * whole->m * whole->n >= t->matrix_split_work / whole->k;
}

static bool is_half_on_units(const struct pass_options *o, enum vkc_type type,
                             const struct product *whole)
{
    return (type == TYPE_F16 || type == TYPE_BF16) && is_on_units(o, type, whole);
}

static int64_t parts_of(const struct build *b, enum vkc_type type, const struct product *whole,
                        int64_t axis)
{
    const struct tuning *t = b->r->options->tuning;
    const struct rule plain = {32, t->product_full, t->product_long, t->product_part};
    int64_t parts =
        is_on_units(b->r->options, type, whole) ? parts_on_units(t, type, whole, axis) : 1;
    bool is_narrow = product_narrow(t, whole, type_bytes(type)); /* its kernel cuts the sum */
    return parts > 1 || is_narrow ? parts : parts_by(&plain, whole, axis);
}

/* The shape with `axis` as two axes, of which the first is `outer`. */
static struct shape split_shape(const struct shape *s, int64_t axis, int64_t outer)
{
    struct shape to = {0};
    for (uint32_t i = 0; i < s->rank; i++) {
        if (i == axis)
            to.dim[to.rank++] = outer;
        to.dim[to.rank++] = i == axis ? s->dim[i] / outer : s->dim[i];
    }
    return to;
}

/* ---- dot ---- */

/* What the value was converted from, if that lost nothing and was of 16 bits. */
static struct value before_widening(const struct build *b, struct value x)
{
    const struct node *n = build_def(b, x);
    enum vkc_type to = build_tensor(b, x)->type;
    enum vkc_type from = n->op == OP_AS_TYPE ? build_tensor(b, n->ins[0])->type : to;
    return to == TYPE_F32 && (from == TYPE_F16 || from == TYPE_BF16) ? n->ins[0] : x;
}

struct side {
    struct value x; /* the operand, before and after */
    int64_t contract[VKC_MAX_RANK], batch[VKC_MAX_RANK];
};

/* What matrix units multiply, in 16 bits, and its type; where they do not, the node's operands and
   the type of its result. */
static enum vkc_type factors_of(const struct build *b, const struct node *n,
                                const struct value *ins, const struct product *whole,
                                struct value *out)
{
    const struct pass_options *o = b->r->options;
    out[0] = before_widening(b, ins[0]), out[1] = before_widening(b, ins[1]);
    enum vkc_type from = build_tensor(b, out[0])->type, type = n->outs[0].type;
    if (from == build_tensor(b, out[1])->type && !(type == TYPE_F32 && o->highest_precision) &&
        is_half_on_units(o, from, whole))
        return from;
    out[0] = ins[0], out[1] = ins[1];
    return type;
}

/* Axes after `axis` was split in two, the new one being of the batch. `of_units`: it is converted
   next to the product, where matrix units do without it. Returns its place among the batch axes. */
static uint32_t split_side(struct build *b, const struct node *n, bool second, bool of_units,
                           uint32_t pair, int64_t parts, enum vkc_type type, struct side *out)
{
    uint32_t nc, nb, place = 0, at = 0;
    const int64_t *contract = attr_list(n, second ? ATTR_contract_b : ATTR_contract_a, &nc),
                  *batch = attr_list(n, second ? ATTR_batch_b : ATTR_batch_a, &nb);
    int64_t axis = contract[pair];
    struct shape to = split_shape(&build_tensor(b, out->x)->shape, axis, parts);
    for (uint32_t i = 0; i < nc; i++)
        out->contract[i] = contract[i] < axis ? contract[i] : contract[i] + 1;
    while (place < nb && batch[place] < axis)
        place++;
    for (uint32_t i = 0; i <= nb; i++)
        out->batch[i] = i == place         ? axis
                        : batch[at] < axis ? batch[at]
                                           : batch[at] + 1,
        at += i != place;
    out->x = of_units ? build_convert(b, build_reshape(b, out->x, &to), type)
                      : build_reshape(b, build_convert(b, out->x, type), &to);
    return place;
}

static bool split_dot(struct build *b, const struct node *n, const struct value *ins,
                      struct value *outs)
{
    uint32_t nc, nb;
    const int64_t *contract = attr_list(n, ATTR_contract_a, &nc),
                  *axes = attr_list(n, ATTR_batch_a, &nb);
    const struct shape in[2] = {build_tensor(b, ins[0])->shape, build_tensor(b, ins[1])->shape};
    int64_t batch = 1, k = 1, parts = 1;
    uint32_t pair = 0;
    for (uint32_t i = 0; i < nb; i++)
        batch *= in[0].dim[axes[i]];
    for (uint32_t i = 0; i < nc; i++)
        k *= in[0].dim[contract[i]];
    const struct product whole = {batch, shape_size(&in[0]) / batch / k,
                                  shape_size(&in[1]) / batch / k, k};
    struct value x[2];
    const enum vkc_type type = factors_of(b, n, ins, &whole, x);
    bool of_units = is_half_on_units(b->r->options, type, &whole);
    for (uint32_t i = 0; i < nc; i++) {
        int64_t found = parts_of(b, type, &whole, in[0].dim[contract[i]]);
        if (found > parts)
            parts = found, pair = i;
    }
    if (parts == 1 || in[0].rank == VKC_MAX_RANK || in[1].rank == VKC_MAX_RANK ||
        n->outs[0].shape.rank == VKC_MAX_RANK)
        return false;
    struct side a = {.x = x[0]}, c = {.x = x[1]};
    struct tensor out = {.type = build_sum_type(n->outs[0].type)};
    int64_t place = split_side(b, n, false, of_units, pair, parts, out.type, &a);
    if (split_side(b, n, true, of_units, pair, parts, out.type, &c) != place)
        return false; /* the batch axes would not pair up */
    for (uint32_t i = 0; i <= n->outs[0].shape.rank; i++)
        out.shape.dim[out.shape.rank++] =
            i == place ? parts : n->outs[0].shape.dim[i > place ? i - 1 : i];
    struct value operands[2] = {a.x, c.x};
    struct attr attrs[4] = {{.key = ATTR_contract_a, .kind = 'I', .count = nc, .list = a.contract},
                            {.key = ATTR_batch_a, .kind = 'I', .count = nb + 1, .list = a.batch},
                            {.key = ATTR_contract_b, .kind = 'I', .count = nc, .list = c.contract},
                            {.key = ATTR_batch_b, .kind = 'I', .count = nb + 1, .list = c.batch}};
    struct node dot = {.op = OP_DOT,
                       .nins = 2,
                       .nouts = 1,
                       .nattrs = 4,
                       .ins = operands,
                       .outs = &out,
                       .attrs = attrs};
    outs[0] =
        build_convert(b, build_reduce(b, OP_SUM, build_node(b, &dot), &place, 1), n->outs[0].type);
    return true;
}

/* ---- conv ---- */

/* [outputs, channels] to [groups, parts, outputs of a group, channels of a part], outputs and
   parts as one axis. */
static struct value split_kernel(struct build *b, struct value x, int64_t outputs, int64_t channels,
                                 int64_t groups, int64_t parts)
{
    const struct shape from = build_tensor(b, x)->shape;
    struct shape split = split_shape(&from, outputs, groups), to = from;
    int64_t o = outputs, c = channels, axes[VKC_MAX_RANK];
    uint32_t n = 0;
    c += c > o; /* the outputs are two axes now: o and o + 1 */
    split = split_shape(&split, c, parts);
    o += o > c;
    for (uint32_t i = 0; i < split.rank; i++) { /* the parts, axis c, go between o and o + 1 */
        if (i != c)
            axes[n++] = i;
        if (i == o)
            axes[n++] = c;
    }
    to.dim[outputs] *= parts;
    to.dim[channels] /= parts;
    return build_reshape(b, build_transpose(b, build_reshape(b, x, &split), axes), &to);
}

static bool split_conv(struct build *b, const struct node *n, const struct value *ins,
                       struct value *outs)
{
    uint32_t count;
    const int64_t *kernel = attr_list(n, ATTR_kernel_permutation, &count),
                  *to = attr_list(n, ATTR_output_permutation, &count);
    const struct shape from = build_tensor(b, ins[1])->shape;
    int64_t groups = attr_int(n, ATTR_feature_groups, 1), outputs = from.dim[kernel[0]],
            k = shape_size(&from) / outputs, axis = to[1] + 1;
    const struct product whole = {groups, outputs / groups, shape_size(&n->outs[0].shape) / outputs,
                                  k};
    int64_t parts = parts_of(b, n->outs[0].type, &whole, from.dim[kernel[1]]);
    if (parts == 1 || attr_int(n, ATTR_batch_groups, 1) > 1 || from.rank + 2 > VKC_MAX_RANK ||
        n->nattrs > 16)
        return false;
    struct tensor out = {.type = build_sum_type(n->outs[0].type), .shape = n->outs[0].shape};
    struct attr attrs[16];
    for (uint32_t i = 0; i < n->nattrs; i++) {
        attrs[i] = n->attrs[i];
        if (attrs[i].key == ATTR_feature_groups)
            attrs[i].i = groups * parts;
    }
    out.shape.dim[to[1]] *= parts;
    struct value operands[2] = {build_convert(b, ins[0], out.type), ins[1]};
    bool of_units = is_half_on_units(b->r->options, n->outs[0].type, &whole); /* see split_side */
    if (!of_units)
        operands[1] = build_convert(b, operands[1], out.type);
    operands[1] = split_kernel(b, operands[1], kernel[0], kernel[1], groups, parts);
    operands[1] = build_convert(b, operands[1], out.type);
    struct node conv = {.op = OP_CONV,
                        .nins = 2,
                        .nouts = 1,
                        .nattrs = n->nattrs,
                        .ins = operands,
                        .outs = &out,
                        .attrs = attrs};
    struct shape apart = split_shape(&out.shape, to[1], groups);
    apart = split_shape(&apart, axis, parts);
    struct value sum =
        build_reduce(b, OP_SUM, build_reshape(b, build_node(b, &conv), &apart), &axis, 1);
    outs[0] = build_convert(b, build_reshape(b, sum, &n->outs[0].shape), n->outs[0].type);
    return true;
}

static bool rewrite(struct build *b, const struct node *n, const struct value *ins,
                    struct value *outs)
{
    return n->op == OP_DOT ? split_dot(b, n, ins, outs)
                           : n->op == OP_CONV && split_conv(b, n, ins, outs);
}

bool pass_split_contract(struct graph *g, const struct pass_options *o, bool *out_changed,
                         struct diag *d)
{
    struct rebuild r = {.g = g, .options = o, .d = d, .fn = rewrite};
    return rebuild_run(&r, out_changed);
}
